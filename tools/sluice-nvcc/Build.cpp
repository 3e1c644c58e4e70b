// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Build.h"
#include "ClangOptions.h"
#include "HostTools.h"
#include "Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <cstdlib>

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

namespace {
enum class FileKind { Cuda, Host, Ptx, DeviceCode, Linked, Unknown };
} // namespace

static FileKind kindOf(const Session &S, StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  StringRef Extension = sys::path::extension(Path);
  bool IsShared = Extension == ".so" || Name.contains(".so.");
  FileKind Kind =
      StringSwitch<FileKind>(Extension)
          .Case(".cu", FileKind::Cuda)
          .Cases({".c", ".cc", ".cpp", ".cxx", ".C", ".c++"}, FileKind::Host)
          .Cases({".i", ".ii"}, FileKind::Host)
          .Case(".ptx", FileKind::Ptx)
          .Cases({".cubin", ".fatbin"}, FileKind::DeviceCode)
          .Cases({".o", ".obj", ".a", ".lib", ".lo"}, FileKind::Linked)
          .Default(IsShared ? FileKind::Linked : FileKind::Unknown);
  StringRef Language = S.Line.last(Opt::X);
  if (Language.empty() || Kind == FileKind::Linked)
    return Kind;
  return Language == "cu" ? FileKind::Cuda : FileKind::Host;
}

static int fail(const Twine &Text) {
  errs() << "sluice-nvcc: error: " << Text << "\n";
  return 1;
}

/// -o, else a name from the input's, in -odir.
static std::string outputFor(const Session &S, StringRef Input,
                             StringRef Ending) {
  StringRef Given = S.Line.last(Opt::Output);
  if (!Given.empty())
    return Given.str();
  SmallString<128> Path(S.Line.last(Opt::OutputDirectory));
  sys::path::append(Path, sys::path::stem(Input) + Ending);
  return Path.str().str();
}

/// -MD and its like, with the names that nvcc would choose.
static std::vector<std::string>
dependencyOptions(const Session &S, StringRef Input, StringRef Object) {
  bool All = S.Line.has(Opt::MD);
  if (!All && !S.Line.has(Opt::MMD))
    return {};
  SmallString<128> File(S.Line.last(Opt::MF));
  if (File.empty()) {
    StringRef Output = S.Line.last(Opt::Output);
    File = Output.empty() ? outputFor(S, Input, ".o") : Output.str();
    sys::path::replace_extension(File, ".d");
  }
  StringRef Target = S.Line.last(Opt::MT);
  std::vector<std::string> Options = {All ? "-MD" : "-MMD", "-MF",
                                      File.str().str(), "-MT",
                                      (Target.empty() ? Object : Target).str()};
  if (S.Line.has(Opt::MP))
    Options.push_back("-MP");
  return Options;
}

/// The PTX of a CUDA source for one architecture.
static int makePtx(Session &S, StringRef Input, StringRef Arch, StringRef Ptx) {
  std::vector<std::string> Clang = clangOptions(S, CudaPass::Ptx, Arch);
  for (StringRef Word : {StringRef("-S"), StringRef("-x"), StringRef("cuda"),
                         Input, StringRef("-o"), Ptx})
    Clang.push_back(Word.str());
  return clangElseNvcc(S, Clang, Input,
                       {"-ptx", "-o", Ptx.str(),
                        "-gencode=arch=compute_" + Arch.drop_front(3).str() +
                            ",code=compute_" + Arch.drop_front(3).str()});
}

/// For -keep: the code that is in the object, made once more. (With clang's
/// -save-temps the object itself would be another: Sluice has no passes then.)
static int keepDeviceCode(Session &S, StringRef Input) {
  bool IsOne = S.Archs.Machine.size() == 1;
  for (const std::string &Arch : S.Archs.Machine) {
    std::string Ptx =
        S.intermediate(Input, IsOne ? ".ptx" : "." + Arch + ".ptx");
    if (int Status = makePtx(S, Input, Arch, Ptx))
      return Status;
    std::string Cubin = S.intermediate(Input, "." + Arch + ".cubin");
    if (int Status = S.run(assemble(S, Ptx, Arch, Cubin)))
      return Status;
  }
  return 0;
}

