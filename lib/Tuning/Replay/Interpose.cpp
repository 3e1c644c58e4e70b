// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between a program and the CUDA driver. The library is preloaded; a program's
// CUDA runtime, linked statically or not, finds the driver's functions with
// dlsym and cuGetProcAddress, and both answer here with a wrapper for those
// that launch, allocate or look up kernels.
//
// A function comes in versions (by name) and in flavours (the legacy or the
// per-thread default stream), which differ in address alone. A wrapper's number
// says which original it wraps.

#include "Session.h"
#include "Tracer.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace sluice::replay;

namespace {

std::recursive_mutex &lock() {
  static std::recursive_mutex TheLock;
  return TheLock;
}

/// Calls that the replays make themselves, or that the driver makes for a call
/// of the program, pass through.
thread_local bool Inside = false;

class Enter {
public:
  Enter() : Guard(lock()), WasInside(Inside) { Inside = true; }
  ~Enter() { Inside = WasInside; }
  Session *session() { return WasInside ? nullptr : Session::get(); }
  Tracer *tracer() { return WasInside ? nullptr : Tracer::get(); }
  /// One of them wants to know of kernels.
  bool isOn() { return session() || tracer(); }

private:
  std::lock_guard<std::recursive_mutex> Guard;
  bool WasInside;
};

/// What the program's kernel handles stand for.
struct KernelOf {
  std::string Name;
  CUlibrary Library = nullptr;
  CUmodule Module = nullptr;
  /// It is a CUkernel, which launches take in place of a CUfunction.
  bool IsKernel = false;
};
std::map<const void *, KernelOf> &kernels() {
  static auto &All = *new std::map<const void *, KernelOf>; // see Session::get
  return All;
}

constexpr int Flavours = 4;

template <typename RelaunchT>
CUresult intercept(CUfunction F, const unsigned (&Grid)[3],
                   const unsigned (&Block)[3], unsigned Shared, CUstream Stream,
                   void **Parameters, RelaunchT Relaunch) {
  Enter Entered;
  auto Known = kernels().find(F);
  if (!Entered.isOn() || Known == kernels().end())
    return Relaunch({F});
  Launch L;
  L.Kernel = Known->second.Name;
  L.Library = Known->second.Library;
  L.Module = Known->second.Module;
  L.Function = F;
  std::string Missing;
  if (Known->second.IsKernel &&
      findDriver(Missing)->cuKernelGetFunction(
          &L.Function, reinterpret_cast<CUkernel>(F)) != CUDA_SUCCESS)
    return Relaunch({F});
  L.Stream = Stream;
  L.Parameters = Parameters;
  std::copy(Grid, Grid + 3, L.Grid);
  std::copy(Block, Block + 3, L.Block);
  L.SharedBytes = Shared;
  L.Relaunch = Relaunch;
  Session *S = Entered.session();
  return S ? S->launch(L) : Entered.tracer()->launch(L);
}

/// What of a launch is another where several blocks are one.
struct Shape {
  unsigned Asked, GridX, BlockZ, Shared;
  void **Parameters;
  std::vector<void *> More;

