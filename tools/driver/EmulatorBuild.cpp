// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's own table of options tells inputs, options and their values apart.
// From it come three kinds of command lines: the device pass and the host pass
// of each CUDA source, and the link.
//
// Both passes parse the whole source, so most of their warnings are the same.
// Neither alone will do: code under __CUDA_ARCH__ is seen by one of them only,
// and so are the remarks of the device's optimiser. So what the host pass says
// is held back, and of it only that is printed which the device pass has not
// said already.

#include "EmulatorBuild.h"
#include "Driver.h"
#include "clang/Driver/Types.h"
#include "clang/Options/Options.h"
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
#include "llvm/Option/ArgList.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <csignal>
#include <unistd.h>

using namespace sluice;
using namespace llvm;
using namespace llvm::opt;
namespace types = clang::driver::types;
namespace options = clang::options;

static constexpr StringLiteral DefaultGPU = "sm_90";

//===- Temporary files ----------------------------------------------------===//

static std::vector<std::string> &temporaryFolders() {
  static std::vector<std::string> Folders;
  return Folders;
}

/// In a signal handler. What a child still writes into a folder stays.
static void removeFoldersAndExit() {
  for (const std::string &Folder : temporaryFolders())
    if (sys::fs::remove_directories(Folder))
      continue;
  _exit(128 + SIGINT);
}

Error TemporaryFolder::create() {
  SmallString<128> Unique;
  if (auto EC = sys::fs::createUniqueDirectory("sluice-emulate", Unique))
    return createStringError(EC, "cannot make a temporary folder");
  Path = Unique.str().str();
  temporaryFolders().push_back(Path);
  sys::SetInterruptFunction(removeFoldersAndExit);
  return Error::success();
}

TemporaryFolder::~TemporaryFolder() {
  if (Path.empty())
    return;
  if (auto EC = sys::fs::remove_directories(Path))
    errs() << "warning: cannot remove '" << Path << "': " << EC.message()
           << "\n";
  llvm::erase(temporaryFolders(), Path);
}

std::string TemporaryFolder::file(const Twine &Name) const {
  SmallString<128> Result(Path);
  sys::path::append(Result, Name);
  return Result.str().str();
}

//===- Reading the command line -------------------------------------------===//

namespace {

struct Input {
  std::string Path;
  types::ID Type; ///< TY_INVALID: clang's to decide; objects, for instance.

  bool isCuda() const {
    return Type == types::TY_CUDA || Type == types::TY_PP_CUDA ||
           Type == types::TY_CUDA_DEVICE;
  }
};

/// A parsed command line, one entry of Inputs for each OPT_INPUT in order.
struct CommandLine {
  BumpPtrAllocator Storage;
  SmallVector<const char *, 64> Text;
  std::unique_ptr<InputArgList> Args;
  std::vector<Input> Inputs;
  /// The last option that asks for something else than an object or a program.
  const Arg *Special = nullptr;

  bool has(options::ID Id) const { return Args->hasArg(Id); }
};

} // namespace

/// What comes from no file still belongs to \p UserArgs.
static Error expandResponseFiles(ArrayRef<std::string> UserArgs,
                                 SmallVectorImpl<const char *> &Text,
                                 BumpPtrAllocator &Storage) {
  for (const std::string &Arg : UserArgs)
    Text.push_back(Arg.c_str());
  cl::ExpansionContext Expansion(Storage, cl::TokenizeGNUCommandLine);
  return Expansion.expandResponseFiles(Text);
}

/// Options after which there is neither an object nor a program.
static bool isSpecial(const Arg &A) {
  switch (A.getOption().getID()) {
  case options::OPT_E:
  case options::OPT_M:
  case options::OPT_MM:
  case options::OPT_S:
  case options::OPT_fsyntax_only:
  case options::OPT__analyze:
  case options::OPT_emit_ast:
  case options::OPT_emit_llvm:
  case options::OPT__precompile:
  case options::OPT__HASH_HASH_HASH:
  case options::OPT_offload_device_only:
  case options::OPT_offload_host_only:
  case options::OPT__version:
  case options::OPT_help:
  case options::OPT_dumpversion:
  case options::OPT_dumpmachine:
    return true;
  default:
    return A.getSpelling().starts_with("-print-") ||
           A.getSpelling().starts_with("--print-");
  }
}

static types::ID typeOfFile(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  if (Extension.empty())
    return types::TY_INVALID;
  types::ID Type = types::lookupTypeForExtension(Extension.drop_front());
  return Type == types::TY_Object ? types::TY_INVALID : Type;
}

