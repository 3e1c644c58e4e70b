// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store to shared memory is left out where a later one of the block writes
// the same before anybody may read it. What a kernel is passed points to global
// memory, so that its loads read none. (LLVM sees that of arrays that only this
// file can name; those of templates are not such.)
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=overwritten
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5; do %same-fewer %s %t int=$n block=64 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=read-store

__shared__ float sums[64];

// REMARK: overwritten.cu:[[#@LINE+11]]:{{[0-9]+}}: remark: 3 stores to shared memory are left out: they are overwritten before anybody may read them [-Rpass=sluice-fewer-instructions]

// CHECK-LABEL: .entry inTurn
// CHECK-COUNT-1: st.shared
// CHECK-NOT: st.shared
// CHECK: ret;
// OFF-LABEL: .entry inTurn
// OFF-COUNT-4: st.shared
// OFF: ret;
extern "C" __global__ void inTurn(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  sums[me] = float(n);
  sums[me] += a[me];
  sums[me] += a[me + 1];
  sums[me] += a[me + 2];
  __syncthreads();
  out[me] = sums[me ^ 1];
}

// What is read by another index, which is the same when it runs.
// CHECK-LABEL: .entry readBetween
// CHECK-COUNT-2: st.shared
// CHECK: ret;
extern "C" __global__ void readBetween(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  sums[me] = a[me] + 1;
  const float x = sums[me + (n > 99999)];
  sums[me] = a[me + 1] + x;
  __syncthreads();
  out[me] = sums[me ^ 1];
}

// Other threads read between.
// CHECK-LABEL: .entry barrier
// CHECK-COUNT-2: st.shared
// CHECK: ret;
extern "C" __global__ void barrier(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  sums[me] = a[me] + n;
  __syncthreads();
  sums[me] = a[me + 1] + n;
  __syncthreads();
  out[me] = sums[me ^ 1];
}

// A pointer in global memory may point to shared memory.
// CHECK-LABEL: .entry pointerInMemory
// CHECK-COUNT-3: st.shared
// CHECK: ret;
__device__ const float *table[64];
extern "C" __global__ void pointerInMemory(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  if (n == 12345) {
    sums[me] = a[me] + n;
    const float x = *table[me];
    sums[me] = a[me + 1] + x;
  }
  __syncthreads();
  out[me] = 2;
  sums[me] = a[me] + 3;
  __syncthreads();
  out[me] += sums[me ^ 1];
}

// All arrays that a launch gives their size begin at one place.
// CHECK-LABEL: .entry onePlace
// CHECK-COUNT-2: st.shared
// CHECK: ret;
extern __shared__ float floats[];
extern __shared__ int words[];
extern "C" __global__ void onePlace(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  if (n == 12345) {
    floats[me] = a[me] + 1;
    const int x = words[me];
    floats[me] = a[me + 1] + x;
    __syncthreads();
    out[me] = floats[me ^ 1];
  }
}

// A product would be fused with its sum if it were not stored.
// CHECK-LABEL: .entry product
// CHECK-COUNT-2: st.shared
// CHECK: ret;
extern "C" __global__ void product(const float *a, float *out, int n) {
  const int me = threadIdx.x;
  sums[me] = a[me] * n;
  sums[me] += a[me + 1];
  __syncthreads();
  out[me] = sums[me ^ 1];
}

// Volatile is what the source says.
// CHECK-LABEL: .entry asWritten
// CHECK-COUNT-3: st.volatile.shared
// CHECK: ret;
extern "C" __global__ void asWritten(const float *a, float *out, int n) {
  volatile float *sums = ::sums;
  const int me = threadIdx.x;
  sums[me] = a[me] + n;
  sums[me] = a[me + 1] + n;
  sums[me] = a[me + 2] + n;
  __syncthreads();
  out[me] = sums[me ^ 1];
}
