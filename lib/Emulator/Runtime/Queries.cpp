// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device: its properties from the GPU model, and its settings.

#include "Runtime.h"
#include <cstdio>
#include <cstring>
#include <map>

using namespace sluice::emulator;
using namespace sluice::emulator::runtime;

static const sluice::GPUModel &gpu() { return Device::get().model(); }

// Figures that the model does not have and nobody computes with here.
static constexpr int ClockKHz = 1500000, MemoryClockKHz = 2000000;

static std::map<int, size_t> &limits() {
  static auto *L =
      new std::map<int, size_t>{{cudaLimitStackSize, 1024},
                                {cudaLimitPrintfFifoSize, 1 << 20},
                                {cudaLimitMallocHeapSize, 8 << 20}};
  return *L;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int *Count) {
  *Count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *D) {
  *D = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int D) {
  return D == 0 ? stickyError() : failed(cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int D, unsigned, unsigned) {
  return cudaSetDevice(D);
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  *Flags = 0;
  return cudaSuccess;
}
cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int *D, const cudaDeviceProp *) {
  *D = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return stickyError(); }
cudaError_t cudaThreadSynchronize() { return stickyError(); }
cudaError_t cudaThreadExit() { return cudaSuccess; }
cudaError_t cudaDeviceReset() {
  resetErrors();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *C) {
  *C = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit L, size_t Value) {
  limits()[L] = Value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *Value, cudaLimit L) {
  *Value = limits()[L];
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  if (Least)
    *Least = 0;
  if (Greatest)
    *Greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *Can, int, int) {
  *Can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *Id, int Length, int) {
  std::snprintf(Id, Length, "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *Version) {
  *Version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *Version) {
  *Version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *P, int D) {
  if (!P)
    return failed(cudaErrorInvalidValue);
  if (D != 0)
    return failed(cudaErrorInvalidDevice);
  std::memset(P, 0, sizeof *P);
  const sluice::GPUModel &G = gpu();
  std::snprintf(P->name, sizeof P->name, "Sluice emulated %s",
                G.Name.str().c_str());
  P->major = int(G.Major);
  P->minor = int(G.Minor);
  P->totalGlobalMem = Device::get().memory().capacity();
  P->sharedMemPerBlock = DefaultSharedBytes;
  P->sharedMemPerBlockOptin = G.MaxSharedPerBlockBytes;
  P->sharedMemPerMultiprocessor = size_t(G.CarveoutKiB.back()) * 1024;
  P->reservedSharedMemPerBlock = G.ReservedSharedPerBlockBytes;
  P->regsPerBlock = 65536;
  P->regsPerMultiprocessor = int(G.Registers);
  P->warpSize = int(G.WarpSize);
  P->memPitch = 0x7fffffff;
  P->maxThreadsPerBlock = 1024;
  P->maxThreadsDim[0] = P->maxThreadsDim[1] = 1024;
  P->maxThreadsDim[2] = 64;
  P->maxGridSize[0] = 0x7fffffff;
  P->maxGridSize[1] = P->maxGridSize[2] = 65535;
  P->totalConstMem = 65536;
  P->textureAlignment = 512;
  P->texturePitchAlignment = 32;
  P->multiProcessorCount = int(G.DefaultSMs);
  P->maxThreadsPerMultiProcessor = int(G.MaxThreads);
  P->maxBlocksPerMultiProcessor = int(G.MaxBlocks);
  P->canMapHostMemory = P->unifiedAddressing = P->managedMemory = 1;
  P->concurrentKernels = P->asyncEngineCount = 1;
  P->concurrentManagedAccess = P->cooperativeLaunch = 1;
  P->streamPrioritiesSupported = P->globalL1CacheSupported = 1;
  P->localL1CacheSupported = P->memoryPoolsSupported = 1;
  P->l2CacheSize = 50 << 20;
  P->memoryBusWidth = 5120;
  return cudaSuccess;
}

// Long because it has a case for each attribute that a program may ask for.
cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr A, int D) {
  if (!Value)
    return failed(cudaErrorInvalidValue);
  if (D != 0)
    return failed(cudaErrorInvalidDevice);
  cudaDeviceProp P;
  cudaGetDeviceProperties(&P, 0);
  switch (A) {
  case cudaDevAttrMaxThreadsPerBlock:
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
    *Value = 1024;
    break;
  case cudaDevAttrMaxBlockDimZ:
    *Value = 64;
    break;
  case cudaDevAttrMaxGridDimX:
    *Value = 0x7fffffff;
    break;
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    *Value = 65535;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *Value = int(DefaultSharedBytes);
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *Value = int(gpu().MaxSharedPerBlockBytes);
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *Value = int(gpu().CarveoutKiB.back() * 1024);
    break;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    *Value = int(gpu().ReservedSharedPerBlockBytes);
    break;
  case cudaDevAttrTotalConstantMemory:
    *Value = 65536;
    break;
  case cudaDevAttrWarpSize:
    *Value = int(gpu().WarpSize);
    break;
  case cudaDevAttrMaxRegistersPerBlock:
    *Value = 65536;
    break;
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *Value = int(gpu().Registers);
    break;
  case cudaDevAttrClockRate:
    *Value = ClockKHz;
    break;
  case cudaDevAttrMemoryClockRate:
    *Value = MemoryClockKHz;
    break;
  case cudaDevAttrMultiProcessorCount:
    *Value = int(gpu().DefaultSMs);
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *Value = int(gpu().MaxThreads);
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *Value = int(gpu().MaxBlocks);
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *Value = int(gpu().Major);
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *Value = int(gpu().Minor);
    break;
  case cudaDevAttrL2CacheSize:
    *Value = P.l2CacheSize;
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    *Value = P.memoryBusWidth;
    break;
  case cudaDevAttrTextureAlignment:
    *Value = 512;
    break;
  case cudaDevAttrMaxPitch:
    *Value = 0x7fffffff;
    break;
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrAsyncEngineCount:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrMemoryPoolsSupported:
    *Value = 1;
    break;
  default:
    *Value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

} // extern "C"
