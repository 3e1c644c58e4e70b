// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions that nvcc declares and clang 22 does not, from
// sluice/functions.h: cub's sums of int over a warp and a block are one
// instruction for each warp, and accesses with cache operators move all bytes.
//
// RUN: %sluicexx -std=c++17 -O2 -Werror --cuda-gpu-arch=sm_90 --cuda-device-only -S %s -o - | FileCheck %s --check-prefix=PTX
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <stdio.h>
#include <string.h>

// PTX-LABEL: .entry _Z8sumWarps
// PTX-NOT: shfl
// PTX: redux.sync.add.s32
// PTX-NOT: shfl
__global__ void sumWarps(int *Sums, const int *Values) {
  __shared__ cub::WarpReduce<int>::TempStorage Temp[4];
  int Sum = cub::WarpReduce<int>(Temp[threadIdx.x / 32])
                .Sum(Values[threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    Sums[threadIdx.x / 32] = Sum;
}

// PTX-LABEL: .entry _Z8sumBlock
// PTX-NOT: shfl
// PTX: redux.sync.add.s32
// PTX-NOT: shfl
// PTX-LABEL: .entry
__global__ void sumBlock(int *Sums, const int *Values) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage Temp;
  int Sum = Reduce(Temp).Sum(Values[threadIdx.x]);
  if (threadIdx.x == 0)
    Sums[4] = Sum;
}

// One of the program's own goes before those of the header.
struct Pair {
  int First, Second;
};
__device__ void __stcs(Pair *To, Pair Value) {
  To->First = Value.Second;
  To->Second = Value.First;
}
__device__ void __stwb(int *To, int Value) { *To = -Value; }

template <typename T> __global__ void copy(T *To, const T *From) {
  int I = threadIdx.x;
  __stcs(To + I, __ldca(From + I));
  __stcg(To + I + 32, __ldlu(From + I + 32));
}

// PTX: ld.global.ca.u64
// PTX: st.global.wt.u64
__global__ void others(unsigned long *U, long *L, float *F, Pair *P, int *I) {
  __stwt(U, __ldcg(U + 1) + __ldcs(U + 2) + __ldcv(U + 3));
  __stwt(L, __ldca(L + 1));
  __stwb(F, 2); // an int, for a float
  __stcs(P, Pair{1, 2});
  __stwb(I, 3);
  static_assert(__is_same(decltype(__reduce_add_sync(1, 1u)), unsigned));
  static_assert(__is_same(decltype(__reduce_add_sync(1, short(1))), int));
  I[1] = __reduce_add_sync(1, -5) / 2;
}

template <typename T> T *managed(int Count) {
  T *Memory;
  cudaMallocManaged(&Memory, Count * sizeof(T));
  for (size_t I = 0; I < Count * sizeof(T); ++I)
    ((unsigned char *)Memory)[I] = 37 * I + I / 256;
  return Memory;
}

template <typename T> bool isCopied() {
  T *From = managed<T>(64), *To = managed<T>(64);
  memset(To, 0, 64 * sizeof(T));
  copy<<<1, 32>>>(To, From);
  cudaDeviceSynchronize();
  return memcmp(To, From, 64 * sizeof(T)) == 0;
}

template <typename... Types> int numCopied() { return (isCopied<Types>() + ...); }

int main() {
  int *Values = managed<int>(128), *Sums = managed<int>(5), Sum = 0;
  for (int I = 0; I < 128; ++I)
    Sum += Values[I] = 7 * I - 300;
  sumWarps<<<1, 128>>>(Sums, Values);
  sumBlock<<<1, 128>>>(Sums, Values);
  cudaDeviceSynchronize();
  // CHECK: 1 1
  printf("%d %d\n", Sums[4] == Sum, Sums[0] + Sums[1] + Sums[2] + Sums[3] == Sum);
  // CHECK: 30 copied
  printf("%d copied\n",
         numCopied<char, signed char, unsigned char, short, unsigned short, int,
                   unsigned, long, unsigned long, long long, unsigned long long,
                   float, double, char2, char4, uchar2, uchar4, short2, short4,
                   ushort2, ushort4, int2, int4, uint2, uint4, longlong2,
                   ulonglong2, float2, float4, double2>());
  unsigned long *U = managed<unsigned long>(4), Before = U[1] + U[2] + U[3];
  long *L = managed<long>(2);
  float *F = managed<float>(1);
  Pair *P = managed<Pair>(1);
  int *I = managed<int>(2);
  others<<<1, 1>>>(U, L, F, P, I);
  cudaDeviceSynchronize();
  // CHECK: 1 1 2 2 1 -3 -2
  printf("%d %d %g %d %d %d %d\n", U[0] == Before, L[0] == L[1], *F, P->First,
         P->Second, I[0], I[1]);
}
