// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice doctor`: what Sluice needs, what of it is there, and how to install
/// the rest.

#include "Driver.h"
#include "LocalGpus.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

namespace {

struct Options {
  cl::OptionCategory Category{"sluice doctor options"};
  cl::opt<std::string> CudaPath{
      "cuda-path",
      cl::desc("The toolkit to look at (default: the one that "
               "sluice-clang++ takes)"),
      cl::value_desc("folder"), cl::cat(Category)};
};

enum class State {
  Ok,
  Wrong,   ///< Of another version than Sluice works with.
  Missing, ///< Nothing compiles without it.
  None,    ///< Nor is it needed to compile.
};

/// What is found of one thing, and the line that installs it.
struct Finding {
  StringRef Name;
  State Is;
  std::string Text;
  std::string Remedy;
};

} // namespace

static constexpr StringLiteral InstallClang = "apt install clang-22";
static constexpr StringLiteral InstallToolkit =
    "pip install nvidia-cuda-nvcc==13.0.* nvidia-cuda-crt==13.0.* "
    "nvidia-nvvm==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-cccl==13.0.* "
    "nvidia-curand==10.4.0.*, in the Python environment of Sluice or an active "
    "one (else set CUDA_PATH to its folder nvidia/cu13). Or install NVIDIA's "
    "package cuda-toolkit-13-0, and set CUDA_PATH to /usr/local/cuda-13.0";

/// "13.0" of 13000.
static std::string versionText(unsigned Version) {
  return formatv("{0}.{1}", Version / 1000, Version % 1000 / 10);
}

/// The version in a program's answer to --version: what follows \p Before.
static std::string versionIn(StringRef Answer, StringRef Before) {
  StringRef Rest = Answer.split(Before).second;
  return Rest.take_while([](char C) { return isDigit(C) || C == '.'; }).str();
}

/// clang's plugins work in the clang that they were built with. \p Clang is
/// where it was found.
static Finding findTheClang(std::string &Clang) {
  auto Found = findClang();
  if (!Found)
    return {"clang", State::Missing, toString(Found.takeError()),
            InstallClang.str()};
  Clang = *Found;
  std::string Version =
      versionIn(outputOf({Clang, "--version"}), "clang version ");
  if (StringRef(Version).split('.').first != Twine(LLVM_VERSION_MAJOR).str())
    return {"clang", State::Wrong,
            formatv("{0} is version {1}, but Sluice is a plugin of clang {2}",
                    Clang, Version.empty() ? "unknown" : Version,
                    LLVM_VERSION_MAJOR),
            InstallClang.str() + "; and let SLUICE_CLANG, if it is set, name "
                                 "its clang++-22"};
  return {"clang", State::Ok, Version + ", " + Clang, ""};
}

static Finding findPlugin(const char *Argv0) {
  auto Folder = findLibraryFolder(Argv0);
  if (!Folder)
    return {"Sluice", State::Missing, toString(Folder.takeError()),
            "Sluice anew, by its package or wheel; in a build folder: ninja"};
  return {"Sluice", State::Ok,
          SLUICE_VERSION ", " + *Folder + "/Sluice.so, built with LLVM " +
              LLVM_VERSION_STRING,
          ""};
}

static Finding findTheToolkit(StringRef Toolkit) {
  unsigned Version = toolkitVersion(Toolkit);
  if (!Version)
    return {"toolkit", State::Missing,
            formatv("no CUDA toolkit in '{0}' (there is no include/cuda.h)",
                    Toolkit),
            InstallToolkit.str()};
  std::string Text = formatv("CUDA {0}, {1}", versionText(Version), Toolkit);
  if (Version < 12000 || Version >= 14000)
    return {"toolkit", State::Wrong, Text + "; Sluice is tested with 12 and 13",
            InstallToolkit.str()};
  return {"toolkit", State::Ok, Text, ""};
}

