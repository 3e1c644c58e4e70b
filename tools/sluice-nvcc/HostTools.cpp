// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostTools.h"
#include "Driver.h"
#include "Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

static void append(Command &C, const std::vector<std::string> &Words) {
  C.insert(C.end(), Words.begin(), Words.end());
}

std::vector<std::string> sluice::nvcc::sourceOptions(const Session &S) {
  std::vector<std::string> Options;
  for (const Occurrence &O : S.Line.Options) {
    StringRef Spelling;
    switch (O.Row->Id) {
    case Opt::Define:
      Spelling = "-D";
      break;
    case Opt::Undefine:
      Spelling = "-U";
      break;
    case Opt::IncludePath:
      Spelling = "-I";
      break;
    case Opt::SystemInclude:
      for (const std::string &Folder : O.Values)
        append(Options, {"-isystem", Folder});
      continue;
    case Opt::PreInclude:
      for (const std::string &File : O.Values)
        append(Options, {"-include", File});
      continue;
    case Opt::NoDeprecated:
      Options.push_back("-Wno-deprecated-declarations");
      continue;
    case Opt::WReorder:
      Options.push_back("-Wreorder");
      continue;
    case Opt::NoWarnings:
      Options.push_back("-w");
      continue;
    default:
      continue;
    }
    for (const std::string &Value : O.Values)
      Options.push_back((Spelling + Value).str());
  }
  return Options;
}

/// "750,800" of sm_75 and sm_80: what nvcc defines __CUDA_ARCH_LIST__ as.
static std::string architectureList(const Session &S) {
  std::vector<std::string> Numbers;
  for (StringRef Name : S.Archs.Machine)
    Numbers.push_back(Name.drop_front(3).rtrim('a').str() + "0");
  return join(Numbers, ",");
}

Command sluice::nvcc::hostCompile(const Session &S, StringRef Input,
                                  std::vector<std::string> Last) {
  StringRef Language = S.Line.last(Opt::X);
  bool IsC = Language == "c" ||
             (Language.empty() && sys::path::extension(Input) == ".c");
  bool IsPreprocessed = StringSwitch<bool>(sys::path::extension(Input))
                            .Cases({".i", ".ii"}, true)
                            .Default(false);
  Command C = {S.HostCompiler, "-m64"};
  if (!IsPreprocessed)
    append(C, {"-x", IsC ? "c" : "c++"});
  append(C, {"-D__NVCC__", "-D__CUDA_ARCH_LIST__=" + architectureList(S)});
  if (StringRef Std = S.Line.last(Opt::Std); !Std.empty() && !IsC)
    C.push_back("-std=" + Std.str());
  if (StringRef Level = S.Line.last(Opt::Optimize); !Level.empty())
    C.push_back("-O" + Level.str());
  if (S.Line.has(Opt::Debug))
    C.push_back("-g");
  if (S.Line.has(Opt::Profile))
    C.push_back("-pg");
  if (S.Line.has(Opt::NoExceptions))
    C.push_back("-fno-exceptions");
  append(C, S.Line.all(Opt::XCompiler));
  append(C, S.Line.ToCompiler);
  append(C, sourceOptions(S));
  append(C, {"-I" + S.Toolkit + "/include"});
  if (sys::fs::exists(S.Toolkit + "/include/cccl"))
    append(C, {"-isystem", S.Toolkit + "/include/cccl"});
  append(C, Last);
  C.push_back(Input.str());
  return C;
}

/// In an object or an archive: the names of symbols and sections are plain.
static bool hasName(StringRef File, StringRef Name) {
  auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  return Buffer && (*Buffer)->getBuffer().contains(Name);
}

static bool namesLibOmp(StringRef File) { return hasName(File, "__kmpc_"); }

