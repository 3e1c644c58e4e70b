// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What clang and nvcc call by different names, for the headers here that users
/// include. Nothing here is called from outside.

#ifndef SLUICE_DEVICE_H
#define SLUICE_DEVICE_H

#if __cplusplus < 201703L
#error "the headers of sluice for CUDA need C++17"
#endif

#define SLUICE_DEVICE __device__ inline __attribute__((always_inline))

namespace sluice {
namespace detail {

using Address = unsigned long long;

constexpr unsigned AllLanes = ~0u, Lanes = 32;

#ifdef __clang__
SLUICE_DEVICE unsigned activeLanes() { return __nvvm_activemask(); }
SLUICE_DEVICE void meet(unsigned Lanes) { __nvvm_bar_warp_sync(Lanes); }
SLUICE_DEVICE bool doAll(unsigned Lanes, bool Does) {
  return __nvvm_vote_all_sync(Lanes, Does);
}
SLUICE_DEVICE unsigned whoDoes(unsigned Lanes, bool Does) {
  return __nvvm_vote_ballot_sync(Lanes, Does);
}
SLUICE_DEVICE unsigned ofLane(unsigned Value, unsigned Lane) {
  return __nvvm_shfl_sync_idx_i32(AllLanes, Value, Lane, 31);
}
/// Of the lane before; lane 0 keeps its own.
SLUICE_DEVICE unsigned ofLaneBefore(unsigned Value) {
  return __nvvm_shfl_sync_up_i32(AllLanes, Value, 1, 0);
}
SLUICE_DEVICE unsigned laneNumber() { return __nvvm_read_ptx_sreg_laneid(); }
SLUICE_DEVICE unsigned count(unsigned Lanes) {
  return __builtin_popcount(Lanes);
}
SLUICE_DEVICE unsigned firstOf(unsigned Lanes) { return __builtin_ctz(Lanes); }
SLUICE_DEVICE void fenceBlock() { __nvvm_membar_cta(); }
SLUICE_DEVICE void barrier() { __nvvm_bar_sync(0); }
SLUICE_DEVICE void sleep(unsigned Nanoseconds) {
  __nvvm_nanosleep(Nanoseconds);
}
SLUICE_DEVICE bool tryLock(unsigned *Lock, unsigned Value) {
  unsigned Free = 0;
  return __scoped_atomic_compare_exchange_n(Lock, &Free, Value, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                            __MEMORY_SCOPE_WRKGRP);
}
SLUICE_DEVICE void countDown(unsigned *Lock) {
  __scoped_atomic_fetch_sub(Lock, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}
/// In the window of shared memory.
SLUICE_DEVICE unsigned sharedAddress(const void *Of) {
  return unsigned(reinterpret_cast<Address>(
      (const __attribute__((address_space(3))) void *)Of));
}
SLUICE_DEVICE bool isShared(const void *Of) {
  return __nvvm_isspacep_shared(Of);
}
#else
SLUICE_DEVICE unsigned activeLanes() { return __activemask(); }
SLUICE_DEVICE void meet(unsigned Lanes) { __syncwarp(Lanes); }
SLUICE_DEVICE bool doAll(unsigned Lanes, bool Does) {
  return __all_sync(Lanes, Does);
}
SLUICE_DEVICE unsigned whoDoes(unsigned Lanes, bool Does) {
  return __ballot_sync(Lanes, Does);
}
SLUICE_DEVICE unsigned ofLane(unsigned Value, unsigned Lane) {
  return __shfl_sync(AllLanes, Value, Lane);
}
SLUICE_DEVICE unsigned ofLaneBefore(unsigned Value) {
  return __shfl_up_sync(AllLanes, Value, 1);
}
SLUICE_DEVICE unsigned laneNumber() {
  unsigned Lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(Lane));
  return Lane;
}
SLUICE_DEVICE unsigned count(unsigned Lanes) { return __popc(Lanes); }
SLUICE_DEVICE unsigned firstOf(unsigned Lanes) { return __ffs(Lanes) - 1; }
SLUICE_DEVICE void fenceBlock() { __threadfence_block(); }
SLUICE_DEVICE void barrier() { __syncthreads(); }
SLUICE_DEVICE void sleep(unsigned Nanoseconds) { __nanosleep(Nanoseconds); }
SLUICE_DEVICE bool tryLock(unsigned *Lock, unsigned Value) {
  return atomicCAS_block(Lock, 0u, Value) == 0;
}
SLUICE_DEVICE void countDown(unsigned *Lock) { atomicSub_block(Lock, 1u); }
SLUICE_DEVICE unsigned sharedAddress(const void *Of) {
  return unsigned(__cvta_generic_to_shared(Of));
}
SLUICE_DEVICE bool isShared(const void *Of) { return __isShared(Of); }
#endif

SLUICE_DEVICE unsigned threadNumber() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
SLUICE_DEVICE unsigned threadCount() {
  return blockDim.x * blockDim.y * blockDim.z;
}

} // namespace detail
} // namespace sluice

#endif
