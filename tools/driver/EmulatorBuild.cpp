// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are three kinds of command lines: the device pass and the host pass of
// each CUDA source, and the link.
//
// Both passes parse the whole source, so most of their warnings are the same.
// Neither alone will do: code under __CUDA_ARCH__ is seen by one of them only,
// and so are the remarks of the device's optimiser. So what the host pass says
// is held back, and of it only that is printed which the device pass has not
// said already.

#include "EmulatorBuild.h"
#include "ClangDiagnostics.h"
#include "CudaLibraries.h"
#include "Driver.h"
#include "EmulatorCommandLine.h"
#include "TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace sluice;
using namespace llvm;
using namespace llvm::opt;
namespace types = clang::driver::types;
namespace options = clang::options;

static constexpr StringLiteral DefaultGPU = "sm_90";

namespace {

class Builder {
public:
  Builder(CommandLine &Line, const char *Argv0, StringRef Tool)
      : Line(Line), Argv0(Argv0), Tool(Tool) {}

  /// The exit status.
  Expected<int> run();

private:
  using Command = std::vector<std::string>;

  Error check();
  Expected<int> compile(const Input &I, StringRef Object, unsigned Number);
  Expected<int> compileOthers();
  Expected<int> link(ArrayRef<std::string> Objects);
  Command passCommand(ClangPass P, const Input &I, StringRef Output) const;
  Error wrapImage(StringRef Bitcode, StringRef Image) const;
  Expected<Command> clangFor(const Command &UserArgs) const;
  Expected<int> runClang(const Command &UserArgs) const;
  /// Also gives what was said on stderr.
  Expected<int> runClang(const Command &UserArgs, std::string &Said) const;
  Expected<std::string> library(StringRef Name) const;
  std::string dependencyFile() const;
  StringRef contraction() const;
  bool isRelocatable() const {
    return Line.Args->hasFlag(options::OPT_fgpu_rdc, options::OPT_fno_gpu_rdc,
                              false);
  }
  std::string output() const {
    return Line.Args->getLastArgValue(options::OPT_o).str();
  }

  CommandLine &Line;
  const char *Argv0;
  StringRef Tool;
  TemporaryFolder Folder;
};

} // namespace

//===- Command lines for clang --------------------------------------------===//

/// What the device pass is told about fused multiply-add is what NVPTX would
/// do: the emulator contracts accordingly.
StringRef Builder::contraction() const {
  StringRef Result = "fast"; // clang's default for CUDA
  for (const Arg *A : *Line.Args) {
    std::string Text = A->getOption().matches(options::OPT_Xarch_device)
                           ? A->getValue()
                           : A->getAsString(*Line.Args);
    Result =
        StringSwitch<StringRef>(Text)
            .Cases({"-ffp-contract=on", "-ffp-model=precise"}, "on")
            .Cases({"-ffp-contract=off", "-ffp-model=strict"}, "off")
            .Cases({"-ffp-contract=fast", "-ffp-contract=fast-honor-pragmas"},
                   "fast")
            .Cases({"-ffp-model=fast", "-ffp-model=aggressive", "-ffast-math"},
                   "fast")
            .Default(Result);
  }
  return Result;
}

