// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A claim in a plan: the device compile leaves a record of it, and with that the
// host compile changes the kernel's launches. Both say so.
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 7\n    resident-blocks: 2\n    claimed-shared-bytes: 7168\n' > %t.yaml
// RUN: %device %remarks 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: FileCheck %s --check-prefix=RECORD < %t.ptx
// RUN: %host %remarks 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=HOST < %t.err
//
// DEVICE: given-plan.cu:[[@LINE+23]]:17: remark: thread blocks of 'fill' limited to M=2 of 8: claim of 7168 B with a carveout of 7 %: the given plan says so [-Rpass=sluice-throttle]
// RECORD: .visible .global .align 1 .u8 __sluice_host$1$c7$s7168$d41984$9$_Z4fillPf;
// HOST: remark: carveout of 'fill(float*)' set to 7 per cent before its launches
// HOST: remark: launches of 'fill(float*)' claim 7168 bytes of shared memory for each block [-Rpass=sluice-carveout]
//
// CHECK-LABEL: define dso_local void @_Z19__device_stub__fillPf(
// CHECK: [[SHARED:%.*]] = load i64
// CHECK: call void @__sluice_set_carveout({{.*}}, i32 7)
// CHECK-NEXT: [[CLAIMED:%.*]] = call i64 @__sluice_claim_shared(i64 [[SHARED]], i64 41984, i64 7168)
// CHECK-NEXT: [[STATUS:%.*]] = call {{.*}}@cudaLaunchKernel({{.*}}, i64 noundef [[CLAIMED]],
// CHECK-NEXT: [[INVALID:%.*]] = icmp eq i32 [[STATUS]], 1
// CHECK-NEXT: [[IS_CLAIM:%.*]] = icmp ne i64 [[CLAIMED]], [[SHARED]]
// CHECK-NEXT: [[REFUSED:%.*]] = and i1
// CHECK: call i32 @cudaGetLastError()
// CHECK-NEXT: call {{.*}}@cudaLaunchKernel({{.*}}, i64 noundef [[SHARED]],
//
// Without a claim there is no record.
// RUN: sed -i '/blocks/d;/claimed/d' %t.yaml
// RUN: %device
// RUN: not grep sluice_host %t.ptx
// RUN: %host | FileCheck %s --check-prefix=CARVEOUT --implicit-check-not=__sluice_claim
// CARVEOUT: call void @__sluice_set_carveout({{.*}}, i32 7)

__global__ void fill(float *p) { p[threadIdx.x] = 1; }

void run(float *p) { fill<<<1320, 256>>>(p); }
