// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who is asked, and which warps: the first LAMBDA of a block by a branch at the
// kernel's beginning; all without one. A kernel that is not asked, or has no
// such function, and every kernel with 0, is what it is without.
//
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s | diff %t.plain -
// RUN: %plain-cc -DMARKED %s > %t.unmarked
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-sfu=0 %s | diff %t.plain -
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-sfu=off -DMARKED %s | diff %t.unmarked -
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off -DMARKED %s | diff %t.unmarked -
//
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=4 %remarks %s 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not='{{sluice-sfu|approximately}}' --input-file %t.remarks
//
// CHECK-LABEL: .entry waves(
// CHECK: shr.u32 [[WARP:%r[0-9]+]], {{%r[0-9]+}}, 5;
// CHECK: setp.lt.u32 [[P:%p[0-9]+]], [[WARP]], 4;
// CHECK: activemask.b32 [[LANES:%r[0-9]+]];
// CHECK: vote.sync.any.pred [[A:%p[0-9]+]], [[P]], [[LANES]];
// CHECK: @[[A]] bra [[APPROX:\$L__BB[0-9_]+]];
// CHECK: [[APPROX]]:
// CHECK: sin.approx.ftz.f32
// CHECK: ret;
// CHECK: {{__nv_sinf,}}
// CHECK: ret;
// CHECK-LABEL: .entry meets(
// CHECK: setp.lt.u32 {{%p[0-9]+}}, {{%r[0-9]+}}, 4;
// CHECK: bar
// CHECK: div.approx.ftz.f32
// CHECK: bar
// CHECK: div.rn.f32
// CHECK-LABEL: .entry small(
// CHECK-NOT: setp
// CHECK: div.approx.ftz.f32
// CHECK-NOT: div.rn
// CHECK-LABEL: .entry plain(
// CHECK-NOT: setp
// CHECK-LABEL: .entry off(
// CHECK-NOT: approx
// CHECK-LABEL: .entry four(
// CHECK-NOT: approx
// CHECK-LABEL: .entry outer(
// CHECK: call.uni (retval0), [[COPY:apart[A-Za-z0-9_$]*sluice_sfu]],
// CHECK: call.uni (retval0), apart,
// CHECK: .func {{.*}}[[COPY]](
// CHECK: div.approx.ftz.f32
//
// By name, mangled or not, and a name that is nobody's.
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-sfu=4 -fplugin-arg-sluice-sfu-kernels=meets -fplugin-arg-sluice-sfu-kernels=nobody -Rpass=sluice-sfu %s 2>&1 >%t.meets | FileCheck %s --check-prefix=NAMES --implicit-check-not=remark:
// RUN: sed '/entry meets/,/^}/d' %t.plain > %t.others
// RUN: sed '/entry meets/,/^}/d' %t.meets | diff %t.others -
// NAMES-DAG: remark: 1 function computed
// NAMES-DAG: warning: sluice: sfu-kernels=nobody: no kernel of that name in this file
// RUN: %sluice-cc -fplugin-arg-sluice-sfu-kernels=meets %s 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: warning: sluice: sfu-kernels=meets has no effect without sfu=LAMBDA
//
// By the kernel's own mark, which goes before the option.
// RUN: %sluice-cc -DMARKED -Rpass=sluice-sfu %s 2>&1 >%t.marked | FileCheck %s --check-prefix=MARKED --implicit-check-not=remark:
// RUN: %sluice-cc -DMARKED -Rpass=sluice-sfu -fplugin-arg-sluice-sfu=4 -fplugin-arg-sluice-sfu-kernels=meets %s 2>&1 >%t.marked | FileCheck %s --check-prefix=MARKED --implicit-check-not=remark:
// MARKED: remark: 1 function computed approximately by the first 2 warps of a block
//
// By a variable of the program.
// RUN: %sluice-cc -DSYMBOL=__device__ -fplugin-arg-sluice-sfu=symbol -fplugin-arg-sluice-sfu-kernels=meets -Rpass=sluice-sfu %s 2>%t.symbol | FileCheck %s --check-prefix=LOADED
// RUN: FileCheck %s --check-prefix=SYMBOL --input-file %t.symbol
// RUN: %sluice-cc -DSYMBOL=__constant__ -fplugin-arg-sluice-sfu=symbol -fplugin-arg-sluice-sfu-kernels=meets %s | FileCheck %s --check-prefix=LOADED
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-sfu=symbol %s 2>%t.none | diff %t.plain -
// RUN: FileCheck %s --check-prefix=NONE --input-file %t.none
// LOADED-LABEL: .entry meets(
// LOADED: ld.{{global|const}}.b32 [[L:%r[0-9]+]], [sluice_sfu_warps];
// LOADED: setp.lt.u32 {{%p[0-9]+}}, {{%r[0-9]+}}, [[L]];
// SYMBOL: remark: 1 function computed approximately by the warps below sluice_sfu_warps of a block: division 1
// NONE: warning: sluice: sfu=symbol: there is no '__device__ unsigned sluice_sfu_warps' in this file; kernels that ask for it compute exactly
//
// By the warp's place on the SM.
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=48 -fplugin-arg-sluice-sfu-index=slot -fplugin-arg-sluice-sfu-kernels=meets -Rpass=sluice-sfu %s 2>%t.slot | FileCheck %s --check-prefix=SLOT
// RUN: FileCheck %s --check-prefix=VARIES --input-file %t.slot
// SLOT-LABEL: .entry meets(
// SLOT: mov.u32 [[W:%r[0-9]+]], %warpid;
// SLOT: setp.lt.u32 {{%p[0-9]+}}, [[W]], 48;
// VARIES-DAG: remark: 1 function computed approximately by the first 48 warps of an SM, so results vary from run to run: division 1
// VARIES-DAG: warning: sluice: sfu-index=slot: which warps compute approximately is up to the GPU, so results vary from run to run