Builder::Command Builder::passCommand(ClangPass P, const Input &I,
                                      StringRef Output) const {
  Command Result;
  ArgStringList Kept;
  for (const Arg *A : *Line.Args)
    if (belongsTo(*A, P))
      A->render(*Line.Args, Kept);
  Result.assign(Kept.begin(), Kept.end());

  std::string GPU = chosenGPU(*Line.Args);
  Result.push_back("--cuda-gpu-arch=" + (GPU.empty() ? DefaultGPU.str() : GPU));
  // Names of what is static in the source are made from this: the same in both.
  SmallString<128> Path(I.Path);
  if (sys::fs::make_absolute(Path))
    Path = I.Path; // still a name for it
  std::string Identity = Path.str().str();
  for (const char *Text : Line.Text)
    Identity += '\0', Identity += Text;
  Result.push_back("-cuid=" + utohexstr(xxh3_64bits(Identity), true));
  // Each pass uses a part of the options.
  Result.push_back("-Qunused-arguments");
  if (sys::Process::StandardErrHasColors() &&
      !Line.has(options::OPT_fno_color_diagnostics) &&
      !Line.has(options::OPT_fdiagnostics_color_EQ))
    Result.push_back("-fcolor-diagnostics");
  if (P == ClangPass::Device) {
    Result.insert(Result.end(), {"--cuda-device-only", "-emit-llvm"});
    Result.push_back("-gline-tables-only");
  } else {
    Result.push_back("--cuda-host-only");
    // The line of a launch or an allocation; -g has it already.
    if (!Line.has(options::OPT_g_Group))
      Result.push_back("-gline-tables-only");
  }
  Result.insert(Result.end(), {"-c", "-o", Output.str(), "-x"});
  Result.push_back(types::getTypeName(I.Type));
  Result.push_back(StringRef(I.Path).starts_with("-") ? "./" + I.Path : I.Path);
  return Result;
}

//===- Running it ---------------------------------------------------------===//

Expected<Builder::Command> Builder::clangFor(const Command &UserArgs) const {
  std::vector<const char *> Text;
  for (const std::string &Arg : UserArgs)
    Text.push_back(Arg.c_str());
  return clangCommand(Text, Argv0);
}

Expected<int> Builder::runClang(const Command &UserArgs) const {
  auto Clang = clangFor(UserArgs);
  if (!Clang)
    return Clang.takeError();
  return Clang->empty() ? 0 : runCommand(*Clang);
}

Expected<int> Builder::runClang(const Command &UserArgs,
                                std::string &Said) const {
  auto Clang = clangFor(UserArgs);
  if (!Clang)
    return Clang.takeError();
  std::string File = Folder.file("stderr");
  FileRemover Remove(File); // the next one would be written over it
  std::optional<StringRef> Redirects[] = {std::nullopt, std::nullopt,
                                          StringRef(File)};
  SmallVector<StringRef, 64> Args(Clang->begin(), Clang->end());
  std::string Problem;
  int Status = sys::ExecuteAndWait(Clang->front(), Args, std::nullopt,
                                   Redirects, 0, 0, &Problem);
  if (auto Buffer = MemoryBuffer::getFile(File))
    Said = (*Buffer)->getBuffer().str();
  if (!Problem.empty())
    Said += (Tool + ": error: " + Clang->front() + ": " + Problem + "\n").str();
  return Status < 0 ? 1 : Status;
}

//===- Building -----------------------------------------------------------===//

/// clang 22, with -fgpu-rdc, gives a static variable that the host names too a
/// name of its own, but a kernel that comes before that use goes on with the
/// old one, which nothing defines: the same program does not link for a GPU.
static void joinStaticVariables(Module &M) {
  for (GlobalVariable &Old : make_early_inc_range(M.globals())) {
    if (!Old.isDeclaration() || Old.use_empty())
      continue;
    for (GlobalVariable &New : M.globals())
      if (!New.isDeclaration() && New.getType() == Old.getType() &&
          New.getName().starts_with((Old.getName() + "__static__").str())) {
        Old.replaceAllUsesWith(&New);
        Old.eraseFromParent();
        break;
      }
  }
}

