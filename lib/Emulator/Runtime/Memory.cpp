// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, copies and fills.

#include "Runtime.h"
#include <cstring>
#include <string>

using namespace sluice::emulator;
using namespace sluice::emulator::runtime;

static std::string hex(const void *P) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%p", P);
  return Text;
}

static std::string described(const Allocation &A) {
  std::string Place = A.Made.str();
  return (A.Name.empty() ? "the allocation" : "the variable " + A.Name) +
         " of " + std::to_string(A.bytes()) + " bytes" +
         (Place.empty() ? "" : " made at " + Place);
}

static std::string calledAt() {
  std::string Place = HostPlace::here(2).str();
  return Place.empty() ? "" : "\n  called at " + Place;
}

static cudaError_t allocate(void **Out, size_t Bytes, MemoryKind Kind,
                            HostPlace Where) {
  if (cudaError_t E = stickyError())
    return E;
  if (!Out)
    return failed(cudaErrorInvalidValue);
  *Out = nullptr;
  if (!Bytes)
    return cudaSuccess;
  Allocation *A = Device::get().memory().allocate(Bytes, Kind, Where);
  if (!A)
    return failed(cudaErrorMemoryAllocation);
  *Out = pointerTo(A->Begin);
  return cudaSuccess;
}

static cudaError_t release(const char *Call, void *P, bool Pinned,
                           HostPlace Where) {
  if (!P)
    return cudaSuccess;
  DeviceMemory &Memory = Device::get().memory();
  uint64_t Address = reinterpret_cast<uint64_t>(P);
  Allocation *A = Memory.findBegin(Address);
  bool Right = A && (Pinned ? A->Kind == MemoryKind::Pinned
                            : A->Kind == MemoryKind::Device ||
                                  A->Kind == MemoryKind::Managed);
  if (!Right) {
    Allocation *Near = Memory.find(Address);
    std::string Text;
    std::string At = Where.str();
    if (Near && Near->Freed && Near->Begin == Address)
      Text = "double free: " + std::string(Call) + " of " + described(*Near) +
             ", freed at " + Near->Released.str();
    else if (Near && Near->contains(Address, 1))
      Text = std::string(Call) + " of " + hex(P) +
             ", which is not the start of " + described(*Near);
    else
      Text = std::string(Call) + " of " + hex(P) +
             ", which was not allocated on the GPU";
    Device::get().reportError(Text + (At.empty() ? "" : "\n  called at " + At));
    return failed(cudaErrorInvalidValue);
  }
  Memory.release(*A, Where);
  return stickyError();
}

namespace {
/// One side of a copy.
struct Side {
  char *Host = nullptr; ///< Where its bytes are; null if it cannot be used.
  Allocation *A = nullptr;
  uint64_t Address = 0; ///< Device address, if A.
};
} // namespace

static Side sideOf(const char *Call, const void *P, uint64_t Bytes,
                   bool MustBeDevice, bool MustBeHost, cudaError_t &Error) {
  DeviceMemory &Memory = Device::get().memory();
  Side S;
  uint64_t Address = reinterpret_cast<uint64_t>(P);
  bool InWindow =
      Address >= GlobalWindow && Address < GlobalWindow + GlobalWindowBytes;
  Allocation *A = Memory.find(Address);
  if (A && (A->Kind == MemoryKind::Registered) && !A->contains(Address, 1))
    A = nullptr;
  if (InWindow || (A && A->contains(Address, 1))) {
    if (!A || A->Freed || !A->contains(Address, Bytes)) {
      std::string Text = std::string(Call) + " of " + std::to_string(Bytes) +
                         " bytes at " + hex(P);
      if (!A)
        Text += ", where nothing is allocated";
      else if (A->Freed)
        Text += ", in " + described(*A) + ", freed at " + A->Released.str();
      else
        Text += " overruns " + described(*A);
      Device::get().reportError(Text + calledAt());
      Error = cudaErrorInvalidValue;
      return S;
    }
    if (MustBeHost && A->Kind == MemoryKind::Device) {
      Device::get().reportError(std::string(Call) + ": " + hex(P) +
                                " is device memory, and the direction asks for "
                                "host memory" +
                                calledAt());
      Error = cudaErrorInvalidValue;
      return S;
    }
    S.A = A;
    S.Address = Address;
    S.Host = hostPointer<char>(Address);
    return S;
  }
  if (MustBeDevice && !Memory.findHost(P)) {
    Device::get().reportError(std::string(Call) + ": " + hex(P) +
                              " is host memory, and the direction asks for "
                              "device memory" +
                              calledAt());
    Error = cudaErrorInvalidValue;
    return S;
  }
  if (!P && Bytes) {
    Error = cudaErrorInvalidValue;
    return S;
  }
  S.Host = static_cast<char *>(const_cast<void *>(P));
  return S;
}

