// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the file shows launches of a kernel, one of them must be of small
// blocks, or of blocks that are not known. By a thread that does the work of
// several they may be of any size, but in a large grid.
//
// RUN: %plain-cc %sluice-load %s -o %t.ptx -Rpass-missed=sluice-merged-blocks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: grep '[.]entry' %t.ptx | FileCheck %s --implicit-check-not=__sluice_merged
//
// REMARK: [[@LINE+1]]:{{.*}} remark: {{.*}}: its launches in this file are of larger blocks or smaller grids
extern "C" __global__ void larger(int *a) {
  using Four = int __attribute__((ext_vector_type(4)));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Four *all = reinterpret_cast<Four *>(a);
  all[2 * i] = all[2 * i + 1];
}

// CHECK: .entry __sluice_merged$3$1$128$8$0$1024$5$large(
extern "C" __global__ void large(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

extern "C" __global__ void fewer(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// CHECK: .entry __sluice_merged$3$1$128$8$0$1024$5$small(
extern "C" __global__ void small(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// CHECK: .entry __sluice_merged$3$1$128$8$0$1024$7$unknown(
extern "C" __global__ void unknown(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

void launch(int *a, int n, int threads) {
  larger<<<n / 256, 256>>>(a);
  larger<<<16, 64>>>(a);
  large<<<n / 256, 256>>>(a);
  fewer<<<4080, 256>>>(a);
  small<<<n / 256, 256>>>(a);
  small<<<n / 64, 64>>>(a);
  unknown<<<n / threads, threads>>>(a);
}

