// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s -w --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// libcu++'s barriers and pipelines of a block. clang wants trivial constructors
// of __shared__ variables, so these are made in raw shared memory.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "Inputs/check.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;

__global__ void exchange(const int *in, int *out) {
  __shared__ __align__(8) char storage[sizeof(Barrier)];
  __shared__ int data[2][96];
  Barrier &barrier = *(Barrier *)storage;
  int t = threadIdx.x;
  if (t == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  data[0][t] = in[t];
  for (int r = 0; r < 5; ++r) {
    Barrier::arrival_token token = barrier.arrive();
    barrier.wait(std::move(token));
    data[1 - r % 2][t] = data[r % 2][95 - t] + 1;
  }
  barrier.arrive_and_wait();
  out[t] = data[1][95 - t];
  if (t < 64)
    barrier.arrive_and_drop();
  else
    barrier.arrive_and_wait();
}

__global__ void copies(const int *in, int *out) {
  __shared__ __align__(8) char storage[sizeof(Barrier)];
  __shared__ int data[64];
  Barrier *barrier = (Barrier *)storage;
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0)
    new (barrier) Barrier(block.size());
  block.sync();
  cuda::memcpy_async(block, data, in, sizeof data, *barrier);
  barrier->arrive_and_wait();
  out[threadIdx.x] = data[63 - threadIdx.x];
}

__global__ void stages(const int *in, int *out, int rounds) {
  __shared__ __align__(8) char storage[sizeof(State)];
  __shared__ int data[2][64];
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, (State *)storage);
  auto fetch = [&](int r) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, data[r % 2], in + 64 * r, sizeof data[0], pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds)
      fetch(r + 1);
    pipeline.consumer_wait();
    out[r * 64 + threadIdx.x] = data[r % 2][63 - threadIdx.x];
    pipeline.consumer_release();
  }
}

int main() {
  const int rounds = 6;
  Buffer<int> in(64 * rounds, [](size_t i) { return int(i * i); });
  Buffer<int> a(96), b(64), c(64 * rounds);
  exchange<<<1, 96>>>(in, a);
  copies<<<1, 64>>>(in, b);
  stages<<<1, 64>>>(in, c, rounds);
  a.check("exchange", [&](size_t i) { return in.host[i] + 5; });
  b.check("copies", [&](size_t i) { return in.host[63 - i]; });
  c.check("stages", [&](size_t i) { return in.host[i / 64 * 64 + 63 - i % 64]; });
  return finish();
}
