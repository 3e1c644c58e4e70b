// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose threads work together in a block, by shared memory, barriers
// and what passes between lanes. A thread does the work of several blocks, and
// meets the others of its own once for all of them.
//
// RUN: %merged-cc=auto %s -Rpass-missed=sluice-merged-blocks 2>%t.remarks > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: grep '[.]entry __sluice_merged' %t.ptx | FileCheck %s --check-prefix=ONLY

constexpr int Threads = 64;

// Each block has its own array. What one lane stores counts little: eight.
// ONLY: __sluice_merged$3$2$0$8$0$1024$6$reduce(
// CHECK-LABEL: .entry __sluice_merged$3$2$0$8$0$1024$6$reduce(
// CHECK: .shared .align 4 .b8 {{.*}}of_blocks[2048]
// CHECK-COUNT-8: ld.global
// CHECK-COUNT-8: st.shared
// CHECK: bar.sync
// CHECK-COUNT-16: ld.shared
// CHECK: barrier.sync
extern "C" __global__ void reduce(const float *in, float *out) {
  __shared__ float all[Threads];
  const int t = threadIdx.x;
  all[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
#pragma unroll 1
  for (int k = Threads / 2; k > 0; k >>= 1) {
    if (t < k)
      all[t] += all[t + k];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = all[0];
}

// Launches say how much they have; each block has an equal share. Whether the
// blocks agree is asked of all threads, as all go one way.
// ONLY-NEXT: __sluice_merged$3$3$0$4$1$1024$7$dynamic(
// CHECK-LABEL: .entry __sluice_merged$3$3$0$4$1$1024$7$dynamic(
// CHECK: {{bar|barrier}}{{.*}}.red.and.pred
// CHECK: %dynamic_smem_size
extern "C" __global__ void dynamic(const float *in, float *out, int n) {
  extern __shared__ float some[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  some[t] = i < n ? in[i] : 0;
  __syncthreads();
  out[i] = some[t ^ 1] + 1;
}

// Lanes of whole warps.
// ONLY-NEXT: __sluice_merged$3$2$0$8$0$1024$5$warps(
extern "C" __global__ void warps(const int *in, int *out) {
  __shared__ int all[32];
  const int t = threadIdx.x;
  int x = in[blockIdx.x * blockDim.x + t];
  for (int d = 16; d > 0; d >>= 1)
    x += __nvvm_shfl_sync_bfly_i32(~0u, x, d, 31);
  if (__nvvm_read_ptx_sreg_laneid() == 0)
    all[t / 32] = x;
  __syncthreads();
  if (t < 32) {
    x = t < blockDim.x / 32 ? all[t] : 0;
    for (int d = 16; d > 0; d >>= 1)
      x += __nvvm_shfl_sync_bfly_i32(~0u, x, d, 31);
    if (t == 0)
      out[blockIdx.x] = x;
  }
}

// A loop that goes over what the threads of a block share out counts once.
// ONLY-NEXT: __sluice_merged$3$4$0$4$0$1024$4$rows(
extern "C" __global__ void rows(const int *in, int *out, int n, int by) {
  __shared__ int row[256];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    row[i] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = row[i * by % n];
}

// Who has returned would be waited for, where blocks come one after the other.
// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: some threads of a block come to no barrier, or may
extern "C" __global__ void returned(const int *in, int *out, int n) {
  __shared__ int all[Threads];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n)
    return;
  all[t] = in[i];
  __syncthreads();
  out[i] = all[0];
}

// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: some lanes of a warp work together without the others, or may
extern "C" __global__ void lanes(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  if (threadIdx.x < 24)
    x += __nvvm_shfl_sync_bfly_i32(0xffffff, x, 1, 31);
  out[i] = x;
}

// Lanes leave the loop in different iterations, in each of which all have the
// same number.
// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: some lanes of a warp work together without the others, or may
extern "C" __global__ void left(const int *in, int *out, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  int x = in[i], number = by, k = 0;
#pragma unroll 1
  do {
    number = number * 5 + by;
    ++k;
  } while (k < (t & 7));
  if (number & 4) {
    x += __nvvm_shfl_sync_bfly_i32(~0u, x, 16, 31);
    out[i] = x;
  }
}

// Shares of what the launch asks for begin at multiples of 16 bytes.
// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: its dynamic shared memory is aligned to more than 16 bytes
extern "C" __global__ void aligned(const int *in, int *out) {
  extern __shared__ __attribute__((aligned(128))) int most[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  most[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = most[threadIdx.x ^ 1];
}

// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: what is loaded decides where blocks go on
extern "C" __global__ void loaded(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[blockIdx.x] > 0) {
    __syncthreads();
    out[i] = 1;
  }
}

// REMARK: [[@LINE+1]]:{{.*}} remark: no thread {{.*}}: blocks part behind what is written
extern "C" __global__ void rounded(const int *in, int *out, float x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = in[i];
  __syncthreads();
  if (i * 0.3f < x)
    out[i] = y;
}

// ONLY-NOT: entry
