// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel has its own share and its own note of where it was set. One that
// the plan gives none is left as it is. 0 is a share, and not none.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: _Z5firstPf, carveout: 0}\n  - {name: _Z6secondPf, carveout: 100}\n  - {name: _Z5thirdPf}\n' > %t.yaml
// RUN: %host-ir -O1 %s -fplugin-arg-sluice-plan=%t.yaml %remarks 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.err
// REMARK: remark: carveout of 'first(float*)' set to 0 per cent
// REMARK: remark: carveout of 'second(float*)' set to 100 per cent
//
// CHECK-LABEL: define {{.*}}@_Z20__device_stub__firstPf(
// CHECK: call void @__sluice_set_carveout({{.*}}@_Z20__device_stub__firstPf, {{.*}}@__sluice_carveout_done._Z20__device_stub__firstPf, i32 0)
// CHECK-LABEL: define {{.*}}@_Z21__device_stub__secondPf(
// CHECK: call void @__sluice_set_carveout({{.*}}@_Z21__device_stub__secondPf, {{.*}}@__sluice_carveout_done._Z21__device_stub__secondPf, i32 100)
// CHECK-LABEL: define {{.*}}@_Z20__device_stub__thirdPf(
// CHECK-NOT: call void @__sluice
// CHECK: ret void

__global__ void first(float *p) { *p = 1; }
__global__ void second(float *p) { *p = 2; }
__global__ void third(float *p) { *p = 3; }
