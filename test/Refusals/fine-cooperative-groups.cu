// What concerns one warp only is fine, and so are printf and assert, with the
// toolkit's headers.
//
// RUN: %sluicexx %s --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o %t --sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: grep -c bar.sync %t | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: {{^}}1{{$}}

#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  // CHECK: fine-cooperative-groups.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    tile.sync();
    y[i] += tile.shfl_down(y[i], 1);
    __syncwarp();
    assert(i < n);
    if (y[i] > 8)
      printf("%d\n", i);
  }
}
