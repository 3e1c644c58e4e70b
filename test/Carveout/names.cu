// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel goes by its device-side name in the plan and by its stub's on the
// host. Whatever it is, the plan that the device compile writes can be given a
// carveout and is carried out: the remarks name the same kernels.
//
// RUN: rm -f %t.yaml %t.rdc.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o /dev/null
// RUN: sed 's/^  - name:.*/&\n    carveout: 50/' %t.yaml > %t.50.yaml
// RUN: grep -c carveout %t.50.yaml | FileCheck %s --check-prefix=COUNT
// RUN: %sluice-cc --cuda-host-only %s -fplugin-arg-sluice-plan=%t.50.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
//
// RUN: %sluice-cc -fgpu-rdc %s -fplugin-arg-sluice-emit-plan=%t.rdc.yaml -o /dev/null
// RUN: sed 's/^  - name:.*/&\n    carveout: 50/' %t.rdc.yaml > %t.rdc.50.yaml
// RUN: grep -c carveout %t.rdc.50.yaml | FileCheck %s --check-prefix=COUNT
// RUN: %sluice-cc -fgpu-rdc --cuda-host-only %s -fplugin-arg-sluice-plan=%t.rdc.50.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
//
// COUNT: {{^}}11{{$}}
// CHECK-DAG: remark: carveout of 'plain(float*)' set
// CHECK-DAG: remark: carveout of 'c_name' set
// CHECK-DAG: remark: carveout of 'of_file(float*)' set
// CHECK-DAG: remark: carveout of 'space::inner(float*)' set
// CHECK-DAG: remark: carveout of 'space2::inner(float*)' set
// CHECK-DAG: remark: carveout of '(anonymous namespace)::hidden(float*)' set
// CHECK-DAG: remark: carveout of 'Class::member(float*)' set
// CHECK-DAG: remark: carveout of 'Template<4>::member(float*)' set
// CHECK-DAG: remark: carveout of 'void typed<float, 4>(float*)' set
// CHECK-DAG: remark: carveout of 'void typed<int, 5>(int*)' set
// CHECK-DAG: remark: carveout of 'void of_kernel<&plain(float*)>(float*)' set

__global__ void plain(float *p) { *p = 1; }
extern "C" __global__ void c_name(float *p) { *p = 1; }
static __global__ void of_file(float *p) { *p = 1; }
namespace space {
__global__ void inner(float *p) { *p = 1; }
} // namespace space
namespace space2 {
__global__ void inner(float *p) { *p = 1; }
} // namespace space2
namespace {
__global__ void hidden(float *p) { *p = 1; }
} // namespace
struct Class {
  static __global__ void member(float *p) { *p = 1; }
};
template <int N> struct Template {
  static __global__ void member(float *p) { *p = N; }
};
template <typename T, int N> __global__ void typed(T *p) { *p = N; }
template <void (*Other)(float *)> __global__ void of_kernel(float *p) {
  *p = 1;
}

void run(float *p, int *q) {
  plain<<<1, 32>>>(p);
  c_name<<<1, 32>>>(p);
  of_file<<<1, 32>>>(p);
  space::inner<<<1, 32>>>(p);
  space2::inner<<<1, 32>>>(p);
  hidden<<<1, 32>>>(p);
  Class::member<<<1, 32>>>(p);
  Template<4>::member<<<1, 32>>>(p);
  typed<float, 4><<<1, 32>>>(p);
  typed<int, 5><<<1, 32>>>(q);
  of_kernel<plain><<<1, 32>>>(p);
}