/// What the module of linked device code is named by: the source and how it is
/// compiled.
static std::string moduleKey(const Session &S, StringRef Input) {
  SmallString<128> Path;
  sys::fs::real_path(Input, Path);
  return (Path + " " + join(clangOptions(S, CudaPass::Object), " ")).str();
}

int sluice::nvcc::compileCuda(Session &S, StringRef Input, StringRef Object) {
  std::vector<std::string> Clang = clangOptions(S, CudaPass::Object);
  std::vector<std::string> Nvcc = dependencyOptions(S, Input, Object);
  llvm::append_range(Clang, Nvcc);
  for (StringRef Word : {StringRef("-c"), StringRef("-x"), StringRef("cuda"),
                         Input, StringRef("-o"), Object})
    Clang.push_back(Word.str());
  for (StringRef Word :
       {StringRef(S.Line.Rdc ? "-dc" : "-c"), StringRef("-o"), Object})
    Nvcc.push_back(Word.str());
  auto WhyNot = [&]() -> std::string {
    if (S.dryRun() || S.Line.LibOmp || !callsLibOmp(Object))
      return "";
    return "its OpenMP needs clang's own library; with --sluice-libomp it "
           "stays with clang, and links need -lomp";
  };
  bool ByNvcc = false;
  if (int Status = clangElseNvcc(S, Clang, Input, Nvcc, WhyNot, &ByNvcc))
    return Status;
  if (ByNvcc)
    return 0;
  if (S.Line.Rdc && !S.dryRun())
    if (Error E = nameModule(Object, moduleKey(S, Input)))
      return fail(toString(std::move(E)));
  return S.Line.has(Opt::Keep) ? keepDeviceCode(S, Input) : 0;
}

static int compileHost(Session &S, StringRef Input, StringRef Object) {
  std::vector<std::string> Last = dependencyOptions(S, Input, Object);
  llvm::append_range(Last, std::vector<std::string>{"-c", "-o", Object.str()});
  return S.run(hostCompile(S, Input, Last));
}

static int compileToObject(Session &S, StringRef Input, StringRef Object) {
  return kindOf(S, Input) == FileKind::Cuda ? compileCuda(S, Input, Object)
                                            : compileHost(S, Input, Object);
}

static int makePtxOrCubin(Session &S, StringRef Input) {
  bool IsPtx = S.Line.What == Phase::Ptx;
  if (S.Archs.Machine.size() != 1)
    return fail("'" + Twine(IsPtx ? "-ptx" : "-cubin") +
                "' is for one architecture; name one with -arch, or use "
                "-fatbin");
  const std::string &Arch = S.Archs.Machine.front();
  if (IsPtx)
    return makePtx(S, Input, Arch, outputFor(S, Input, ".ptx"));
  std::string Ptx = Input.str();
  if (kindOf(S, Input) != FileKind::Ptx) {
    Ptx = S.intermediate(Input, ".ptx");
    if (int Status = makePtx(S, Input, Arch, Ptx))
      return Status;
  }
  return S.run(assemble(S, Ptx, Arch, outputFor(S, Input, ".cubin")));
}