static Expected<std::unique_ptr<CommandLine>>
parseCommandLine(ArrayRef<std::string> UserArgs) {
  auto Line = std::make_unique<CommandLine>();
  if (Error E = expandResponseFiles(UserArgs, Line->Text, Line->Storage))
    return E;
  unsigned MissingIndex, MissingCount;
  Line->Args =
      std::make_unique<InputArgList>(clang::getDriverOptTable().ParseArgs(
          Line->Text, MissingIndex, MissingCount,
          Visibility(options::ClangOption)));
  if (MissingCount)
    return createStringError("argument to '%s' is missing",
                             Line->Args->getArgString(MissingIndex));
  types::ID Forced = types::TY_INVALID;
  for (const Arg *A : *Line->Args) {
    if (isSpecial(*A))
      Line->Special = A;
    if (A->getOption().matches(options::OPT_x))
      Forced = types::lookupTypeForTypeSpecifier(A->getValue());
    else if (A->getOption().matches(options::OPT_INPUT))
      Line->Inputs.push_back({A->getValue(), Forced != types::TY_INVALID
                                                 ? Forced
                                                 : typeOfFile(A->getValue())});
    else if (A->getOption().matches(options::OPT__DASH_DASH))
      for (const char *Value : A->getValues())
        Line->Inputs.push_back(
            {Value, Forced != types::TY_INVALID ? Forced : typeOfFile(Value)});
  }
  return Line;
}

/// The highest of the architectures: clang makes code for each, the emulator
/// runs one. Empty if the user gives none.
static std::string chosenGPU(const InputArgList &Args) {
  std::string Chosen;
  unsigned Highest = 0;
  for (const Arg *A : Args.filtered(options::OPT_offload_arch_EQ,
                                    options::OPT_no_offload_arch_EQ)) {
    bool Taken = A->getOption().matches(options::OPT_no_offload_arch_EQ);
    for (StringRef Value : A->getValues()) {
      if (Taken && (Value == "all" || Value == Chosen)) {
        Chosen.clear();
        Highest = 0;
        continue;
      }
      StringRef Digits = Value;
      unsigned Number;
      // "native" and "all" name no GPU; clang complains of what is none.
      if (Taken || !Digits.consume_front("sm_") ||
          Digits.take_while(isDigit).getAsInteger(10, Number)) {
        if (!Taken && Value != "native" && !Value.starts_with("all") &&
            Chosen.empty())
          Chosen = Value.str();
        continue;
      }
      if (Number >= Highest) {
        Highest = Number;
        Chosen = Value.str();
      }
    }
  }
  return Chosen;
}

Expected<EmulatorRequest>
sluice::readEmulatorRequest(ArrayRef<std::string> UserArgs) {
  auto Line = parseCommandLine(UserArgs);
  if (!Line)
    return Line.takeError();
  const InputArgList &Args = *(*Line)->Args;
  EmulatorRequest Request;
  for (const Input &I : (*Line)->Inputs)
    Request.Inputs.push_back(I.Path);
  Request.GPU = chosenGPU(Args);
  Request.Output = Args.getLastArgValue(options::OPT_o).str();
  Request.HasOptLevel = Args.hasArg(options::OPT_O_Group);
  if ((*Line)->Special)
    Request.NoProgram = (*Line)->Special->getSpelling().str();
  else if (Args.hasArg(options::OPT_c))
    Request.NoProgram = "-c";
  return Request;
}

Expected<bool> sluice::takeEmulate(std::vector<std::string> &Args) {
  BumpPtrAllocator Storage;
  SmallVector<const char *, 64> Text;
  if (Error E = expandResponseFiles(Args, Text, Storage))
    return E;
  if (!is_contained(Text, StringRef("--sluice-emulate")))
    return false;
  std::vector<std::string> Expanded(Text.begin(), Text.end());
  llvm::erase(Expanded, "--sluice-emulate");
  Args = std::move(Expanded);
  return true;
}

//===- Command lines for clang --------------------------------------------===//

namespace {

enum class Pass { Device, Host, Link };

} // namespace

/// Is the option (an input, -o and the like are not asked about) part of the
/// command line of \p P? Unused ones do no harm, see -Qunused-arguments.
static bool belongsTo(const Arg &A, Pass P) {
  const Option &O = A.getOption();
  switch (O.getID()) {
  case options::OPT_INPUT:
  case options::OPT__DASH_DASH:
  case options::OPT_x:
  case options::OPT_o:
  case options::OPT_c:
  case options::OPT_offload_arch_EQ:
  case options::OPT_no_offload_arch_EQ:
  case options::OPT_offload_host_device:
  case options::OPT_offload_new_driver:
  case options::OPT_no_offload_new_driver:
  case options::OPT_cuid_EQ:
  case options::OPT_fuse_cuid_EQ:
    return false;
  // The host pass writes the list of dependencies: its object is the output.
  case options::OPT_MD:
  case options::OPT_MMD:
  case options::OPT_MF:
  case options::OPT_MT:
  case options::OPT_MQ:
  case options::OPT_MP:
  case options::OPT_MG:
  case options::OPT_MV:
  case options::OPT_MJ:
  // The device's bitcode is wanted as it is.
  case options::OPT_flto:
  case options::OPT_flto_EQ:
  case options::OPT_foffload_lto:
  case options::OPT_foffload_lto_EQ:
  case options::OPT_ftime_trace:
  case options::OPT_ftime_trace_EQ:
    return P != Pass::Device;
  case options::OPT_fgpu_rdc:
  case options::OPT_fno_gpu_rdc:
    return P != Pass::Link;
  default:
    return true;
  }
}

