// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sines and cosines of libdevice: the slow path has no array in local memory and
// no table, and one angle is reduced once, whatever is between. Results are the
// same bits, of angles of any size. Off by option, plan and source.
//
// RUN: %angles-cc %s -fplugin-arg-sluice-angle-reduction=auto -Rpass=sluice-angle-reduction -Rpass-missed=sluice-angle-reduction 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=WHY --implicit-check-not=remark: --input-file %t.remarks
// RUN: %angles-cc %s > %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --input-file %t.plain
// RUN: %angles-cc %s -fplugin-arg-sluice-angle-reduction=auto -fplugin-arg-sluice-emit-plan=%t.plan.yaml >/dev/null
// RUN: sed -e 's/sluice-plan: .*/sluice-plan: 20/' -e '/name: /a\    angles-once: false' %t.plan.yaml > %t.kept.yaml
// RUN: %angles-cc %s -fplugin-arg-sluice-angle-reduction=auto -fplugin-arg-sluice-plan=%t.kept.yaml | diff %t.plain -
// RUN: %same-angles %s %t block=256 grid=8
// RUN: %same-angles %s %t block=256 grid=8 skip=tangent expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-offset
// RUN: %same-angles %s %t block=256 grid=8 skip=wide expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-word

extern "C" {
__device__ float __nv_sinf(float);
__device__ float __nv_cosf(float);
__device__ float __nv_tanf(float);
__device__ double __nv_sin(double);
__device__ double __nv_cos(double);
}

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// Any number, of either sign, infinite or none.
__device__ float anyFloat(unsigned i) {
  return __builtin_bit_cast(float, i * 2654435761u ^ i << 27);
}
__device__ double anyDouble(unsigned i) {
  return __builtin_bit_cast(double, i * 11400714819323198485ull ^ (unsigned long long)i << 53);
}

// WHY-DAG: libdevice.cu:[[#@LINE+8]]:{{.*}}remark: an array of 28 bytes is in registers, where what is read of it is chosen
// CHECK-LABEL: .entry _Z7tangent
// CHECK-NOT: .local
// CHECK-NOT: i2opi
// CHECK: ret;
// PLAIN-LABEL: .entry _Z7tangent
// PLAIN: .local
__global__ void tangent(float *y) {
  y[ME] = __nv_tanf(anyFloat(ME));
}

// The store in between may be of anything, but not of a register.
// WHY-DAG: libdevice.cu:[[#@LINE+9]]:{{.*}}remark: an array of 28 bytes is in registers
// WHY-DAG: libdevice.cu:[[#@LINE+9]]:{{.*}}remark: an array of 28 bytes is in registers
// WHY-DAG: libdevice.cu:[[#@LINE+8]]:{{.*}}remark: a branch goes: what it computes was computed before
// CHECK-LABEL: .entry _Z5turns
// CHECK-COUNT-6: mad.lo.cc.u32
// CHECK-NOT: mad.lo.cc.u32
// CHECK: .entry
__global__ void turns(float *y) {
  const float angle = anyFloat(ME);
  y[2 * ME] = __nv_sinf(angle);
  y[2 * ME + 1] = __nv_cosf(angle);
}

// The slow path of doubles is a function that both call.
// WHY-DAG: libdevice.cu:[[#@LINE+10]]:{{.*}}remark: a branch goes: what it computes was computed before
// CHECK: _Z4wide
// CHECK: call{{.*}}trig_reduction_slowpathd
// CHECK-NOT: call{{.*}}trig_reduction_slowpathd
// CHECK: ret;
// PLAIN: .entry _Z4wide
// PLAIN-COUNT-2: call{{.*}}trig_reduction_slowpathd
__global__ void wide(double *y) {
  const double angle = anyDouble(ME);
  y[2 * ME] = __nv_sin(angle);
  y[2 * ME + 1] = __nv_cos(angle);
}

// A product is used twice and in another block than its sum, so that it is not
// fused with it; without the branch in between it would be, and bits would differ.
// WHY-DAG: libdevice.cu:[[#@LINE+7]]:{{.*}}remark: an array of 28 bytes is in registers
// WHY-DAG: libdevice.cu:[[#@LINE+10]]:{{.*}}remark: an array of 28 bytes is in registers
// WHY-DAG: libdevice.cu:[[#@LINE+9]]:{{.*}}remark: a branch computes what was computed before, and stays: a product before it would be fused with a sum behind it
// CHECK-LABEL: .entry _Z7rounded
// CHECK-COUNT-12: mad.lo.cc.u32
__global__ void rounded(float *y, float *z) {
  const float angle = anyFloat(ME);
  const float sine = __nv_sinf(angle);
  const float product = z[ME] * z[ME + 1];
  y[3 * ME] = product + sine * 0;
  y[3 * ME + 1] = product;
  y[3 * ME + 2] = product + __nv_cosf(angle);
}

// CHECK-LABEL: .entry _Z3off
// CHECK: i2opi
__attribute__((annotate("sluice:off"))) __global__ void off(float *y) {
  y[ME] = __nv_sinf(anyFloat(ME));
}
