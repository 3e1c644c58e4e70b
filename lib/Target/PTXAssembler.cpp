// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// PTX in, registers and spills out, through nvJitLink loaded at run time:
/// Sluice links nothing of CUDA's, so that it builds and plans without it.

#include "sluice/Target/PTXAssembler.h"
#include "sluice/Target/AssemblerLog.h"
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
constexpr int NoOption = 1; // NVJITLINK_ERROR_UNRECOGNIZED_OPTION
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
    // Where there is a driver, its cache answers what it has seen before, and
    // then the log tells no kernel's registers. The first version had no such
    // option.
    const char *Options[] = {ArchOption.c_str(), "-verbose", Level.c_str(),
                             "-no-cache"};
    uint32_t Count = std::size(Options);
    int Status = API.Create(&H, Count, Options);
    if (Status == NoOption) {
      if (H)
        API.Destroy(&H);
      H = nullptr;
      Status = API.Create(&H, --Count, Options);
    }
    if (Status != Success)
      return Status;
    // With the terminating zero, as NVRTC counts the size of its PTX.
    Status =
        API.AddData(H, InputPTX, PTX.c_str(), PTX.size() + 1, "kernel.ptx");
    if (Status != Success)
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

  return readAssemblerLog(Session.infoLog(), PTX, "nvJitLink");
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
