// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose source asks for it: in the kernels that call them, through
// any depth, the first warps compute these functions approximately, with what
// they call, and nothing else.
//
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-sfu=off %s | diff %t.plain -
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off %s | diff %t.plain -
// RUN: %sluice-cc %remarks %s 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not='{{sluice-sfu|approximately}}' --input-file %t.remarks
//
// An option is for the others, and for them whole; what stays exact stays so.
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=8 -Rpass=sluice-sfu %s 2>&1 >%t.asked | FileCheck %s --check-prefix=ASKED --implicit-check-not='by the first 8'
// RUN: sed -n '/entry inlined/,/^}/p' %t.ptx > %t.inlined
// RUN: sed -n '/entry inlined/,/^}/p' %t.asked | diff %t.inlined -
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=symbol %s 2>/dev/null | sed -n '/entry inlined/,/^}/p' | diff %t.inlined -
// ASKED: in 'ratio'
// ASKED: 1 function computed approximately by the first 8 warps of a block: division 1
//
// RUN: %sluice-cc -fplugin-arg-sluice-sfu-index=slot %s 2>&1 >%t.slot | FileCheck %s --check-prefix=VARIES
// RUN: FileCheck %s --check-prefix=SLOT --input-file %t.slot
// VARIES: warning: sluice: sfu-index=slot
// SLOT-LABEL: .entry inlined(
// SLOT: mov.u32 [[W:%r[0-9]+]], %warpid;
// SLOT: setp.lt.u32 {{%p[0-9]+}}, [[W]], 4;
//
// In a plan, where only LAMBDA may be another.
// RUN: %sluice-cc -fplugin-arg-sluice-emit-plan=%t.yaml %s -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: sed 's/sfu-warps: *4/sfu-warps: 2/' %t.yaml > %t.two.yaml
// RUN: %sluice-cc -fplugin-arg-sluice-plan=%t.two.yaml -Rpass=sluice-sfu %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// PLAN: sluice-plan: 22
// PLAN: name: inlined
// PLAN: sfu-warps: 4
// PLAN-NEXT: sfu-of: functions
// PLAN-NEXT: sfu-why: the source asks for it, of functions
// PLAN: sfu-why: {{.*}}two{{.*}} asks for 2 warps and {{.*}}ratio{{.*}} for 4
// TWO: 1 function computed approximately by the first 2 warps of a block in 'ratio': division 1
//
// LAMBDA = 0, and functions of another file, change nothing.
// RUN: %plain-cc -DNOTHING -fgpu-rdc %s > %t.nothing
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -DNOTHING -fgpu-rdc %s -Rpass-missed=sluice-sfu 2>%t.elsewhere | diff %t.nothing -
// RUN: FileCheck %s --check-prefix=ELSEWHERE --implicit-check-not=remark: --input-file %t.elsewhere
// ELSEWHERE: remark: 'elsewhere' stays exact: its code is in another file

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define SFU(N) __attribute__((annotate("sluice:sfu=" #N)))
#define NOINLINE __attribute__((noinline))

#ifdef NOTHING

extern "C" SFU(4) __device__ float elsewhere(float x, float y);
extern "C" SFU(0) __device__ float never(float x, float y) { return x / y; }
extern "C" __global__ void neither(float *a) {
  a[ME] = elsewhere(a[ME], 3) + never(a[ME], a[ME + 1]);
}

#else

// Inlined: one division of two.
SFU(4) __device__ inline float ratio(float x, float y) { return x / y; }
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 1 function computed approximately by the first 4 warps of a block in 'ratio': division 1 [-Rpass=sluice-sfu]
extern "C" __global__ void inlined(float *a) {
  a[ME] = ratio(a[ME + 1], a[ME]) + a[ME + 2] / a[ME + 3];
}
// CHECK-LABEL: .entry inlined(
// CHECK: setp.lt.u32 {{%p[0-9]+}}, {{%r[0-9]+}}, 4;
// CHECK-DAG: div.approx.ftz.f32
// CHECK-DAG: div.rn.f32
// CHECK: ret;
// CHECK: div.rn.f32
// CHECK: div.rn.f32
// CHECK: ret;

// By way of a function that has not asked, and which the one that has calls
// too: a copy for either. A barrier is in both versions.
extern "C" NOINLINE __device__ float plain(float x, float y) { return x / y; }
extern "C" SFU(4) NOINLINE __device__ float asks(float x, float y) {
  __syncthreads();
  return plain(y, x) / y;
}
extern "C" NOINLINE __device__ float between(float x, float y) {
  return asks(x, y) + plain(x, y) + y / x;
}
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 2 functions computed approximately by the first 4 warps of a block in 'asks': division 2 [-Rpass=sluice-sfu]
extern "C" __global__ void deep(float *a) { a[ME] = between(a[ME + 1], a[ME]); }
// CHECK-LABEL: .entry deep(
// CHECK: setp.lt.u32 {{%p[0-9]+}}, {{%r[0-9]+}}, 4;
// CHECK: {{call.*between__sluice_sfu_calls}},
// CHECK: {{call.*}}, between,

// Templates and members, and all warps where a block has no more.
template <int N> struct Scale {
  float by;
  SFU(4) __device__ float times(float x) const { return N * x / by; }
};
template <typename T> SFU(4) __device__ T half(T x, T y) { return x / (y + y); }
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 2 functions computed approximately by all warps in 'Scale<3>::times', 'half<float>': division 2 [-Rpass=sluice-sfu]
extern "C" __global__ void __launch_bounds__(128) all(float *a) {
  a[ME] = Scale<3>{a[ME]}.times(a[ME + 1]) + half(a[ME + 2], a[ME + 3]) +
          a[ME + 4] / a[ME + 5];
}
// CHECK-LABEL: .entry all(
// CHECK-NOT: setp
// CHECK: div.approx.ftz.f32
// CHECK: div.approx.ftz.f32
// CHECK: div.rn.f32
// CHECK-NOT: div
// CHECK: ret;

// One that calls itself.
extern "C" SFU(4) NOINLINE __device__ float again(float x, int n) {
  return n == 0 ? x : x / again(x + n, n - 1) + x;
}
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 1 function computed approximately by the first 4 warps of a block in 'again': division 1 [-Rpass=sluice-sfu]
extern "C" __global__ void recursive(float *a, int n) { a[ME] = again(a[ME], n); }

// What asks for other numbers is refused.
extern "C" SFU(2) __device__ float two(float x, float y) { return x / y; }
// REMARK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: remark: nothing is computed approximately: 'two' asks for 2 warps and 'ratio' for 4 [-Rpass-missed=sluice-sfu]
extern "C" __global__ void differ(float *a) {
  a[ME] = ratio(a[ME], a[ME + 1]) + two(a[ME + 2], a[ME + 3]);
}
// CHECK-LABEL: .entry differ(
// CHECK-NOT: approx
// CHECK-LABEL: .entry ofKernel(
// REMARK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: remark: nothing is computed approximately: 'two' asks for 2 warps and the kernel for 3 [-Rpass-missed=sluice-sfu]
extern "C" SFU(3) __global__ void ofKernel(float *a) { a[ME] = two(a[ME], 3); }
// CHECK-NOT: approx
// CHECK-LABEL: .entry off(

// A kernel's word is for all that it calls.
extern "C" __attribute__((annotate("sluice:off"))) __global__ void off(float *a) {
  a[ME] = ratio(a[ME], a[ME + 1]);
}
// CHECK-NOT: approx
// CHECK-LABEL: .entry zero(
extern "C" SFU(0) __global__ void zero(float *a) {
  a[ME] = ratio(a[ME], a[ME + 1]);
}
// CHECK-NOT: approx
// CHECK-LABEL: .entry kept(

// What must stay exact, and what it calls.
SFU(0) __device__ inline float exact(float x, float y) {
  return x / y + ratio(y, x);
}
__attribute__((annotate("sluice:off"))) __device__ inline float out(float x) {
  return 1 / x;
}
extern "C" __global__ void kept(float *a) {
  a[ME] = exact(a[ME], a[ME + 1]) + out(a[ME + 2]);
}
// CHECK-NOT: approx
// CHECK-LABEL: .entry keptInPart(
extern "C" __global__ void keptInPart(float *a) {
  a[ME] = exact(a[ME], a[ME + 1]) + a[ME + 2] / a[ME + 3];
}
// CHECK-NOT: approx
// CHECK-LABEL: .entry pointed(

// By a pointer.
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 'byPointer' stays exact where it is called by a pointer [-Rpass-missed=sluice-sfu]
extern "C" SFU(4) NOINLINE __device__ float byPointer(float x) { return 1 / x; }
__device__ float (*pointer)(float) = byPointer;
extern "C" __global__ void pointed(float *a) { a[ME] = pointer(a[ME]); }
// CHECK-NOT: approx
// CHECK-LABEL: .entry own(

// An approximate root of the program's own is not combined with anything.
extern "C" __device__ float __nv_sqrtf(float);
SFU(4) __device__ inline float root(float x) { return 1 / __nv_sqrtf(x); }
// REMARK-DAG: :[[#@LINE+1]]:1: remark: 2 functions computed approximately by the first 4 warps of a block in 'root': reciprocal 1, sqrt 1 [-Rpass=sluice-sfu]
extern "C" __global__ void own(float *a) {
  a[ME] = root(a[ME]);
  a[ME + 1] = __nvvm_rcp_approx_ftz_f(__nvvm_sqrt_approx_ftz_f(a[ME + 1]));
}
// CHECK: rsqrt.approx.ftz.f32
// CHECK: sqrt.approx.ftz.f32
// CHECK: rcp.approx.ftz.f32
// CHECK: ret;

// CHECK: .func {{.*}}between__sluice_sfu_calls(
// CHECK-NOT: approx
// CHECK: {{call.*asks__sluice_sfu}},
// CHECK: {{call.*}}, plain,
// CHECK: div.rn.f32
// CHECK: .func {{.*}}asks__sluice_sfu(
// CHECK: bar
// CHECK: {{call.*plain__sluice_sfu}},
// CHECK: div.approx.ftz.f32

#endif