static bool written(const Side &S, uint64_t Bytes) {
  if (!S.A || S.A->Initialised || !S.A->Written)
    return true;
  uint64_t At = S.Address - S.A->Begin;
  for (uint64_t I = At; I < At + Bytes; ++I)
    if (!(S.A->Written[I / 8] >> I % 8 & 1))
      return false;
  return true;
}

// To the host. Programs copy arrays of which kernels write a part, or whose
// elements have padding; nothing written at all is an error.
static void copyOfUnwritten(const char *Call, const Side &S, uint64_t Bytes) {
  uint64_t At = S.Address - S.A->Begin, Unwritten = 0;
  for (uint64_t I = At; I < At + Bytes; ++I)
    Unwritten += !(S.A->Written[I / 8] >> I % 8 & 1);
  std::string What =
      "uninitialised read: " + std::string(Call) + " of " +
      std::to_string(Bytes) + " bytes from " + described(*S.A) + ", of which " +
      (Unwritten == Bytes ? "none was"
                          : std::to_string(Unwritten) + " were never") +
      " written" + calledAt();
  if (Unwritten == Bytes)
    Device::get().reportError(What);
  else
    Device::get().reportWarning(What);
}

cudaError_t sluice::emulator::runtime::copyBytes(const char *Call, void *To,
                                                 const void *From,
                                                 uint64_t Bytes,
                                                 cudaMemcpyKind Kind) {
  if (cudaError_t E = stickyError())
    return E;
  if (!Bytes)
    return cudaSuccess;
  if (unsigned(Kind) > cudaMemcpyDefault)
    return failed(cudaErrorInvalidMemcpyDirection);
  cudaError_t Error = cudaSuccess;
  bool ToDevice =
      Kind == cudaMemcpyHostToDevice || Kind == cudaMemcpyDeviceToDevice;
  bool FromDevice =
      Kind == cudaMemcpyDeviceToHost || Kind == cudaMemcpyDeviceToDevice;
  bool Explicit = Kind != cudaMemcpyDefault;
  Side D = sideOf(Call, To, Bytes, Explicit && ToDevice, Explicit && !ToDevice,
                  Error);
  Side S = sideOf(Call, From, Bytes, Explicit && FromDevice,
                  Explicit && !FromDevice, Error);
  if (Error)
    return failed(Error);
  bool Known = written(S, Bytes);
  if (!Known && !D.A)
    copyOfUnwritten(Call, S, Bytes);
  std::memmove(D.Host, S.Host, Bytes);
  if (D.A && Known)
    Device::get().memory().markWritten(D.Address, Bytes);
  else if (D.A && D.A->Written && S.A && S.A->Written)
    for (uint64_t I = 0; I < Bytes; ++I) {
      uint64_t At = S.Address - S.A->Begin + I;
      if (S.A->Written[At / 8] >> At % 8 & 1)
        Device::get().memory().markWritten(D.Address + I, 1);
    }
  return cudaSuccess;
}

static cudaError_t fill(const char *Call, void *To, int Value, uint64_t Bytes) {
  if (cudaError_t E = stickyError())
    return E;
  if (!Bytes)
    return cudaSuccess;
  cudaError_t Error = cudaSuccess;
  Side D = sideOf(Call, To, Bytes, true, false, Error);
  if (Error)
    return failed(Error);
  std::memset(D.Host, Value, Bytes);
  if (D.A)
    Device::get().memory().markWritten(D.Address, Bytes);
  return cudaSuccess;
}

