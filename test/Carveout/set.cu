// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stub sets the carveout before it launches, through a helper that asks for
// it once for each device and leaves no error behind.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 50\n' > %t.yaml
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s
// RUN: %host-ir -O1 -g %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s --check-prefix=STUB
//
// CHECK: @__sluice_carveout_done._Z19__device_stub__fillPf = internal global i64 0, align 8
// STUB-LABEL: define {{.*}}@_Z19__device_stub__fillPf(
// CHECK-LABEL: define {{.*}}@_Z19__device_stub__fillPf(
// CHECK: call {{.*}}@__cudaPopCallConfiguration(
// STUB: call void @__sluice_set_carveout(ptr {{.*}}@_Z19__device_stub__fillPf, ptr {{.*}}@__sluice_carveout_done._Z19__device_stub__fillPf, i32 50)
// CHECK: call void @__sluice_set_carveout(ptr {{.*}}@_Z19__device_stub__fillPf, ptr {{.*}}@__sluice_carveout_done._Z19__device_stub__fillPf, i32 50)
// STUB-NEXT: call {{.*}}@cudaLaunchKernel(
// CHECK-NEXT: call {{.*}}@cudaLaunchKernel(
//
// CHECK-LABEL: define linkonce_odr hidden void @__sluice_set_carveout(ptr %0, ptr %1, i32 %2)
// CHECK-SAME: comdat
// CHECK: [[BEFORE:%.+]] = {{.*}}call i32 @cudaPeekAtLastError()
// CHECK: icmp eq i32 [[BEFORE]], 0
// CHECK: call i32 @cudaGetDevice(
// CHECK: [[OLD:%.+]] = atomicrmw or ptr %1, i64 [[BIT:%.+]] monotonic, align 8
// CHECK: and i64 [[BIT]], [[OLD]]
// CHECK: [[STATUS:%.+]] = call i32 @cudaFuncSetAttribute(ptr %0, i32 9, i32 %2)
// CHECK: icmp eq i32 [[STATUS]], 0
// CHECK: call i32 @cudaGetLastError()
// CHECK: ret void

__global__ void fill(float *p) { *p = 1; }

void run(float *p) { fill<<<1, 32>>>(p); }
