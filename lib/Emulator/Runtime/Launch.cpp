// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, what is asked of kernels, and errors.

#include "Runtime.h"
#include <cstring>
#include <vector>

using namespace sluice::emulator;
using namespace sluice::emulator::runtime;

static thread_local cudaError_t LastError = cudaSuccess;
static cudaError_t Sticky = cudaSuccess;

cudaError_t sluice::emulator::runtime::failed(cudaError_t Error) {
  if (Error != cudaSuccess)
    LastError = Error;
  return Error;
}
cudaError_t sluice::emulator::runtime::stickyError() { return failed(Sticky); }
void sluice::emulator::runtime::setStickyError(cudaError_t Error) {
  if (Sticky == cudaSuccess)
    Sticky = Error;
}
void sluice::emulator::runtime::resetErrors() {
  Sticky = LastError = cudaSuccess;
}

static cudaError_t launch(const void *Host, const LaunchShape &Shape,
                          void **Arguments, HostPlace Where) {
  if (cudaError_t E = stickyError())
    return E;
  LoadedKernel *Kernel = kernelOf(Host);
  if (!Kernel)
    return failed(cudaErrorInvalidDeviceFunction);
  switch (Device::get().launch(*Kernel, Shape, Arguments, Where)) {
  case LaunchStatus::Success:
  case LaunchStatus::CheckFailed: // reported; hardware would go on
    return cudaSuccess;
  case LaunchStatus::InvalidConfiguration:
    return failed(cudaErrorInvalidConfiguration);
  case LaunchStatus::OutOfResources:
    return failed(Shape.Cooperative ? cudaErrorCooperativeLaunchTooLarge
                                    : cudaErrorInvalidValue);
  // As on a GPU, these come to light at the next call that looks.
  case LaunchStatus::IllegalAddress:
    setStickyError(cudaErrorIllegalAddress);
    return cudaSuccess;
  case LaunchStatus::MisalignedAddress:
    setStickyError(cudaErrorMisalignedAddress);
    return cudaSuccess;
  case LaunchStatus::Assert:
    setStickyError(cudaErrorAssert);
    return cudaSuccess;
  case LaunchStatus::Trap:
    setStickyError(cudaErrorLaunchFailure);
    return cudaSuccess;
  case LaunchStatus::Hang:
    setStickyError(cudaErrorLaunchTimeout);
    return cudaSuccess;
  case LaunchStatus::Unsupported:
    setStickyError(cudaErrorNotSupported);
    return cudaSuccess;
  }
  return cudaSuccess;
}

static Dim3 toDim3(dim3 D) { return {D.x, D.y, D.z}; }

namespace {
struct Configuration {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
  HostPlace Where; ///< Of the <<<...>>>: what follows is in clang's stub.
};
} // namespace
static thread_local std::vector<Configuration> Configurations;
static thread_local HostPlace LaunchPlace;

extern "C" {

// The names that clang's host code calls.
// NOLINTBEGIN(bugprone-reserved-identifier)
unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                     cudaStream_t Stream) {
  Configurations.push_back({Grid, Block, Shared, Stream, HostPlace::here()});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                       void *Stream) {
  if (Configurations.empty())
    return cudaErrorMissingConfiguration;
  Configuration C = Configurations.back();
  Configurations.pop_back();
  LaunchPlace = C.Where;
  *Grid = C.Grid;
  *Block = C.Block;
  *Shared = C.Shared;
  *static_cast<cudaStream_t *>(Stream) = C.Stream;
  return cudaSuccess;
}
// NOLINTEND(bugprone-reserved-identifier)

cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                             void **Arguments, size_t Shared, cudaStream_t) {
  LaunchShape S;
  S.Grid = toDim3(Grid);
  S.Block = toDim3(Block);
  S.DynamicSharedBytes = Shared;
  HostPlace Where = LaunchPlace;
  LaunchPlace = HostPlace();
  return launch(Function, S, Arguments,
                Where.Frames[0] ? Where : HostPlace::here());
}
cudaError_t cudaLaunchKernel_ptsz(const void *Function, dim3 Grid, dim3 Block,
                                  void **Arguments, size_t Shared,
                                  cudaStream_t Stream) {
  return cudaLaunchKernel(Function, Grid, Block, Arguments, Shared, Stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                        dim3 Block, void **Arguments,
                                        size_t Shared, cudaStream_t) {
  LaunchShape S;
  S.Grid = toDim3(Grid);
  S.Block = toDim3(Block);
  S.DynamicSharedBytes = Shared;
  S.Cooperative = true;
  return launch(Function, S, Arguments, HostPlace::here());
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                const void *Function, void **Arguments) {
  if (!Config)
    return failed(cudaErrorInvalidValue);
  LaunchShape S;
  S.Grid = toDim3(Config->gridDim);
  S.Block = toDim3(Config->blockDim);
  S.DynamicSharedBytes = Config->dynamicSmemBytes;
  for (unsigned I = 0; I < Config->numAttrs; ++I) {
    const cudaLaunchAttribute &A = Config->attrs[I];
    if (A.id == cudaLaunchAttributeCooperative)
      S.Cooperative = A.val.cooperative;
    else if (A.id == cudaLaunchAttributeClusterDimension)
      S.Cluster = {A.val.clusterDim.x, A.val.clusterDim.y, A.val.clusterDim.z};
  }
  return launch(Function, S, Arguments, HostPlace::here());
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Out,
                                  const void *Function) {
  LoadedKernel *K = kernelOf(Function);
  if (!Out || !K)
    return failed(cudaErrorInvalidDeviceFunction);
  const sluice::GPUModel &GPU = Device::get().model();
  std::memset(Out, 0, sizeof *Out);
  Out->sharedSizeBytes = K->StaticSharedBytes;
  Out->constSizeBytes = K->ConstantBytes;
  Out->localSizeBytes = K->LocalBytes;
  Out->maxThreadsPerBlock = int(K->MaxThreadsPerBlock);
  Out->numRegs = int(K->Registers);
  Out->ptxVersion = Out->binaryVersion = int(GPU.Major * 10 + GPU.Minor);
  Out->maxDynamicSharedSizeBytes = int(K->MaxDynamicSharedBytes);
  Out->preferredShmemCarveout = K->PreferredCarveout;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute A,
                                 int Value) {
  LoadedKernel *K = kernelOf(Function);
  if (!K)
    return failed(cudaErrorInvalidDeviceFunction);
  if (A == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (Value < 0 || K->StaticSharedBytes + Value >
                         Device::get().model().MaxSharedPerBlockBytes)
      return failed(cudaErrorInvalidValue);
    K->MaxDynamicSharedBytes = Value;
  } else if (A == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (Value < -1 || Value > 100)
      return failed(cudaErrorInvalidValue);
    K->PreferredCarveout = Value;
  }
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void *Function, cudaFuncCache) {
  return kernelOf(Function) ? cudaSuccess
                            : failed(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaFuncGetName(const char **Name, const void *Function) {
  *Name = kernelNameOf(Function);
  return *Name ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, const void *Function, int Threads, size_t Shared, unsigned) {
  LoadedKernel *K = kernelOf(Function);
  if (!K || !Blocks)
    return failed(cudaErrorInvalidDeviceFunction);
  *Blocks = int(Device::get().residentBlocks(*K, Threads, Shared));
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                          const void *Function,
                                                          int Threads,
                                                          size_t Shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      Blocks, Function, Threads, Shared, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes,
                                                      const void *Function,
                                                      int Blocks, int) {
  LoadedKernel *K = kernelOf(Function);
  if (!K || !Bytes || Blocks < 1)
    return failed(cudaErrorInvalidValue);
  const sluice::GPUModel &GPU = Device::get().model();
  uint64_t Each = uint64_t(GPU.CarveoutKiB.back()) * 1024 / Blocks;
  uint64_t Taken = K->StaticSharedBytes + GPU.ReservedSharedPerBlockBytes;
  *Bytes = Each > Taken ? Each - Taken : 0;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  cudaError_t E = Sticky != cudaSuccess ? Sticky : LastError;
  LastError = cudaSuccess;
  return E;
}
cudaError_t cudaPeekAtLastError() {
  return Sticky != cudaSuccess ? Sticky : LastError;
}

} // extern "C"