/// A program of the toolkit. \p Without: what it is like if there is none.
static Finding findProgram(StringRef Toolkit, StringRef Name, State Without,
                           StringRef For) {
  std::string Path = findToolkitProgram(Toolkit, Name);
  if (Path.empty())
    return {
        Name, Without,
        formatv("neither in {0}/bin nor on PATH; it is for {1}", Toolkit, For),
        InstallToolkit.str()};
  std::string Version = versionIn(outputOf({Path, "--version"}), ", V");
  if (Version.empty())
    return {Name, State::Wrong, Path + " does not say its version",
            InstallToolkit.str()};
  // PTX of a later version is refused by an older assembler.
  unsigned Cuda = toolkitVersion(Toolkit);
  if (Cuda && !StringRef(Version).starts_with(versionText(Cuda)))
    return {Name, State::Wrong,
            formatv("{0}, {1}, but the toolkit is CUDA {2}", Version, Path,
                    versionText(Cuda)),
            InstallToolkit.str()};
  return {Name, State::Ok, Version + ", " + Path, ""};
}

static Finding findLibdevice(StringRef Toolkit) {
  std::string Path = (Toolkit + "/nvvm/libdevice/libdevice.10.bc").str();
  if (sys::fs::exists(Path))
    return {"libdevice", State::Ok, Path, ""};
  return {"libdevice", State::Missing, Path + " is not there",
          InstallToolkit.str()};
}

/// The program by which clang links CUDA programs. Debian has it in a package
/// of its own.
static Finding findLinker(const std::string &Clang) {
  static constexpr StringLiteral Name = "clang-linker-wrapper";
  std::string Path =
      StringRef(outputOf({Clang, ("--print-prog-name=" + Name).str()}))
          .trim()
          .str();
  // If there is none, clang prints the name.
  if (sys::path::is_absolute(Path))
    return {"linker", State::Ok, Path, ""};
  return {
      "linker", State::Missing,
      formatv("{0} finds no {1}; it links CUDA programs by it", Clang, Name),
      "apt install clang-tools-22"};
}

/// CBC and its libraries, which few compiles need.
static Finding findSolver(const char *Argv0) {
  auto Folder = findLibraryFolder(Argv0);
  if (!Folder) {
    consumeError(Folder.takeError());
    return {"solver", State::None, "it is beside Sluice.so", ""};
  }
  std::string Path = *Folder + "/SluiceILP.so", Problem;
  if (sys::DynamicLibrary::getPermanentLibrary(Path.c_str(), &Problem)
          .isValid())
    return {"solver", State::Ok, Path, ""};
  return {"solver", State::None,
          Problem + "; some cache hints are chosen by it, and else not so well",
          "apt install coinor-libcbc3"};
}

static Finding findHostCompiler() {
  auto Path = sys::findProgramByName("g++");
  if (!Path)
    return {"g++", State::None,
            "not on PATH; sluice-nvcc compiles C++ files and links by it",
            "apt install g++"};
  return {"g++", State::Ok, *Path, ""};
}

/// The driver and a line for each GPU.
static void findGpus(unsigned ToolkitVersion, std::vector<Finding> &Findings) {
  LocalDriver Driver = askDriver();
  if (!Driver.CudaVersion) {
    Findings.push_back({"driver", State::None,
                        Driver.Problem + "; programs run on another machine, "
                                         "or by 'sluice emulate'",
                        "where there is a GPU: apt install nvidia-driver"});
    return;
  }
  std::string Text = "for CUDA " + versionText(Driver.CudaVersion);
  // Within one major version, older drivers run newer programs.
  if (ToolkitVersion / 1000 > Driver.CudaVersion / 1000)
    Findings.push_back({"driver", State::Wrong,
                        Text + ", which cannot run programs of CUDA " +
                            versionText(ToolkitVersion),
                        "apt install nvidia-driver, of a newer version"});
  else
    Findings.push_back({"driver", State::Ok, Text, ""});
  for (const LocalGpu &Gpu : Driver.Gpus)
    Findings.push_back(
        {"GPU", State::Ok, Gpu.Name + ", " + Gpu.Architecture, ""});
  if (Driver.Gpus.empty())
    Findings.push_back({"GPU", State::None, Driver.Problem, ""});
}