/// -lNAME, -l:libNAME.so and DIR/libNAME.so.1 all name the library NAME.
static StringRef libraryName(StringRef Text) {
  StringRef File = sys::path::filename(Text);
  if (!File.consume_front("lib"))
    return "";
  for (StringRef Ending : {".so", ".a"})
    if (size_t At = File.find(Ending); At != StringRef::npos) {
      StringRef Rest = File.drop_front(At + Ending.size());
      if (Rest.empty() || Rest.starts_with("."))
        return File.take_front(At);
    }
  return "";
}

static bool isRuntimeLibrary(StringRef Name) {
  return Name == "cudart" || Name == "cudart_static" || Name == "cudadevrt" ||
         Name == "culibos";
}

/// The toolkit's libraries of which the emulator has none. A prefix and what
/// its variants add ("cublasLt_static", "nppif").
static bool isMissingLibrary(StringRef Name) {
  Name.consume_back("_static");
  if (StringSwitch<bool>(Name)
          .Cases({"cuda", "nvidia-ml", "cupti", "nvJitLink", "nccl"}, true)
          .Cases({"nvjpeg", "cutensor", "nvrtc-builtins", "nvptxcompiler"},
                 true)
          .Default(false))
    return true;
  for (StringRef Prefix :
       {"cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc", "cudnn"})
    if (Name.starts_with(Prefix))
      return true;
  static const Regex NPP("^npp(c|i[a-z]*|s)?$");
  return NPP.match(Name);
}

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
  Command passCommand(Pass P, const Input &I, StringRef Output) const;
  Error wrapImage(StringRef Bitcode, StringRef Image) const;
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

Builder::Command Builder::passCommand(Pass P, const Input &I,
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
  if (P == Pass::Device) {
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

Expected<int> Builder::runClang(const Command &UserArgs) const {
  std::vector<const char *> Text;
  for (const std::string &Arg : UserArgs)
    Text.push_back(Arg.c_str());
  auto Clang = clangCommand(Text, Argv0);
  if (!Clang)
    return Clang.takeError();
  return Clang->empty() ? 0 : runCommand(*Clang);
}

Expected<int> Builder::runClang(const Command &UserArgs,
                                std::string &Said) const {
  std::vector<const char *> Text;
  for (const std::string &Arg : UserArgs)
    Text.push_back(Arg.c_str());
  auto Clang = clangCommand(Text, Argv0);
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

//===- Diagnostics of two passes ------------------------------------------===//

static std::string withoutColours(StringRef Text) {
  static const Regex Colour("\x1b\\[[0-9;]*[mK]");
  std::string Result;
  SmallVector<StringRef, 1> Match;
  while (Colour.match(Text, &Match)) {
    Result += Text.take_front(Match[0].data() - Text.data());
    Text = Text.drop_front(Match[0].end() - Text.data());
  }
  return Result + Text.str();
}

/// Splits what clang says into diagnostics with their notes and source lines.
/// "2 warnings generated when compiling for host." is left out: the number
/// would not be that of what is printed.
static std::vector<std::string> splitDiagnostics(StringRef Said) {
  static const Regex Count("^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? "
                           "generated");
  static const Regex Start(": (warning|error|fatal error|remark): ");
  std::vector<std::string> Result;
  bool InPath = false; // The lines "In file included from" begin the next one.
  while (!Said.empty()) {
    size_t End = std::min(Said.find('\n'), Said.size() - 1) + 1;
    StringRef Text = Said.take_front(End);
    Said = Said.drop_front(End);
    std::string Plain = withoutColours(Text);
    if (Count.match(Plain))
      continue;
    bool IsPath = StringRef(Plain).starts_with("In file included from") ||
                  (InPath && StringRef(Plain).starts_with("         "));
    bool Begins = (IsPath || Start.match(Plain)) && !InPath;
    if (Begins || Result.empty())
      Result.emplace_back();
    InPath = IsPath;
    Result.back() += Text;
  }
  return Result;
}

//===- Building -----------------------------------------------------------===//

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
  auto Status = runClang(passCommand(Pass::Device, I, Bitcode), DeviceSaid);
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

  Command Host = passCommand(Pass::Host, I, Object);
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
    if (belongsTo(*A, Pass::Link))
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
    if (!belongsTo(*A, Pass::Link))
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