static cudaError_t copy2D(const char *Call, void *To, size_t ToPitch,
                          const void *From, size_t FromPitch, size_t Width,
                          size_t Height, cudaMemcpyKind Kind) {
  if (Height > 1 && (Width > ToPitch || Width > FromPitch))
    return failed(cudaErrorInvalidPitchValue);
  for (size_t Y = 0; Y < Height; ++Y)
    if (cudaError_t E = copyBytes(
            Call, static_cast<char *>(To) + Y * ToPitch,
            static_cast<const char *>(From) + Y * FromPitch, Width, Kind))
      return E;
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaMalloc(void **P, size_t Bytes) {
  return allocate(P, Bytes, MemoryKind::Device, HostPlace::here());
}
cudaError_t cudaMallocAsync(void **P, size_t Bytes, cudaStream_t) {
  return allocate(P, Bytes, MemoryKind::Device, HostPlace::here());
}
cudaError_t cudaMallocFromPoolAsync(void **P, size_t Bytes, cudaMemPool_t,
                                    cudaStream_t) {
  return allocate(P, Bytes, MemoryKind::Device, HostPlace::here());
}
cudaError_t cudaMallocManaged(void **P, size_t Bytes, unsigned) {
  return allocate(P, Bytes, MemoryKind::Managed, HostPlace::here());
}
cudaError_t cudaMallocHost(void **P, size_t Bytes) {
  return allocate(P, Bytes, MemoryKind::Pinned, HostPlace::here());
}
cudaError_t cudaHostAlloc(void **P, size_t Bytes, unsigned) {
  return allocate(P, Bytes, MemoryKind::Pinned, HostPlace::here());
}
cudaError_t cudaMallocPitch(void **P, size_t *Pitch, size_t Width,
                            size_t Height) {
  if (!Pitch)
    return failed(cudaErrorInvalidValue);
  *Pitch = (Width + 511) / 512 * 512;
  return allocate(P, *Pitch * Height, MemoryKind::Device, HostPlace::here());
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *P, cudaExtent E) {
  if (!P)
    return failed(cudaErrorInvalidValue);
  P->pitch = (E.width + 511) / 512 * 512;
  P->xsize = E.width;
  P->ysize = E.height;
  return allocate(&P->ptr, P->pitch * E.height * E.depth, MemoryKind::Device,
                  HostPlace::here());
}
cudaError_t cudaFree(void *P) {
  return release("cudaFree", P, false, HostPlace::here());
}
cudaError_t cudaFreeAsync(void *P, cudaStream_t) {
  return release("cudaFreeAsync", P, false, HostPlace::here());
}
cudaError_t cudaFreeHost(void *P) {
  return release("cudaFreeHost", P, true, HostPlace::here());
}
cudaError_t cudaHostGetDevicePointer(void **Out, void *Host, unsigned) {
  Allocation *A = Device::get().memory().findHost(Host);
  if (!A || !Out)
    return failed(cudaErrorInvalidValue);
  uint64_t H = reinterpret_cast<uint64_t>(Host);
  *Out = pointerTo(A->Kind == MemoryKind::Registered ? H - DeviceToHost : H);
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned *Flags, void *Host) {
  if (!Flags || !Device::get().memory().findHost(Host))
    return failed(cudaErrorInvalidValue);
  *Flags = cudaHostAllocMapped;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *Host, size_t Bytes, unsigned) {
  if (!Host || !Bytes)
    return failed(cudaErrorInvalidValue);
  return Device::get().memory().registerHost(Host, Bytes, HostPlace::here())
             ? cudaSuccess
             : failed(cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void *Host) {
  Allocation *A = Device::get().memory().findHost(Host);
  if (!A || A->Kind != MemoryKind::Registered)
    return failed(cudaErrorHostMemoryNotRegistered);
  Device::get().memory().release(*A, HostPlace::here());
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  DeviceMemory &M = Device::get().memory();
  if (Free)
    *Free = M.capacity() - M.used();
  if (Total)
    *Total = M.capacity();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Out,
                                     const void *P) {
  if (!Out)
    return failed(cudaErrorInvalidValue);
  std::memset(Out, 0, sizeof *Out);
  DeviceMemory &M = Device::get().memory();
  uint64_t Address = reinterpret_cast<uint64_t>(P);
  Allocation *A = M.findHost(P);
  if (!A) {
    A = M.find(Address);
    if (A && (A->Freed || !A->contains(Address, 1)))
      A = nullptr;
  }
  Out->type = cudaMemoryTypeUnregistered;
  Out->hostPointer = const_cast<void *>(P);
  if (!A)
    return cudaSuccess;
  bool Host =
      A->Kind == MemoryKind::Pinned || A->Kind == MemoryKind::Registered;
  Out->type = Host                             ? cudaMemoryTypeHost
              : A->Kind == MemoryKind::Managed ? cudaMemoryTypeManaged
                                               : cudaMemoryTypeDevice;
  Out->devicePointer = pointerTo(
      A->Kind == MemoryKind::Registered ? Address - DeviceToHost : Address);
  if (Out->type == cudaMemoryTypeDevice)
    Out->hostPointer = nullptr;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                       cudaMemcpyKind Kind) {
  return copyBytes("cudaMemcpy", To, From, Bytes, Kind);
}
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes,
                            cudaMemcpyKind Kind, cudaStream_t) {
  return copyBytes("cudaMemcpyAsync", To, From, Bytes, Kind);
}
cudaError_t cudaMemcpyPeer(void *To, int, const void *From, int, size_t Bytes) {
  return copyBytes("cudaMemcpyPeer", To, From, Bytes, cudaMemcpyDefault);
}
cudaError_t cudaMemcpyPeerAsync(void *To, int, const void *From, int,
                                size_t Bytes, cudaStream_t) {
  return copyBytes("cudaMemcpyPeerAsync", To, From, Bytes, cudaMemcpyDefault);
}
cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t Width, size_t Height,
                         cudaMemcpyKind Kind) {
  return copy2D("cudaMemcpy2D", To, ToPitch, From, FromPitch, Width, Height,
                Kind);
}
cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t Width, size_t Height,
                              cudaMemcpyKind Kind, cudaStream_t) {
  return copy2D("cudaMemcpy2DAsync", To, ToPitch, From, FromPitch, Width,
                Height, Kind);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  if (!P || P->srcArray || P->dstArray)
    return failed(cudaErrorNotSupported);
  for (size_t Z = 0; Z < P->extent.depth; ++Z) {
    auto At = [&](const cudaPitchedPtr &B, const cudaPos &O) {
      return static_cast<char *>(B.ptr) + O.x +
             B.pitch * (O.y + B.ysize * (O.z + Z));
    };
    if (cudaError_t E =
            copy2D("cudaMemcpy3D", At(P->dstPtr, P->dstPos), P->dstPtr.pitch,
                   At(P->srcPtr, P->srcPos), P->srcPtr.pitch, P->extent.width,
                   P->extent.height, P->kind))
      return E;
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t) {
  return cudaMemcpy3D(P);
}
cudaError_t cudaMemset(void *To, int Value, size_t Bytes) {
  return fill("cudaMemset", To, Value, Bytes);
}
cudaError_t cudaMemsetAsync(void *To, int Value, size_t Bytes, cudaStream_t) {
  return fill("cudaMemsetAsync", To, Value, Bytes);
}
cudaError_t cudaMemset2D(void *To, size_t Pitch, int Value, size_t Width,
                         size_t Height) {
  for (size_t Y = 0; Y < Height; ++Y)
    if (cudaError_t E = fill("cudaMemset2D",
                             static_cast<char *>(To) + Y * Pitch, Value, Width))
      return E;
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *To, size_t Pitch, int Value, size_t Width,
                              size_t Height, cudaStream_t) {
  return cudaMemset2D(To, Pitch, Value, Width, Height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr P, int Value, cudaExtent E) {
  for (size_t Z = 0; Z < E.depth; ++Z)
    if (cudaError_t Error =
            cudaMemset2D(static_cast<char *>(P.ptr) + Z * P.pitch * P.ysize,
                         P.pitch, Value, E.width, E.height))
      return Error;
  return cudaSuccess;
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr P, int Value, cudaExtent E,
                              cudaStream_t) {
  return cudaMemset3D(P, Value, E);
}

cudaError_t cudaGetSymbolAddress(void **Out, const void *Symbol) {
  Allocation *A = variableOf(Symbol);
  if (!A || !Out)
    return failed(cudaErrorInvalidSymbol);
  *Out = pointerTo(A->Begin);
  return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(size_t *Out, const void *Symbol) {
  Allocation *A = variableOf(Symbol);
  if (!A || !Out)
    return failed(cudaErrorInvalidSymbol);
  *Out = A->bytes();
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From,
                               size_t Bytes, size_t Offset,
                               cudaMemcpyKind Kind) {
  Allocation *A = variableOf(Symbol);
  if (!A)
    return failed(cudaErrorInvalidSymbol);
  return copyBytes("cudaMemcpyToSymbol", pointerTo(A->Begin + Offset), From,
                   Bytes, Kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol, const void *From,
                                    size_t Bytes, size_t Offset,
                                    cudaMemcpyKind Kind, cudaStream_t) {
  return cudaMemcpyToSymbol(Symbol, From, Bytes, Offset, Kind);
}
cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes,
                                 size_t Offset, cudaMemcpyKind Kind) {
  Allocation *A = variableOf(Symbol);
  if (!A)
    return failed(cudaErrorInvalidSymbol);
  return copyBytes("cudaMemcpyFromSymbol", To, pointerTo(A->Begin + Offset),
                   Bytes, Kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol,
                                      size_t Bytes, size_t Offset,
                                      cudaMemcpyKind Kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(To, Symbol, Bytes, Offset, Kind);
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation,
                                 unsigned, cudaStream_t) {
  return stickyError();
}
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise,
                          cudaMemLocation) {
  return stickyError();
}

// Pools: everything comes from one.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int) {
  *Pool = reinterpret_cast<cudaMemPool_t>(1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int) {
  *Pool = reinterpret_cast<cudaMemPool_t>(1);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

} // extern "C"