  Shape(const Relaunched &With, unsigned GridX, unsigned BlockZ,
        unsigned Shared, void **Parameters)
      : Asked(GridX), GridX(GridX), BlockZ(BlockZ),
        Shared(Shared + unsigned(With.Claim)), Parameters(Parameters) {
    if (With.Merged.Row == 0)
      return;
    this->GridX = unsigned(With.Merged.Row);
    this->BlockZ = With.Merged.Layers;
    this->Shared = unsigned(With.Merged.SharedBytes);
    More.assign(Parameters, Parameters + With.Parameters);
    More.push_back(&Asked);
    this->Parameters = More.data();
  }
  Shape(const Shape &) = delete;
  Shape &operator=(const Shape &) = delete;
};

template <int N> struct LaunchKernel {
  static inline decltype(&cuLaunchKernel) Original;
  static CUresult CUDAAPI call(CUfunction F, unsigned GX, unsigned GY,
                               unsigned GZ, unsigned BX, unsigned BY,
                               unsigned BZ, unsigned Shared, CUstream Stream,
                               void **Params, void **Extra) {
    return intercept(F, {GX, GY, GZ}, {BX, BY, BZ}, Shared, Stream, Params,
                     [=](const Relaunched &With) {
                       const Shape S(With, GX, BZ, Shared, Params);
                       return Original(With.Function, S.GridX, GY, GZ, BX, BY,
                                       S.BlockZ, S.Shared, Stream, S.Parameters,
                                       Extra);
                     });
  }
};

template <int N> struct LaunchKernelEx {
  static inline decltype(&cuLaunchKernelEx) Original;
  static CUresult CUDAAPI call(const CUlaunchConfig *C, CUfunction F,
                               void **Params, void **Extra) {
    return intercept(
        F, {C->gridDimX, C->gridDimY, C->gridDimZ},
        {C->blockDimX, C->blockDimY, C->blockDimZ}, C->sharedMemBytes,
        C->hStream, Params, [=](const Relaunched &With) {
          CUlaunchConfig Other = *C;
          const Shape S(With, C->gridDimX, C->blockDimZ, C->sharedMemBytes,
                        Params);
          Other.sharedMemBytes = S.Shared;
          Other.gridDimX = S.GridX;
          Other.blockDimZ = S.BlockZ;
          return Original(&Other, With.Function, S.Parameters, Extra);
        });
  }
};

template <int N> struct LaunchCooperative {
  static inline decltype(&cuLaunchCooperativeKernel) Original;
  static CUresult CUDAAPI call(CUfunction F, unsigned GX, unsigned GY,
                               unsigned GZ, unsigned BX, unsigned BY,
                               unsigned BZ, unsigned Shared, CUstream Stream,
                               void **Params) {
    return intercept(F, {GX, GY, GZ}, {BX, BY, BZ}, Shared, Stream, Params,
                     [=](const Relaunched &With) {
                       return Original(With.Function, GX, GY, GZ, BX, BY, BZ,
                                       Shared + With.Claim, Stream, Params);
                     });
  }
};

template <int N> struct LibraryGetKernel {
  static inline decltype(&cuLibraryGetKernel) Original;
  static CUresult CUDAAPI call(CUkernel *Kernel, CUlibrary Library,
                               const char *Name) {
    CUresult Status = Original(Kernel, Library, Name);
    Enter Entered;
    if (Status == CUDA_SUCCESS && Entered.isOn())
      kernels()[*Kernel] = {Name, Library, nullptr, /*IsKernel=*/true};
    return Status;
  }
};

template <int N> struct KernelGetFunction {
  static inline decltype(&cuKernelGetFunction) Original;
  static CUresult CUDAAPI call(CUfunction *Function, CUkernel Kernel) {
    CUresult Status = Original(Function, Kernel);
    Enter Entered;
    auto Known = kernels().find(Kernel);
    if (Status == CUDA_SUCCESS && Entered.isOn() && Known != kernels().end())
      kernels()[*Function] = {Known->second.Name, Known->second.Library,
                              nullptr};
    return Status;
  }
};

template <int N> struct ModuleGetFunction {
  static inline decltype(&cuModuleGetFunction) Original;
  static CUresult CUDAAPI call(CUfunction *Function, CUmodule Module,
                               const char *Name) {
    CUresult Status = Original(Function, Module, Name);
    Enter Entered;
    if (Status == CUDA_SUCCESS && Entered.isOn())
      kernels()[*Function] = {Name, nullptr, Module};
    return Status;
  }
};

void allocated(CUresult Status, const CUdeviceptr *Address, size_t Bytes) {
  Enter Entered;
  if (Session *S = Entered.session(); S && Status == CUDA_SUCCESS && Bytes)
    S->allocated(*Address, Bytes);
}

void freed(CUdeviceptr Address) {
  Enter Entered;
  if (Session *S = Entered.session())
    S->freed(Address);
}

void lose(const char *Why) {
  Enter Entered;
  if (Session *S = Entered.session())
    S->lose(Why);
}

template <int N> struct MemAlloc {
  static inline decltype(&cuMemAlloc) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, size_t Bytes) {
    CUresult Status = Original(Address, Bytes);
    allocated(Status, Address, Bytes);
    return Status;
  }
};