bool sluice::nvcc::callsLibOmp(StringRef File) {
  auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return false;
  auto Object = object::ObjectFile::createObjectFile(**Buffer);
  if (!Object) { // an archive, or none of ours
    consumeError(Object.takeError());
    return false;
  }
  return any_of((*Object)->symbols(), [](const object::SymbolRef &Symbol) {
    auto Name = Symbol.getName();
    auto Flags = Symbol.getFlags();
    if (!Name || !Flags) {
      consumeError(Name.takeError());
      consumeError(Flags.takeError());
      return false;
    }
    return (*Flags & object::SymbolRef::SF_Undefined) &&
           Name->starts_with("__kmpc_");
  });
}

bool sluice::nvcc::hasRelocatableCode(StringRef File) {
  return hasName(File, "__nv_relfatbin");
}

bool sluice::nvcc::needsDeviceLink(const Session &S,
                                   ArrayRef<std::string> LinkedFiles) {
  if (S.Line.Rdc || any_of(LinkedFiles, hasRelocatableCode))
    return true;
  std::vector<std::string> Folders = S.Line.all(Opt::LibraryPath);
  for (const std::string &Name : S.Line.all(Opt::Library))
    for (const std::string &Folder : Folders)
      if (hasRelocatableCode(Folder + "/lib" + Name + ".a"))
        return true;
  return false;
}

