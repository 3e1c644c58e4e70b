// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hang is told with what each warp looks at, and who wrote there last: here
// two warps each get before they put.
//
// RUN: not %sluice emulate %s -I%build/include --check=order 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -I%build/include -DFIXED --check=order 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#include <sluice/channel.h>

__global__ void circle(int *out) {
  __shared__ sluice::Channel<int> to, fro;
  sluice::openChannels(to, fro);
  if (threadIdx.x == 0) {
    auto put = to.producer();
    auto get = fro.consumer();
    put.put(1);
    int sum = get.get();
#ifndef FIXED
    sum += get.get();
#endif
    put.put(sum);
  } else if (threadIdx.x == 32) {
    auto get = to.consumer();
    auto put = fro.producer();
    put.put(get.get() + 1);
    put.put(out[0] = get.get());
  }
}
int main() {
  int *out;
  cudaMalloc(&out, 4);
  circle<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: deadlock
// CHECK: in kernel circle
// CHECK: warp 0: lanes 0x00000001 run at {{.*}}hang-channel.cu:19
// CHECK-NEXT: it looks at shared memory at 0x{{[0-9a-f]+}}, at {{.*}}hang-channel.cu:19
// CHECK-NEXT: thread (0,0,0) of block (0,0,0) (warp 0) wrote to it last, at {{.*}}hang-channel.cu:17
// CHECK: warp 1: lanes 0x00000001 run at {{.*}}hang-channel.cu:26
// CHECK-NEXT: it looks at shared memory
// CHECK-NEXT: thread (32,0,0) of block (0,0,0) (warp 1) wrote to it last, at {{.*}}hang-channel.cu:25
// FIXED-NOT: error:
