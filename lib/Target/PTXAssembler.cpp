// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// PTX in, registers and spills out, through nvJitLink loaded at run time:
/// Sluice links nothing of CUDA's, so that it builds and plans without it.

#include "sluice/Target/PTXAssembler.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

using namespace llvm;
using namespace sluice;

namespace {

// Declared here rather than included: the header's inline wrappers name the
// functions of one version (__nvJitLinkCreate_13_0), and this file must work
// with whatever library is found. The C interface has not changed since 12.0.
using Handle = struct OpaqueHandle *;
constexpr int Success = 0;  // NVJITLINK_SUCCESS
constexpr int InputPTX = 2; // NVJITLINK_INPUT_PTX

/// The entry points of a loaded nvJitLink.
struct NvJitLink {
  int (*Create)(Handle *, uint32_t NumOptions, const char **Options);
  int (*Destroy)(Handle *);
  int (*AddData)(Handle, int InputType, const void *Data, size_t Size,
                 const char *Name);
  int (*Complete)(Handle);
  int (*GetErrorLogSize)(Handle, size_t *);
  int (*GetErrorLog)(Handle, char *);
  int (*GetInfoLogSize)(Handle, size_t *);
  int (*GetInfoLog)(Handle, char *);
};

/// One link, destroyed with the object.
class LinkSession {
public:
  explicit LinkSession(const NvJitLink &API) : API(API) {}
  LinkSession(const LinkSession &) = delete;
  LinkSession &operator=(const LinkSession &) = delete;
  ~LinkSession() {
    if (H)
      API.Destroy(&H);
  }

  /// Assembles \p PTX; nvJitLink's status. The logs tell the rest.
  int assemble(const std::string &PTX, const std::string &ArchOption,
               unsigned OptLevel) {
    const std::string Level = "-Xptxas=-O" + std::to_string(OptLevel);
    const char *Options[] = {ArchOption.c_str(), "-verbose", Level.c_str()};
    if (int Status = API.Create(&H, std::size(Options), Options))
      return Status;
    // With the terminating zero, as NVRTC counts the size of its PTX.
    if (int Status =
            API.AddData(H, InputPTX, PTX.c_str(), PTX.size() + 1, "kernel.ptx"))
      return Status;
    return API.Complete(H);
  }

  std::string errorLog() const {
    return readLog(API.GetErrorLogSize, API.GetErrorLog);
  }
  std::string infoLog() const {
    return readLog(API.GetInfoLogSize, API.GetInfoLog);
  }

private:
  std::string readLog(int (*GetSize)(Handle, size_t *),
                      int (*GetLog)(Handle, char *)) const {
    size_t Size = 0; // includes the terminating zero
    if (!H || GetSize(H, &Size) != Success || Size == 0)
      return "";
    std::vector<char> Buffer(Size + 1, '\0');
    if (GetLog(H, Buffer.data()) != Success)
      return "";
    return StringRef(Buffer.data()).rtrim().str();
  }

  const NvJitLink &API;
  Handle H = nullptr;
};

} // namespace

/// The address of \p Name in \p Library: under its plain name, or with the
/// version that libraries of one toolkit append ("__nvJitLinkCreate_12_4").
static void *findSymbol(sys::DynamicLibrary &Library, StringRef Name) {
  if (void *Address = Library.getAddressOfSymbol(Name.str().c_str()))
    return Address;
  for (unsigned Major : {13, 12})
    for (unsigned Minor = 0; Minor != 10; ++Minor) {
      std::string Versioned =
          ("__" + Name + "_" + Twine(Major) + "_" + Twine(Minor)).str();
      if (void *Address = Library.getAddressOfSymbol(Versioned.c_str()))
        return Address;
    }
  return nullptr;
}

/// Fills \p API from \p Library; false if it lacks a function.
static bool bind(sys::DynamicLibrary &Library, NvJitLink &API) {
  auto Set = [&](auto &Function, StringRef Name) {
    void *Address = findSymbol(Library, Name);
    Function =
        reinterpret_cast<std::remove_reference_t<decltype(Function)>>(Address);
    return Address != nullptr;
  };
  return Set(API.Create, "nvJitLinkCreate") &&
         Set(API.Destroy, "nvJitLinkDestroy") &&
         Set(API.AddData, "nvJitLinkAddData") &&
         Set(API.Complete, "nvJitLinkComplete") &&
         Set(API.GetErrorLogSize, "nvJitLinkGetErrorLogSize") &&
         Set(API.GetErrorLog, "nvJitLinkGetErrorLog") &&
         Set(API.GetInfoLogSize, "nvJitLinkGetInfoLogSize") &&
         Set(API.GetInfoLog, "nvJitLinkGetInfoLog");
}