Error sluice::nvcc::nameModule(StringRef Object, StringRef Key) {
  auto File = MemoryBuffer::getFile(Object, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return createFileError(Object, File.getError());
  std::string Bytes = (*File)->getBuffer().str();
  // In three names, which hold it as it is: of the image, of the function that
  // registers it, and of the module in the section __nv_module_id.
  static constexpr StringLiteral Image = "__fatbinwrap__nv_";
  size_t At = Bytes.find(Image);
  if (At == std::string::npos)
    return Error::success();
  std::string Old = StringRef(Bytes)
                        .drop_front(At + Image.size())
                        .take_while(isHexDigit)
                        .str();
  std::string New =
      toHex(MD5::hash(arrayRefFromStringRef(Key)), /*LowerCase=*/true)
          .substr(0, Old.size());
  for (At = 0; (At = Bytes.find("__nv_" + Old, At)) != std::string::npos;
       At += Old.size())
    Bytes.replace(At + strlen("__nv_"), Old.size(), New);
  return writeToOutput(Object, [&](raw_ostream &OS) -> Error {
    OS << Bytes;
    return Error::success();
  });
}

/// What nvlink is told: "-L", "-l", and its own options.
static void appendLibraries(const Session &S, Command &C) {
  for (const std::string &Folder : S.Line.all(Opt::LibraryPath))
    C.push_back("-L" + Folder);
  for (const std::string &Name : S.Line.all(Opt::Library))
    C.push_back("-l" + Name);
  append(C, S.libraryFolders());
}

static bool linksCudadevrt(const Session &S) {
  return S.Line.last(Opt::Cudadevrt) != "none";
}

int sluice::nvcc::deviceLink(Session &S, ArrayRef<std::string> LinkedFiles,
                             StringRef Output) {
  auto Tool = [&](StringRef Name) {
    std::string Found = findToolkitProgram(S.Toolkit, Name);
    return Found.empty() ? Name.str() : Found;
  };
  std::string Stub = S.Toolkit + "/bin/crt/link.stub";
  if (!sys::fs::exists(Stub)) {
    errs() << "sluice-nvcc: error: there is no '" << Stub
           << "', which linking device code needs; set CUDA_PATH to a whole "
              "toolkit (`nvcc --dryrun -x cu /dev/null` prints its own as "
              "TOP)\n";
    return 1;
  }
  std::string Registration = S.intermediate(Output, "_dlink.reg.c");
  std::string Fatbin = S.intermediate(Output, "_dlink.fatbin.c");
  Command Pack = {Tool("fatbinary"), "-64", "-link"};
  for (const std::string &Arch : S.Archs.Machine) {
    std::string Cubin = S.intermediate(Output, "_dlink." + Arch + ".cubin");
    Command Link = {Tool("nvlink"), "-m64", "--arch=" + Arch,
                    "--register-link-binaries=" + Registration};
    if (S.Line.has(Opt::Shared))
      Link.push_back("--shared");
    if (S.Line.has(Opt::DeviceDebug))
      Link.push_back("-g");
    if (S.Line.has(Opt::ResourceUsage))
      Link.push_back("-v");
    if (StringRef Most = S.Line.last(Opt::MaxRegisters); !Most.empty())
      Link.push_back("-maxrregcount=" + Most.str());
    append(Link, S.Line.all(Opt::XNvlink));
    appendLibraries(S, Link);
    Link.push_back("-cpu-arch=X86_64");
    append(Link, LinkedFiles);
    if (linksCudadevrt(S))
      Link.push_back("-lcudadevrt");
    append(Link, {"-o", Cubin, "--host-ccbin", S.HostCompiler});
    if (int Status = S.run(Link))
      return Status;
    Pack.push_back("--image3=kind=elf,sm=" + Arch.substr(3) + ",file=" + Cubin);
  }
  Pack.push_back("--embedded-fatbin=" + Fatbin);
  if (int Status = S.run(Pack))
    return Status;
  Command Register = {S.HostCompiler, "-m64", "-c", "-x", "c++"};
  append(Register, S.Line.all(Opt::XCompiler));
  append(Register, S.Line.ToCompiler);
  if (S.Line.has(Opt::Shared))
    Register.push_back("-fPIC");
  append(Register,
         {"-DFATBINFILE=\"" + Fatbin + "\"",
          "-DREGISTERLINKBINARYFILE=\"" + Registration + "\"", "-I.",
          "-D__NV_EXTRA_INITIALIZATION=", "-D__NV_EXTRA_FINALIZATION=",
          "-D__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__",
          "-I" + S.Toolkit + "/include", Stub, "-o",
          Output.str()});
  return S.run(Register);
}

/// clang's OpenMP, from where clang finds it. It also serves what a gcc made.
static std::vector<std::string> libOmp() {
  auto Clang = findClang();
  if (!Clang) {
    consumeError(Clang.takeError());
    return {"-lomp"};
  }
  std::string File = outputOf({*Clang, "-print-file-name=libomp.so"});
  StringRef Folder = sys::path::parent_path(StringRef(File).trim());
  if (Folder.empty())
    return {"-lomp"};
  return {"-L" + Folder.str(), "-Wl,-rpath," + Folder.str(), "-lomp"};
}

Command sluice::nvcc::hostLink(const Session &S,
                               ArrayRef<std::string> LinkedFiles,
                               StringRef Output) {
  Command C = {S.HostCompiler, "-m64"};
  append(C, S.Line.all(Opt::XCompiler));
  append(C, S.Line.ToLinker);
  if (S.Line.has(Opt::Profile))
    C.push_back("-pg");
  C.push_back("-Wl,--start-group");
  append(C, LinkedFiles);
  if (S.Line.has(Opt::Shared))
    C.push_back("-shared");
  if (S.Line.has(Opt::RelocatableLink))
    C.push_back("-r");
  for (const std::string &Word : S.Line.all(Opt::XLinker))
    append(C, {"-Xlinker", Word});
  appendLibraries(S, C);
  if (S.Line.LibOmp && any_of(LinkedFiles, namesLibOmp))
    append(C, libOmp());
  StringRef Runtime = S.Line.last(Opt::Cudart);
  if (!S.Line.has(Opt::RelocatableLink)) {
    if (linksCudadevrt(S))
      C.push_back("-lcudadevrt");
    if (Runtime == "shared")
      C.push_back("-lcudart");
    else if (Runtime != "none")
      append(C, {"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
  }
  append(C, {"-Wl,--end-group", "-o", Output.str()});
  return C;
}

Command sluice::nvcc::archive(const Session &S, ArrayRef<std::string> Objects,
                              StringRef Output) {
  StringRef Given = S.Line.last(Opt::ArchiverBinary);
  Command C = {Given.empty() ? "ar" : Given.str(), "cr"};
  append(C, S.Line.all(Opt::XArchive));
  C.push_back(Output.str());
  append(C, Objects);
  return C;
}
