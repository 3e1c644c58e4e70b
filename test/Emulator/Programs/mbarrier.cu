// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// RUN: %sluice emulate %s --fail-fast --schedule-seed=7 | FileCheck %s
// CHECK: PASS
// Barriers in shared memory: inline PTX, and the builtins that become
// intrinsics.
#include "Inputs/check.h"

using Word = unsigned long long;

__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(Word *b, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)), "r"(count) : "memory");
}
__device__ void invalidate(Word *b) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address(b)) : "memory");
}
__device__ Word arrive(Word *b) {
  Word state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(b)) : "memory");
  return state;
}
__device__ void arriveNoState(Word *b) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
}
__device__ Word arrive(Word *b, unsigned count) {
  Word state;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(address(b)), "r"(count) : "memory");
  return state;
}
__device__ bool over(Word *b, Word state) {
  unsigned is;
  asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.b32 %0, 1, 0, p;\n\t}"
               : "=r"(is) : "r"(address(b)), "l"(state) : "memory");
  return is;
}
// A generic address, and a hint how long it may sleep.
__device__ void waitParity(Word *b, unsigned parity) {
  unsigned is;
  do
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.b64 p, [%1], %2, 1000;\n\tselp.b32 %0, 1, 0, p;\n\t}"
                 : "=r"(is) : "l"(b), "r"(parity) : "memory");
  while (!is);
}

// Two warps fill one of two stages while two others empty the other.
__global__ void stages(const int *in, int *out, int rounds) {
  __shared__ Word full[2], empty[2];
  __shared__ int data[2][64];
  int t = threadIdx.x % 64;
  out += blockIdx.x * rounds * 64;
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 64);
    init(&empty[threadIdx.x], 64);
  }
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    int s = r % 2, parity = r / 2 % 2;
    if (threadIdx.x < 64) {
      waitParity(&empty[s], !parity); // at once in the first rounds
      data[s][t] = in[r * 64 + t] + r;
      arriveNoState(&full[s]);
    } else {
      waitParity(&full[s], parity);
      out[r * 64 + t] = data[s][63 - t];
      arriveNoState(&empty[s]);
    }
  }
  __syncthreads();
  if (threadIdx.x < 2)
    invalidate(&full[threadIdx.x]);
}

// One lane of a warp arrives for all of it. After each round a warp leaves, and
// is not waited for in the next.
__global__ void dropping(int *out) {
  __shared__ Word b;
  __shared__ int sum;
  int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (threadIdx.x == 0) {
    init(&b, blockDim.x);
    sum = 0;
  }
  __syncthreads();
  int expected = 0, good = 0;
  for (int r = 0; r < warp; ++r) {
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&sum, 1);
      arrive(&b, 32);
    }
    waitParity(&b, r % 2);
    expected += warps - r;
    good += atomicAdd(&sum, 0) >= expected;
    __syncwarp();
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sum, 1);
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0], 32;" ::"r"(address(&b)) : "memory");
  }
  out[threadIdx.x] = good;
}

// A phase is over when the bytes it expects have come, too.
__global__ void bytes(int *out) {
  __shared__ Word b;
  __shared__ int data[32];
  unsigned at = address(&b);
  int t = threadIdx.x;
  if (t == 0)
    init(&b, 32);
  __syncthreads();
  if (t < 32) {
    Word state;
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], 8;" : "=l"(state) : "r"(at) : "memory");
    while (!over(&b, state))
      ;
    out[t] = data[31 - t];
  } else {
    data[t - 32] = 3 * t;
    for (int i = 0; i < 2; ++i)
      asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4;" ::"r"(at) : "memory");
  }
}

// What a state tells, and of what phase it is.
__global__ void states(int *out) {
  __shared__ Word b;
  __nvvm_mbarrier_init((long *)&b, 5);
  Word first;
  unsigned pending;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;" : "=l"(first) : "r"(address(&b)) : "memory");
  out[0] = __nvvm_mbarrier_pending_count(first);
  Word second = __nvvm_mbarrier_arrive((long *)&b);
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(second));
  out[1] = pending;
  out[2] = __nvvm_mbarrier_test_wait((long *)&b, second);
  Word third = __nvvm_mbarrier_arrive_drop((long *)&b);
  out[3] = __nvvm_mbarrier_test_wait((long *)&b, second);
  out[4] = over(&b, third);
  out[5] = over(&b, arrive(&b));
  out[6] = over(&b, __nvvm_mbarrier_arrive_noComplete((long *)&b, 2));
  Word fifth = arrive(&b);
  out[7] = over(&b, fifth);
  __nvvm_mbarrier_inval((long *)&b);
}

// Intrinsics that have no builtin.
using Shared = __attribute__((address_space(3))) Word;
__device__ Word arriveCount(Shared *, int) asm("llvm.nvvm.mbarrier.arrive.scope.cta.space.cta");
__device__ Word dropExpecting(Shared *, int) asm("llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cluster.space.cta");
__device__ void complete(Shared *, int) asm("llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cta");
__device__ bool tryWait(Shared *, int, int) asm("llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta");
__device__ bool testWait(Shared *, Word) asm("llvm.nvvm.mbarrier.test.wait.relaxed.scope.cta.space.cta");

__global__ void scoped(int *out) {
  __shared__ Word b;
  Shared *s = (Shared *)&b;
  init(&b, 4);
  arriveCount(s, 3);
  Word state = dropExpecting(s, 16);
  out[0] = testWait(s, state);
  complete(s, 16);
  out[1] = testWait(s, state);
  out[2] = tryWait(s, 0, 100);
  out[3] = tryWait(s, 1, 100);
  out[4] = __nvvm_mbarrier_pending_count(arriveCount(s, 1));
}

// The copies of all lanes are there when a phase is over.
__global__ void copies(const int *in, int *out) {
  __shared__ Word b;
  __shared__ int data[64];
  int t = threadIdx.x;
  if (t == 0)
    init(&b, 64);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\t"
               "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];"
               ::"r"(address(&data[t])), "l"(in + t), "r"(address(&b)) : "memory");
  waitParity(&b, 0);
  int sum = data[63 - t];
  asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(&b) : "memory");
  Word state = arrive(&b);
  while (!over(&b, state))
    ;
  out[t] = sum;
}

int main() {
  const int rounds = 7;
  Buffer<int> in(64 * rounds, [](size_t i) { return int(i * i); });
  Buffer<int> a(2 * 64 * rounds), b(128), c(32), d(8), e(64), f(5);
  stages<<<2, 128>>>(in, a, rounds);
  dropping<<<1, 128>>>(b);
  bytes<<<1, 64>>>(c);
  states<<<1, 1>>>(d);
  copies<<<1, 64>>>(in, e);
  scoped<<<1, 1>>>(f);
  a.check("stages", [&](size_t i) {
    int r = i / 64 % rounds;
    return in.host[r * 64 + 63 - i % 64] + r;
  });
  b.check("dropping", [](size_t i) { return int(i / 32); });
  c.check("bytes", [](size_t i) { return 3 * int(63 - i); });
  d.check("states", [](size_t i) {
    const int expected[] = {5, 2, 0, 1, 1, 0, 0, 1};
    return expected[i];
  });
  e.check("copies", [&](size_t i) { return in.host[63 - i]; });
  f.check("scoped", [](size_t i) {
    const int expected[] = {0, 1, 1, 0, 3};
    return expected[i];
  });
  return finish();
}