static int makeFatbin(Session &S, StringRef Input) {
  std::string Tool = findToolkitProgram(S.Toolkit, "fatbinary");
  Command Pack = {Tool.empty() ? "fatbinary" : Tool, "-64",
                  "--create=" + outputFor(S, Input, ".fatbin")};
  if (S.Line.Rdc)
    Pack.push_back("-c");
  for (const std::string &Arch : S.Archs.Machine) {
    std::string Ptx = Input.str();
    if (kindOf(S, Input) != FileKind::Ptx) {
      Ptx = S.intermediate(Input, "." + Arch + ".ptx");
      if (int Status = makePtx(S, Input, Arch, Ptx))
        return Status;
    }
    std::string Cubin = S.intermediate(Input, "." + Arch + ".cubin");
    if (int Status = S.run(assemble(S, Ptx, Arch, Cubin)))
      return Status;
    std::string Sm = ",sm=" + Arch.substr(3) + ",file=";
    Pack.push_back("--image3=kind=elf" + Sm + Cubin);
    if (is_contained(S.Archs.Ptx, Arch))
      Pack.push_back("--image3=kind=ptx" + Sm + Ptx);
  }
  return S.run(Pack);
}

/// -E: to -o or stdout, of host code and then of the device code of each
/// architecture. A cache that compares the text sees all that a compile does.
static int preprocess(Session &S, StringRef Input) {
  StringRef Output = S.Line.last(Opt::Output);
  if (kindOf(S, Input) != FileKind::Cuda) {
    std::vector<std::string> Last = {"-E"};
    if (!Output.empty())
      llvm::append_range(Last, std::vector<std::string>{"-o", Output.str()});
    return S.run(hostCompile(S, Input, Last));
  }
  std::string All;
  std::vector<std::string> Sides = {""};
  llvm::append_range(Sides, S.Archs.Machine);
  for (const std::string &Arch : Sides) {
    std::vector<std::string> Clang =
        clangOptions(S, Arch.empty() ? CudaPass::Host : CudaPass::Text, Arch);
    std::string Text = S.intermediate(Input, Arch + ".ii");
    llvm::append_range(Clang, std::vector<std::string>{
                                  "-E", "-x", "cuda", Input.str(), "-o", Text});
    if (int Status = clangElseNvcc(S, Clang, Input, {"-E", "-o", Text}))
      return Status;
    if (auto Buffer = MemoryBuffer::getFile(Text))
      All += (*Buffer)->getBuffer();
  }
  std::error_code EC;
  raw_fd_ostream OS(Output.empty() ? "-" : Output, EC);
  if (EC)
    return fail("cannot write '" + Output + "': " + EC.message());
  OS << All;
  return 0;
}

/// -M and -MM: to -MF, -o or stdout.
static int listHeaders(Session &S, StringRef Input) {
  std::vector<std::string> Last = {S.Line.has(Opt::MM) ? "-MM" : "-M"};
  StringRef Output = S.Line.last(Opt::MF);
  if (Output.empty())
    Output = S.Line.last(Opt::Output);
  if (!Output.empty())
    llvm::append_range(Last, std::vector<std::string>{"-o", Output.str()});
  std::string Target = S.Line.last(Opt::MT).str();
  if (Target.empty()) {
    SmallString<128> Path(S.Line.last(Opt::OutputDirectory));
    sys::path::append(Path, sys::path::stem(Input) + ".o");
    Target = Path.str().str();
  }
  llvm::append_range(Last, std::vector<std::string>{"-MT", Target});
  if (S.Line.has(Opt::MP))
    Last.push_back("-MP");
  if (kindOf(S, Input) != FileKind::Cuda)
    return S.run(hostCompile(S, Input, Last));
  std::vector<std::string> Clang = clangOptions(S, CudaPass::Host);
  llvm::append_range(Clang, Last);
  llvm::append_range(Clang,
                     std::vector<std::string>{"-x", "cuda", Input.str()});
  return clangElseNvcc(S, Clang, Input, Last);
}

/// Objects of the sources among the inputs, and the other inputs, in order.
static int makeLinkedFiles(Session &S, std::vector<std::string> &Files) {
  for (const std::string &Input : S.Line.Inputs) {
    FileKind Kind = kindOf(S, Input);
    if (Kind != FileKind::Cuda && Kind != FileKind::Host) {
      Files.push_back(Input);
      continue;
    }
    Files.push_back(S.intermediate(Input, ".o"));
    if (int Status = compileToObject(S, Input, Files.back()))
      return Status;
  }
  return 0;
}

