// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N looked up in the kernel: for which kernels, and in which code. (What it does
// when it runs: by-launch-run.cu.)
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 7anyGrid:1 8anyBlock:1 10launchless:1 7bounded:1 7dynamic:same 10unlaunched:same 7smaller:same 6shared:same 7distant:1 8twoSides:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off grid=8 block=256 -fplugin-arg-sluice-sms=2 skip=shared,unlaunched,distant,bounded
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off grid=3 block=100 -fplugin-arg-sluice-sms=2 skip=shared,unlaunched,distant,bounded
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off grid=8 block=256 -fplugin-arg-sluice-sms=2 skip=shared,unlaunched,smaller,distant,dynamic,twoSides,bounded -fplugin-arg-sluice-test-wrong-rewrite=skip-turn expect=different

#define BODY                                                                   \
  (const float *A, const float *B, float *sums) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    for (int j = 0; j < 256; ++j)                                              \
      sums[i] += A[i * 256 + j] * B[i * 256 + j];                              \
  }

// CHECK: remark: loop of 'anyGrid' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks): footprint {{[0-9]+}} B (8 blocks of {{[0-9]+}} lines) is beyond the L1 of 229376 B; with N=4 it is {{[0-9]+}} B (at most 8 blocks of 256 threads on an SM, {{[0-9]+}} registers by the assembler)
__global__ void anyGrid BODY
// The grid's blocks, then N, then the turns around one copy of the loop; no
// barrier where N is 1.
// PTX-LABEL: .entry _Z7anyGrid
// PTX-DAG: %nctaid.x
// PTX-DAG: %nctaid.y
// PTX-DAG: %nctaid.z
// PTX-DAG: setp.{{[a-z]+}}.u64 {{.*}}, {{396|397}};
// PTX-DAG: setp.{{[a-z]+}}.u64 {{.*}}, {{792|793}};
// PTX: div.u32
// PTX: .pragma "nounroll";
// PTX: ld.global
// PTX: bra
// PTX: bar.sync
// PTX-NOT: ld.global
// PTX: End function

// CHECK: remark: loop of 'anyBlock' throttled, N by launch (128 threads: {{.*}}; 256 threads: N=2 from 397 blocks, N=4 from 793 blocks; 512 threads: {{.*}}; 1024 threads: N=4 from 133 blocks; more in the plan): with blocks of 1024 threads: footprint
__global__ void anyBlock BODY
// CHECK: remark: loop of 'launchless' throttled, N by launch (128 threads:
__global__ void launchless BODY
// CHECK: remark: loop of 'bounded' throttled, N by launch (64 threads: {{[^;]*}}; 96 threads: {{[^;]*}}; 128 threads: {{[^;]*}}): with blocks of 128 threads:
__global__ void __launch_bounds__(128) bounded BODY

// CHECK: remark: loop of 'dynamic' not throttled: the launch at by-launch.cu:{{.*}} has a block size and dynamic shared memory that are not known at compile time
__global__ void dynamic BODY
// CHECK: remark: loop of 'unlaunched' not throttled: no launch of this kernel is in this file; give one with launch=KERNEL:GRID:BLOCK[:SMEM]; it uses dynamic shared memory
__global__ void unlaunched(const float *A, float *sums) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = 0;
  for (int j = 0; j < 64; ++j)
    sums[i] += A[i * 64 + j];
  sums[i] += room[threadIdx.x];
}
// CHECK: remark: loop of 'smaller' not throttled: footprint {{[0-9]+}} B (8 blocks of {{[0-9]+}} lines) fits the L1 of 229376 B (at most 8 blocks
__global__ void smaller(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    sums[i] += A[i / 2 * 64 + j];
}
// CHECK: remark: loop of 'shared' not throttled: no launch of this kernel is in this file; give one with launch=KERNEL:GRID:BLOCK[:SMEM]; of any: with blocks of {{[0-9]+}} threads: footprint {{.*}} fits
__global__ void shared(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    sums[i] += A[i / 32 * 64 + j];
}
// CHECK: remark: loop of 'distant' throttled, N by launch (256 threads: N=2 from 925 blocks) if n >= 32: footprint 270336 B
__global__ void distant(const float *A, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    sums[i] += A[i * n + j];
}
// CHECK: remark: loop of 'twoSides' not throttled: the launch at by-launch.cu:{{.*}} has a block size that is not known at compile time and cannot be one dimension of whole warps
__global__ void twoSides BODY

void run(const float *A, const float *B, float *sums, int size) {
  anyGrid<<<size, 256>>>(A, B, sums);
  anyBlock<<<size, size>>>(A, B, sums);
  bounded<<<size, size>>>(A, B, sums);
  dynamic<<<size, size, size>>>(A, B, sums);
  smaller<<<size, 256>>>(A, sums);
  distant<<<size, 256>>>(A, sums, size);
  twoSides<<<size, dim3(size, 2)>>>(A, B, sums);
}