static Expected<NvJitLink> loadNvJitLink(StringRef CudaPath) {
  SmallVector<std::string, 5> Folders;
  for (StringRef Root : {CudaPath, StringRef(SLUICE_CUDA_PATH)})
    for (StringRef Lib : {"lib64", "lib"}) {
      SmallString<128> Folder(Root);
      sys::path::append(Folder, Lib);
      if (!Root.empty() && !is_contained(Folders, Folder.str()))
        Folders.push_back(Folder.str().str());
    }
  std::string Looked = join(Folders, ", ");
  Folders.push_back(""); // the plain name, for the dynamic linker to find

  for (StringRef Folder : Folders)
    for (StringRef Name :
         {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}) {
      SmallString<128> Path(Folder);
      sys::path::append(Path, Name);
      sys::DynamicLibrary Library =
          sys::DynamicLibrary::getPermanentLibrary(Path.c_str());
      NvJitLink API;
      if (Library.isValid() && bind(Library, API))
        return API;
    }
  return createStringError("no usable libnvJitLink found in " + Looked +
                           " or by the dynamic linker; install the CUDA "
                           "toolkit's nvJitLink or name its toolkit with "
                           "--cuda-path");
}

/// The number that stands before \p Unit in \p Line ("8 bytes smem"), if any.
static std::optional<uint64_t> numberBefore(StringRef Line, StringRef Unit) {
  size_t End = Line.find(Unit);
  if (End == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(End).rtrim();
  uint64_t Number;
  if (Before.drop_front(Before.find_last_not_of("0123456789") + 1)
          .getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

/// Reads what ptxas says of each kernel:
/// \code
///   ptxas info    : Compiling entry function 'NAME' for 'sm_90'
///   ptxas info    : Function properties for NAME
///   ptxas         .  16 bytes stack frame, 12 bytes spill stores, 12 bytes
///                    spill loads                           (one line)
///   ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem
/// \endcode
/// Device functions that were not inlined have properties too, and no entry.
static StringMap<AssembledKernel> parseInfoLog(StringRef Log) {
  StringMap<AssembledKernel> Kernels;
  AssembledKernel *Entry = nullptr;
  AssembledKernel *Properties = nullptr;
  for (StringRef Line : split(Log, '\n')) {
    // The linker repeats the kernels in lines that begin so, and there counts
    // the driver's reservation as shared memory.
    if (Line.starts_with("info"))
      continue;

    StringRef Rest = Line.split("Compiling entry function '").second;
    if (!Rest.empty()) {
      Entry = &Kernels[Rest.split('\'').first];
      Properties = nullptr;
      continue;
    }
    Rest = Line.split("Function properties for ").second;
    if (!Rest.empty()) {
      auto Found = Kernels.find(Rest.trim());
      Properties = Found == Kernels.end() ? nullptr : &Found->second;
      continue;
    }
    if (Properties && Line.contains("bytes stack frame")) {
      Properties->SpillStoreBytes =
          numberBefore(Line, " bytes spill stores").value_or(0);
      Properties->SpillLoadBytes =
          numberBefore(Line, " bytes spill loads").value_or(0);
      continue;
    }
    if (std::optional<uint64_t> Used = numberBefore(Line, " registers");
        Used && Entry && Line.contains("Used ")) {
      Entry->Registers = unsigned(*Used);
      Entry->StaticSharedBytes = numberBefore(Line, " bytes smem").value_or(0);
    }
  }
  return Kernels;
}

Expected<StringMap<AssembledKernel>> sluice::assemblePTX(StringRef PTX,
                                                         StringRef Arch,
                                                         StringRef CudaPath,
                                                         unsigned OptLevel) {
  // nvJitLink ends the process on a name it cannot parse ("sm_9x"), so none
  // such may reach it.
  if (Expected<const GPUModel *> GPU = findGPUModel(Arch); !GPU)
    return GPU.takeError();
  Arch.consume_front("sm_");

  Expected<NvJitLink> API = loadNvJitLink(CudaPath);
  if (!API)
    return API.takeError();

  LinkSession Session(*API);
  int Status =
      Session.assemble(PTX.str(), ("-arch=sm_" + Arch).str(), OptLevel);
  if (Status != Success)
    return createStringError("the PTX does not assemble for sm_" + Arch +
                             " (nvJitLink status " + Twine(Status) +
                             "): " + Session.errorLog());

  std::string Log = Session.infoLog();
  StringMap<AssembledKernel> Kernels = parseInfoLog(Log);
  bool AllKnown = all_of(
      Kernels, [](const auto &Kernel) { return Kernel.second.Registers != 0; });
  if (!AllKnown || (Kernels.empty() && PTX.contains(".entry ")))
    return createStringError(
        "nvJitLink's log does not tell the registers of each kernel: " + Log);
  return Kernels;
}

Expected<std::string> sluice::identifyAssembler(StringRef CudaPath) {
  Expected<NvJitLink> API = loadNvJitLink(CudaPath);
  if (!API)
    return API.takeError();
  // The dynamic linker may have found it, so only the function knows its file.
  // The version that nvJitLink tells has no third number.
  Dl_info Found;
  sys::fs::file_status Status;
  if (!dladdr(reinterpret_cast<void *>(API->Create), &Found) ||
      sys::fs::status(Found.dli_fname, Status))
    return createStringError("the file of libnvJitLink cannot be looked at");
  return formatv("{0} {1} {2}", Found.dli_fname, Status.getSize(),
                 Status.getLastModificationTime().time_since_epoch().count())
      .str();
}