template <int N> struct MemAllocPitch {
  static inline decltype(&cuMemAllocPitch) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, size_t *Pitch,
                               size_t Width, size_t Height, unsigned Element) {
    CUresult Status = Original(Address, Pitch, Width, Height, Element);
    allocated(Status, Address, Status == CUDA_SUCCESS ? *Pitch * Height : 0);
    return Status;
  }
};

template <int N> struct MemAllocAsync {
  static inline decltype(&cuMemAllocAsync) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, size_t Bytes,
                               CUstream Stream) {
    CUresult Status = Original(Address, Bytes, Stream);
    allocated(Status, Address, Bytes);
    return Status;
  }
};

template <int N> struct MemAllocFromPool {
  static inline decltype(&cuMemAllocFromPoolAsync) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, size_t Bytes,
                               CUmemoryPool Pool, CUstream Stream) {
    CUresult Status = Original(Address, Bytes, Pool, Stream);
    allocated(Status, Address, Bytes);
    return Status;
  }
};

template <int N> struct MemFree {
  static inline decltype(&cuMemFree) Original;
  static CUresult CUDAAPI call(CUdeviceptr Address) {
    freed(Address);
    return Original(Address);
  }
};

template <int N> struct MemFreeAsync {
  static inline decltype(&cuMemFreeAsync) Original;
  static CUresult CUDAAPI call(CUdeviceptr Address, CUstream Stream) {
    freed(Address);
    return Original(Address, Stream);
  }
};

template <int N> struct MemAllocManaged {
  static inline decltype(&cuMemAllocManaged) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, size_t Bytes,
                               unsigned Flags) {
    lose("the program has managed memory");
    return Original(Address, Bytes, Flags);
  }
};

template <int N> struct MemHostGetDevicePointer {
  static inline decltype(&cuMemHostGetDevicePointer) Original;
  static CUresult CUDAAPI call(CUdeviceptr *Address, void *Host,
                               unsigned Flags) {
    lose("the program's kernels see host memory");
    return Original(Address, Host, Flags);
  }
};

template <int N> struct MemMap {
  static inline decltype(&cuMemMap) Original;
  static CUresult CUDAAPI call(CUdeviceptr Address, size_t Bytes, size_t Offset,
                               CUmemGenericAllocationHandle Handle,
                               unsigned long long Flags) {
    lose("the program maps device memory itself (cuMemMap)");
    return Original(Address, Bytes, Offset, Handle, Flags);
  }
};

/// The wrapper for one more original, or the original if there are too many.
template <template <int> class HookT, int N = 0> void *wrap(void *Original) {
  if constexpr (N == Flavours) {
    return Original;
  } else {
    using Hook = HookT<N>;
    if (Hook::Original && reinterpret_cast<void *>(Hook::Original) != Original)
      return wrap<HookT, N + 1>(Original);
    Hook::Original = reinterpret_cast<decltype(Hook::Original)>(Original);
    return reinterpret_cast<void *>(&Hook::call);
  }
}

CUresult CUDAAPI getProcAddress(const char *Name, void **Function, int Version,
                                cuuint64_t Flags,
                                CUdriverProcAddressQueryResult *Answer);
decltype(&getProcAddress) OriginalGetProcAddress;

CUresult CUDAAPI getProcAddressV1(const char *Name, void **Function,
                                  int Version, cuuint64_t Flags);
decltype(&getProcAddressV1) OriginalGetProcAddressV1;

struct HookEntry {
  const char *Name;   ///< As cuGetProcAddress has it,
  const char *Symbol; ///< as libcuda.so has it.
  void *(*Wrap)(void *);
};