/// Compiles a kernel, as sluice-clang++ would.
static Finding tryCompile(StringRef Toolkit, const char *Argv0) {
  auto Failed = [](std::string Why) -> Finding {
    return {"compile", State::Missing, std::move(Why), ""};
  };
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return Failed(toString(std::move(E)));
  std::string Source = Folder.file("kernel.cu");
  std::string Object = Folder.file("kernel.o");
  std::error_code EC;
  raw_fd_ostream OS(Source, EC);
  if (EC)
    return Failed("cannot write '" + Source + "': " + EC.message());
  OS << "__global__ void twice(float *A) { A[threadIdx.x] *= sinf(2); }\n"
        "void launch(float *A) { twice<<<1, 32>>>(A); }\n";
  OS.close();
  std::string CudaPath = "--cuda-path=" + Toolkit.str();
  std::string Include = "-isystem" + Toolkit.str() + "/include/cccl";
  auto Command = clangCommand({CudaPath.c_str(), Include.c_str(), "-O3",
                               "--cuda-gpu-arch=sm_75", "-c", Source.c_str(),
                               "-o", Object.c_str()},
                              Argv0);
  if (!Command)
    return Failed(toString(Command.takeError()));
  std::string Said;
  if (runQuietly(*Command, Said) != 0) {
    StringRef Line = StringRef(Said).split('\n').first;
    return Failed(("a kernel does not compile: " + Line).str());
  }
  if (!sys::fs::exists(Object))
    return Failed("clang makes no object");
  return {"compile", State::Ok, "a kernel compiles with Sluice, for sm_75", ""};
}

/// \p Told: the remedy of what was printed before.
static void print(const Finding &F, std::string &Told) {
  StringRef Is = F.Is == State::Ok        ? "ok"
                 : F.Is == State::Wrong   ? "wrong"
                 : F.Is == State::Missing ? "missing"
                                          : "none";
  outs() << formatv("{0,-8} {1,-10} {2}\n", Is, F.Name, F.Text);
  if (F.Is == State::Ok || F.Remedy.empty())
    return;
  outs() << formatv("{0,-19} install: {1}\n", "",
                    F.Remedy == Told ? "as above" : F.Remedy);
  Told = F.Remedy;
}

int sluice::doctorMain(int argc, char **argv) {
  static Options Opts;
  cl::HideUnrelatedOptions(Opts.Category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "What Sluice needs: what is there, and how to install the rest. The "
          "exit status is 0 if a kernel compiles.\n",
          &errs()))
    return 1;
  std::string Toolkit =
      Opts.CudaPath.empty() ? findToolkit() : Opts.CudaPath.getValue();
  std::string Clang;
  std::vector<Finding> Findings = {findTheClang(Clang), findPlugin(argv[0]),
                                   findTheToolkit(Toolkit)};
  Findings.push_back(findProgram(Toolkit, "ptxas", State::Missing,
                                 "making machine code of PTX"));
  Findings.push_back(findLibdevice(Toolkit));
  Findings.push_back(findProgram(Toolkit, "nvcc", State::None,
                                 "files that clang cannot compile"));
  Findings.push_back(
      findProgram(Toolkit, "nvlink", State::None,
                  "linking device code (sluice-nvcc -rdc=true)"));
  if (!Clang.empty())
    Findings.push_back(findLinker(Clang));
  Findings.push_back(findHostCompiler());
  Findings.push_back(findSolver(argv[0]));
  findGpus(toolkitVersion(Toolkit), Findings);
  std::string Told;
  for (const Finding &F : Findings)
    print(F, Told);
  Finding Compiles = tryCompile(Toolkit, argv[0]);
  print(Compiles, Told);
  return Compiles.Is == State::Ok ? 0 : 1;
}
