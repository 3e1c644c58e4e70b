// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wavefront hands values over in words that are loaded and stored whole,
// relaxed, and takes its rows by an ordered ticket. Where a warp is inside the
// grid a step has two shuffles and no branch.
//
// RUN: %plain-cc %s -I%build/include --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_70 -Wall -Werror | FileCheck %s
// RUN: %plain-cc %s -I%build/include --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_80 -Wall -Werror | FileCheck %s
// RUN: %plain-cc %s -I%build/include -Wall -Werror | FileCheck %s

#include <sluice/wavefront.h>

struct Sum {
  const int *In;
  int *Out, Columns;
  __device__ int outside(int, int) const { return 0; }
  __device__ int fetch(int i, int j) const { return In[i * Columns + j]; }
  __device__ int fire(int, int, int in, int north, int west) const { return in + north + west; }
  __device__ void store(int i, int j, int value) const { Out[i * Columns + j] = value; }
};
using Sums = sluice::Wavefront<int, sluice::From<1, 0>, sluice::From<0, 1>>;

// CHECK-LABEL: .entry sums(
// CHECK-NOT: .local
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK-DAG: ld.relaxed.gpu.global.b64
// CHECK-DAG: ld.relaxed.cta.shared.b64
// CHECK-DAG: st.relaxed.gpu.b64
// CHECK-NOT: membar
// CHECK: {{shfl.sync.up.b32.*[[:space:]]+(.*[[:space:]]+){1,12}shfl.sync.idx.b32}}
extern "C" __global__ void sums(Sum sum, void *space, int rows, int columns) {
  __shared__ Sums::Shared<4> shared;
  Sums::run(shared, space, rows, columns, sum);
}