constexpr HookEntry Hooks[] = {
    {"cuLaunchKernel", "cuLaunchKernel", wrap<LaunchKernel>},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", wrap<LaunchKernelEx>},
    {"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel",
     wrap<LaunchCooperative>},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", wrap<LibraryGetKernel>},
    {"cuKernelGetFunction", "cuKernelGetFunction", wrap<KernelGetFunction>},
    {"cuModuleGetFunction", "cuModuleGetFunction", wrap<ModuleGetFunction>},
    {"cuMemAlloc", "cuMemAlloc_v2", wrap<MemAlloc>},
    {"cuMemAllocPitch", "cuMemAllocPitch_v2", wrap<MemAllocPitch>},
    {"cuMemAllocAsync", "cuMemAllocAsync", wrap<MemAllocAsync>},
    {"cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync",
     wrap<MemAllocFromPool>},
    {"cuMemAllocManaged", "cuMemAllocManaged", wrap<MemAllocManaged>},
    {"cuMemFree", "cuMemFree_v2", wrap<MemFree>},
    {"cuMemFreeAsync", "cuMemFreeAsync", wrap<MemFreeAsync>},
    {"cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2",
     wrap<MemHostGetDevicePointer>},
    {"cuMemMap", "cuMemMap", wrap<MemMap>},
};

/// \p ByName: the name is cuGetProcAddress's, else the symbol's.
void *hooked(const char *Name, void *Original, bool ByName) {
  if (!Original || Inside)
    return Original;
  std::lock_guard<std::recursive_mutex> Guard(lock());
  if (std::strcmp(Name, ByName ? "cuGetProcAddress" : "cuGetProcAddress_v2") ==
      0) {
    OriginalGetProcAddress =
        reinterpret_cast<decltype(OriginalGetProcAddress)>(Original);
    return reinterpret_cast<void *>(&getProcAddress);
  }
  if (!ByName && std::strcmp(Name, "cuGetProcAddress") == 0) {
    OriginalGetProcAddressV1 =
        reinterpret_cast<decltype(OriginalGetProcAddressV1)>(Original);
    return reinterpret_cast<void *>(&getProcAddressV1);
  }
  for (const HookEntry &H : Hooks) {
    std::string Symbol = ByName ? H.Name : H.Symbol;
    if (Name == Symbol || Name == Symbol + "_ptsz")
      return H.Wrap(Original);
  }
  return Original;
}

CUresult CUDAAPI getProcAddress(const char *Name, void **Function, int Version,
                                cuuint64_t Flags,
                                CUdriverProcAddressQueryResult *Answer) {
  CUresult Status =
      OriginalGetProcAddress(Name, Function, Version, Flags, Answer);
  if (Status == CUDA_SUCCESS && Function)
    *Function = hooked(Name, *Function, /*ByName=*/true);
  return Status;
}

CUresult CUDAAPI getProcAddressV1(const char *Name, void **Function,
                                  int Version, cuuint64_t Flags) {
  CUresult Status = OriginalGetProcAddressV1(Name, Function, Version, Flags);
  if (Status == CUDA_SUCCESS && Function)
    *Function = hooked(Name, *Function, /*ByName=*/true);
  return Status;
}

using DlsymT = void *(*)(void *, const char *);

/// libc's own. dlvsym is not interposed; the version is the one this machine's
/// libc has.
DlsymT originalDlsym() {
  static const DlsymT Found = [] {
    void *F = nullptr;
    for (const char *Version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
      if (!F)
        F = dlvsym(RTLD_NEXT, "dlsym", Version);
    return reinterpret_cast<DlsymT>(F);
  }();
  return Found;
}

} // namespace

void *sluice::replay::realDlsym(void *Handle, const char *Name) {
  return originalDlsym()(Handle, Name);
}

/// Takes the place of libc's.
extern "C" __attribute__((visibility("default"))) void *
dlsym(void *Handle, const char *Name) noexcept {
  DlsymT Original = originalDlsym();
  if (std::strncmp(Name, "cu", 2) != 0 ||
      (!std::getenv("SLUICE_REPLAY") && !std::getenv("SLUICE_TRACE")))
      // A tail call: RTLD_NEXT goes by the caller's address.
      [[clang::musttail]]
    return Original(Handle, Name);
  return hooked(Name, Original(Handle, Name), /*ByName=*/false);
}