static int runProgram(const Session &S, StringRef Program) {
  std::string Path = sys::Process::GetEnv("LD_LIBRARY_PATH").value_or("");
  Path = S.Toolkit + "/lib64:" + Path;
  setenv("LD_LIBRARY_PATH", Path.c_str(), /*overwrite=*/1);
  Command C = {sys::path::has_parent_path(Program) ? Program.str()
                                                   : "./" + Program.str()};
  llvm::append_range(C, S.Line.all(Opt::RunArgs));
  return S.run(C);
}

static int link(Session &S) {
  std::vector<std::string> Files;
  if (int Status = makeLinkedFiles(S, Files))
    return Status;
  std::string Output = S.Line.last(Opt::Output).str();
  if (S.Line.What == Phase::Library)
    return S.run(archive(S, Files, Output.empty() ? "a.a" : Output));
  if (S.Line.What == Phase::DeviceLink)
    return deviceLink(S, Files, Output.empty() ? "a_dlink.o" : Output);
  if (Output.empty())
    Output = "a.out";
  std::string Registered;
  if (!S.Line.has(Opt::NoDeviceLink) && needsDeviceLink(S, Files)) {
    Registered = S.intermediate(Output, "_dlink.o");
    if (int Status = deviceLink(S, Files, Registered))
      return Status;
  }
  erase_if(Files, [&](const std::string &File) {
    FileKind Kind = kindOf(S, File);
    return Kind == FileKind::Ptx || Kind == FileKind::DeviceCode;
  });
  if (!Registered.empty())
    Files.insert(Files.begin(), Registered);
  if (int Status = S.run(hostLink(S, Files, Output)))
    return Status;
  return S.Line.has(Opt::Run) ? runProgram(S, Output) : 0;
}

static int buildInput(Session &S, StringRef Input) {
  FileKind Kind = kindOf(S, Input);
  bool IsSource = Kind == FileKind::Cuda || Kind == FileKind::Host;
  switch (S.Line.What) {
  case Phase::Compile:
    return IsSource ? compileToObject(S, Input, outputFor(S, Input, ".o")) : 0;
  case Phase::Ptx:
  case Phase::Cubin:
    return makePtxOrCubin(S, Input);
  case Phase::Fatbin:
    return makeFatbin(S, Input);
  case Phase::Preprocess:
    return preprocess(S, Input);
  default:
    return listHeaders(S, Input);
  }
}

int sluice::nvcc::build(Session &S) {
  if (S.Line.Inputs.empty())
    return fail("no input files; 'sluice-nvcc --help' lists the options");
  // `nvcc -run program` runs what is there.
  if (S.Line.Inputs.size() == 1 && S.Line.has(Opt::Run) &&
      kindOf(S, S.Line.Inputs[0]) == FileKind::Unknown)
    return runProgram(S, S.Line.Inputs[0]);
  for (const std::string &Input : S.Line.Inputs) {
    if (kindOf(S, Input) == FileKind::Unknown)
      return fail("it is not clear what to do with '" + Input +
                  "': -x cu says that it is CUDA");
    if (!S.dryRun() && !sys::fs::exists(Input))
      return fail("there is no file '" + Input + "'");
  }
  switch (S.Line.What) {
  case Phase::Link:
  case Phase::DeviceLink:
  case Phase::Library:
    return link(S);
  default:
    break;
  }
  if (S.Line.Inputs.size() > 1 && S.Line.has(Opt::Output))
    return fail("-o names one file, but there are several inputs");
  int Status = 0;
  for (const std::string &Input : S.Line.Inputs)
    if (int Failed = buildInput(S, Input))
      Status = Failed;
  return Status;
}
