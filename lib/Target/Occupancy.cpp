// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Occupancy, left to NVIDIA's own calculator: Sluice checks what the user
/// gave, fills in the device, and turns the answer into the L1 that is left.

#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cuda_occupancy.h>

using namespace llvm;
using namespace sluice;

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability": the same for every architecture.
static constexpr unsigned SharedPerBlockWithoutOptInBytes = 48 * 1024;

static Error checkRequest(const GPUModel &GPU, const BlockResources &Block,
                          std::optional<uint64_t> GridBlocks, unsigned SMs) {
  if (Block.ThreadsPerBlock == 0 || Block.ThreadsPerBlock > MostThreadsPerBlock)
    return createStringError(
        formatv("a block of {0} threads is not possible: {1} takes 1 to {2}",
                Block.ThreadsPerBlock, GPU.Name, MostThreadsPerBlock));
  if (Block.RegistersPerThread > GPU.MaxRegistersPerThread)
    return createStringError(
        formatv("{0} registers a thread are too many: {1} has at most {2}",
                Block.RegistersPerThread, GPU.Name, GPU.MaxRegistersPerThread));
  // Each alone first, so that the sum cannot wrap.
  uint64_t Limit = GPU.MaxSharedPerBlockBytes;
  if (Block.StaticSharedBytes > Limit || Block.DynamicSharedBytes > Limit ||
      Block.StaticSharedBytes + Block.DynamicSharedBytes > Limit)
    return createStringError(formatv(
        "{0} bytes static and {1} bytes dynamic shared memory are too "
        "much for a block: {2} has at most {3} bytes",
        Block.StaticSharedBytes, Block.DynamicSharedBytes, GPU.Name, Limit));
  if (GridBlocks && *GridBlocks == 0)
    return createStringError("a grid of 0 blocks runs nothing");
  if (SMs == 0)
    return createStringError("a GPU of 0 SMs runs nothing");
  return Error::success();
}

static cudaOccDeviceProp deviceProperties(const GPUModel &GPU) {
  cudaOccDeviceProp Device;
  Device.computeMajor = int(GPU.Major);
  Device.computeMinor = int(GPU.Minor);
  Device.maxThreadsPerBlock = MostThreadsPerBlock;
  Device.maxThreadsPerMultiprocessor = int(GPU.MaxThreads);
  Device.regsPerBlock = int(GPU.Registers);
  Device.regsPerMultiprocessor = int(GPU.Registers);
  Device.warpSize = int(GPU.WarpSize);
  Device.sharedMemPerBlock = SharedPerBlockWithoutOptInBytes;
  Device.sharedMemPerMultiprocessor = size_t(GPU.CarveoutKiB.back()) * 1024;
  Device.numSms = 1; // occupancy is of one SM
  Device.sharedMemPerBlockOptin = GPU.MaxSharedPerBlockBytes;
  Device.reservedSharedMemPerBlock = GPU.ReservedSharedPerBlockBytes;
  return Device;
}

static std::string limitNames(unsigned LimitingFactors) {
  SmallVector<StringRef, 4> Names;
  if (LimitingFactors & OCC_LIMIT_WARPS)
    Names.push_back("warps");
  if (LimitingFactors & OCC_LIMIT_REGISTERS)
    Names.push_back("registers");
  if (LimitingFactors & OCC_LIMIT_SHARED_MEMORY)
    Names.push_back("shared memory");
  if (LimitingFactors & OCC_LIMIT_BLOCKS)
    Names.push_back("blocks");
  return join(Names, ", ");
}

Expected<Occupancy> sluice::computeOccupancy(const GPUModel &GPU,
                                             const BlockResources &Block,
                                             std::optional<uint64_t> GridBlocks,
                                             unsigned SMs) {
  if (Error E = checkRequest(GPU, Block, GridBlocks, SMs))
    return E;

  cudaOccDeviceProp Device = deviceProperties(GPU);
  cudaOccFuncAttributes Function;
  Function.maxThreadsPerBlock = MostThreadsPerBlock;
  Function.numRegs = int(Block.RegistersPerThread);
  Function.sharedSizeBytes = Block.StaticSharedBytes;
  Function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  Function.maxDynamicSharedSizeBytes = Block.DynamicSharedBytes;
  cudaOccDeviceState State; // the driver's default carveout

  cudaOccResult Result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &Result, &Device, &Function, &State, int(Block.ThreadsPerBlock),
          Block.DynamicSharedBytes) != CUDA_OCC_SUCCESS)
    return createStringError(
        formatv("the cuda_occupancy.h that Sluice was built with does not "
                "know {0}; build with a newer CUDA toolkit",
                GPU.Name));
  if (Result.activeBlocksPerMultiprocessor <= 0)
    return createStringError(
        formatv("a block of {0} threads with {1} registers each does not fit "
                "the {2} registers of an SM of {3}",
                Block.ThreadsPerBlock, Block.RegistersPerThread, GPU.Registers,
                GPU.Name));

  Occupancy O;
  O.BlocksPerSM = Result.activeBlocksPerMultiprocessor;
  O.LimitedBy = limitNames(Result.limitingFactors);
  if (GridBlocks) {
    uint64_t FromGrid = divideCeil(*GridBlocks, uint64_t(SMs));
    if (FromGrid < O.BlocksPerSM) {
      O.BlocksPerSM = unsigned(FromGrid);
      O.LimitedBy = "grid";
    }
  }
  O.WarpsPerSM =
      O.BlocksPerSM * unsigned(divideCeil(Block.ThreadsPerBlock, GPU.WarpSize));
  // The driver picks it for the kernel, before it knows the grid.
  O.CarveoutKiB = GPU.defaultCarveoutKiB(
      unsigned(Result.activeBlocksPerMultiprocessor),
      Block.StaticSharedBytes + Block.DynamicSharedBytes);
  O.L1Bytes = GPU.l1Bytes(O.CarveoutKiB);
  return O;
}