Error Builder::wrapImage(StringRef Bitcode, StringRef Image) const {
  auto Buffer = MemoryBuffer::getFile(Bitcode, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createFileError(Bitcode, Buffer.getError());
  LLVMContext Context;
  auto M = parseBitcodeFile(**Buffer, Context);
  if (!M)
    return M.takeError();
  object::OffloadBinary::OffloadingImage Offload;
  Offload.TheImageKind = object::IMG_Bitcode;
  Offload.TheOffloadKind = object::OFK_Cuda;
  std::string Triple = (*M)->getTargetTriple().str();
  std::string GPU = chosenGPU(*Line.Args);
  Offload.StringData["triple"] = Triple;
  Offload.StringData["arch"] =
      GPU.empty() ? StringRef(DefaultGPU) : StringRef(GPU);
  Offload.StringData["fp-contract"] = contraction();
  if (isRelocatable()) {
    joinStaticVariables(**M);
    SmallVector<char, 0> Text;
    BitcodeWriter Writer(Text);
    Writer.writeModule(**M);
    Writer.writeStrtab();
    Offload.Image =
        MemoryBuffer::getMemBufferCopy(StringRef(Text.data(), Text.size()));
  } else {
    Offload.Image = std::move(*Buffer);
  }
  std::error_code EC;
  raw_fd_ostream OS(Image, EC);
  if (EC)
    return createFileError(Image, EC);
  OS << object::OffloadBinary::write(Offload);
  OS.close();
  return OS.has_error() ? createFileError(Image, OS.error()) : Error::success();
}

Expected<std::string> Builder::library(StringRef Name) const {
  auto Lib = findLibraryFolder(Argv0);
  if (!Lib)
    return Lib.takeError();
  SmallString<128> Path(*Lib);
  sys::path::append(Path, Name);
  if (sys::fs::exists(Path))
    return Path.str().str();
  return createStringError("no " + Name + " in " + *Lib +
                           "; build the target SluiceCudart");
}

Error Builder::check() {
  for (const Input &I : Line.Inputs)
    if (I.Path == "-")
      return createStringError(
          "a source from standard input cannot be compiled for the emulator, "
          "which reads it twice; put it in a file");
  bool Compiles = Line.has(options::OPT_c);
  if (Compiles && Line.Inputs.size() > 1 && Line.has(options::OPT_o))
    return createStringError(
        "cannot specify -o when generating multiple output files");
  if (Compiles)
    return Error::success();

  for (const Arg *A : *Line.Args) {
    std::vector<StringRef> Names;
    if (A->getOption().matches(options::OPT_l)) {
      StringRef Value = A->getValue();
      Names.push_back(Value.consume_front(":") ? libraryName(Value) : Value);
    } else if (A->getOption().matches(options::OPT_INPUT)) {
      Names.push_back(libraryName(A->getValue()));
    } else if (A->getOption().matches(options::OPT_Wl_COMMA) ||
               A->getOption().matches(options::OPT_Xlinker)) {
      for (StringRef Value : A->getValues())
        Names.push_back(Value.consume_front("-l") ? Value : libraryName(Value));
    }
    for (StringRef Name : Names)
      if (isMissingLibrary(Name))
        return createStringError(
            "'" + A->getAsString(*Line.Args) +
            "': the emulator has no library '" + Name +
            "'; it has the CUDA runtime only" +
            (Name == "cuda" ? " (not the driver API)" : ""));
  }
  if (Line.has(options::OPT_static) || Line.has(options::OPT_static_pie))
    return createStringError("a program that is linked statically cannot use "
                             "the emulator, which is a shared library");
  return Error::success();
}

Expected<int> Builder::compile(const Input &I, StringRef Object,
                               unsigned Number) {
  std::string Bitcode = Folder.file("device-" + Twine(Number) + ".bc");
  std::string Image = Folder.file("device-" + Twine(Number) + ".image");
  std::string DeviceSaid;
  auto Status =
      runClang(passCommand(ClangPass::Device, I, Bitcode), DeviceSaid);
  if (!Status)
    return Status.takeError();
  std::vector<std::string> Diagnostics = splitDiagnostics(DeviceSaid);
  StringSet<> Printed;
  for (const std::string &Diagnostic : Diagnostics) {
    errs() << Diagnostic;
    Printed.insert(withoutColours(Diagnostic));
  }
  if (*Status != 0)
    return Status;
  if (Error E = wrapImage(Bitcode, Image))
    return E;

  Command Host = passCommand(ClangPass::Host, I, Object);
  std::vector<std::string> More;
  if (isRelocatable()) {
    auto Header = library("sluice/EmbedImage.h");
    if (!Header)
      return Header.takeError();
    More = {"--offload-new-driver", "-DSLUICE_IMAGE_FILE=\"" + Image + "\"",
            "-include", *Header};
  } else {
    More = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", Image};
  }
  // Where the dependencies go, and what depends, when there is no -c.
  if (!Line.has(options::OPT_c) &&
      (Line.has(options::OPT_MD) || Line.has(options::OPT_MMD))) {
    std::string Target = output();
    if (Target.empty())
      Target = (sys::path::stem(I.Path) + ".o").str();
    if (!Line.has(options::OPT_MF)) {
      SmallString<128> File(Target);
      sys::path::replace_extension(File, "d");
      More.insert(More.end(), {"-MF", File.str().str()});
    }
    if (!Line.has(options::OPT_MT) && !Line.has(options::OPT_MQ))
      More.insert(More.end(), {"-MT", Target});
  }
  Host.insert(Host.begin(), More.begin(), More.end());
  std::string HostSaid;
  Status = runClang(Host, HostSaid);
  if (!Status)
    return Status.takeError();
  for (const std::string &Diagnostic : splitDiagnostics(HostSaid))
    if (!Printed.contains(withoutColours(Diagnostic)))
      errs() << Diagnostic;
  return Status;
}

/// -c of what is not CUDA, in one command.
Expected<int> Builder::compileOthers() {
  ArgStringList Kept;
  for (const Arg *A : *Line.Args)
    if (belongsTo(*A, ClangPass::Link))
      A->render(*Line.Args, Kept);
  Command Result(Kept.begin(), Kept.end());
  Result.insert(Result.end(), {"-Qunused-arguments", "-c"});
  bool Any = false;
  for (const Input &I : Line.Inputs) {
    if (I.isCuda())
      continue;
    Any = true;
    Result.push_back("-x");
    Result.push_back(I.Type == types::TY_INVALID ? "none"
                                                 : types::getTypeName(I.Type));
    Result.push_back(I.Path);
  }
  return Any ? runClang(Result) : 0;
}

/// Whether a library of the user's, whose symbols the linker is to look for, may
/// be among a link's arguments.
static bool linksOthers(ArrayRef<std::string> Args, StringRef Runtime) {
  return any_of(Args, [&](StringRef A) {
    return A != Runtime && (A.starts_with("-l") || A.contains(",-l") ||
                            A.starts_with("-Xlinker") || A.contains(".so"));
  });
}

Expected<int> Builder::link(ArrayRef<std::string> Objects) {
  Command Result;
  size_t NextInput = 0;
  size_t NextObject = 0;
  bool IsNone = true;
  auto AddInput = [&](const Input &I) {
    if (isRuntimeLibrary(libraryName(I.Path)))
      return;
    bool WantsNone = I.isCuda() || I.Type == types::TY_INVALID;
    if (!WantsNone)
      Result.insert(Result.end(), {"-x", types::getTypeName(I.Type)});
    else if (!IsNone)
      Result.insert(Result.end(), {"-x", "none"});
    IsNone = WantsNone;
    StringRef Path = I.isCuda() ? Objects[NextObject++] : StringRef(I.Path);
    Result.push_back((Path.starts_with("-") ? "./" + Path : Path).str());
  };
  for (const Arg *A : *Line.Args) {
    const Option &O = A->getOption();
    if (O.matches(options::OPT_INPUT))
      AddInput(Line.Inputs[NextInput++]);
    else if (O.matches(options::OPT__DASH_DASH))
      for (size_t N = A->getNumValues(); N; --N)
        AddInput(Line.Inputs[NextInput++]);
    if (!belongsTo(*A, ClangPass::Link))
      continue;
    ArgStringList Text;
    A->render(*Line.Args, Text);
    if (O.matches(options::OPT_l)) {
      StringRef Value = A->getValue();
      if (isRuntimeLibrary(Value.consume_front(":") ? libraryName(Value)
                                                    : Value))
        continue;
    }
    if (O.matches(options::OPT_Wl_COMMA) || O.matches(options::OPT_Xlinker)) {
      std::vector<StringRef> Others;
      for (StringRef Value : A->getValues()) {
        StringRef Name = Value;
        if (!isRuntimeLibrary(Name.consume_front("-l") ? Name
                                                       : libraryName(Name)))
          Others.push_back(Value);
      }
      if (Others.size() < A->getNumValues()) {
        for (StringRef Value : Others)
          Result.insert(Result.end(), {"-Xlinker", Value.str()});
        continue;
      }
    }
    Result.insert(Result.end(), Text.begin(), Text.end());
  }
  if (!IsNone)
    Result.insert(Result.end(), {"-x", "none"});
  Result.push_back("-Qunused-arguments");
  if (std::string Program = output(); !Program.empty())
    Result.insert(Result.end(), {"-o", Program});
  // lld would take the sections of -fgpu-rdc for unused ones: only the bounds
  // of llvm_offload_entries are named.
  if (any_of(Result, [](StringRef A) { return A.contains("gc-sections"); }))
    Result.push_back("-Wl,-z,nostart-stop-gc");
  // Objects joined to an object are linked to the runtime later.
  if (!Line.has(options::OPT_r)) {
    auto Runtime = library("libSluiceCudart.so");
    if (!Runtime)
      return Runtime.takeError();
    auto Start = library("libSluiceLinkedStart.a");
    if (!Start)
      return Start.takeError();
    Result.push_back("-Wl,--push-state,--whole-archive");
    Result.push_back(*Start);
    Result.push_back("-Wl,--pop-state");
    Result.push_back(*Runtime);
    Result.push_back("-Wl,-rpath," + sys::path::parent_path(*Runtime).str());
    // GNU ld would read all of libLLVM, half a second, to see whether the
    // runtime's symbols are there.
    if (!linksOthers(Result, *Runtime))
      Result.push_back("-Wl,--allow-shlib-undefined");
  }
  return runClang(Result);
}

Expected<int> Builder::run() {
  bool Compiles = Line.has(options::OPT_c);
  bool HasCuda = any_of(Line.Inputs, [](const Input &I) { return I.isCuda(); });
  if (Line.Special || Line.Inputs.empty() || (Compiles && !HasCuda))
    return runClang(Command(Line.Text.begin(), Line.Text.end()));
  if (Error E = check())
    return E;
  if (Error E = Folder.create())
    return E;

  std::vector<std::string> Objects;
  for (const auto &[Number, I] : enumerate(Line.Inputs)) {
    if (!I.isCuda())
      continue;
    std::string Object = Folder.file("host-" + Twine(Number) + ".o");
    if (Compiles)
      Object =
          !output().empty() ? output() : (sys::path::stem(I.Path) + ".o").str();
    auto Status = compile(I, Object, Number);
    if (!Status || *Status != 0)
      return Status;
    Objects.push_back(Object);
  }
  return Compiles ? compileOthers() : link(Objects);
}

int sluice::emulatorBuild(ArrayRef<std::string> UserArgs, const char *Argv0,
                          StringRef Tool) {
  auto Report = [&](Error E) {
    errs() << Tool << ": error: " << toString(std::move(E)) << "\n";
    return 1;
  };
  auto Line = parseCommandLine(UserArgs);
  if (!Line)
    return Report(Line.takeError());
  auto Status = Builder(**Line, Argv0, Tool).run();
  return Status ? *Status : Report(Status.takeError());
}