extern "C" __device__ float __nv_sinf(float);
#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#ifdef SYMBOL
SYMBOL unsigned sluice_sfu_warps;
#endif

// REMARK-DAG: :[[#@LINE+1]]:1: remark: 2 functions computed approximately by the first 4 warps of a block: division 1, sin 1 [-Rpass=sluice-sfu]
extern "C" __global__ void waves(const float *a, float *b, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += __nv_sinf(a[j * 1024 + ME]) / (s + 1);
  b[ME] = s;
}

#ifdef MARKED
__attribute__((annotate("sluice:sfu=2")))
#endif
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 1 function computed approximately by the first 4 warps of a block: division 1 [-Rpass=sluice-sfu]
extern "C" __global__ void meets(const float *a, float *b) {
  __shared__ float t[1024];
  t[threadIdx.x] = a[ME];
  __syncthreads();
  b[ME] = t[threadIdx.x] / t[1023 - threadIdx.x];
}

// REMARK-DAG: :[[#@LINE+1]]:1: remark: 1 function computed approximately by all warps: division 1 [-Rpass=sluice-sfu]
extern "C" __global__ void __launch_bounds__(128) small(float *a) {
  a[ME] = a[ME + 1] / a[ME];
}

// REMARK-DAG: :[[#@LINE+1]]:1: remark: nothing is computed approximately: it has no function that the units have [-Rpass-missed=sluice-sfu]
extern "C" __global__ void plain(float *a) { a[ME] *= 2; }

__attribute__((annotate("sluice:off")))
extern "C" __global__ void off(float *a) { a[ME] = a[ME + 1] / a[ME]; }

// REMARK-DAG: :[[#@LINE+1]]:1: remark: nothing is computed approximately: four warps execute wgmma together [-Rpass-missed=sluice-sfu]
extern "C" __global__ void four(float *a) {
  asm volatile("wgmma.fence.sync.aligned;");
  a[ME] = a[ME + 1] / a[ME];
}

extern "C" __device__ __attribute__((noinline)) float apart(float x, float y) {
  return x / y;
}
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 1 function computed approximately by the first 4 warps of a block: division 1 [-Rpass=sluice-sfu]
extern "C" __global__ void outer(float *a) { a[ME] = apart(a[ME + 1], a[ME]); }
