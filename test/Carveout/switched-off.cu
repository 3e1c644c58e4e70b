// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// annotate("sluice:off") on the kernel holds against a plan.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: _Z3offPf, carveout: 50}\n  - {name: _Z5typedIfEvPT_, carveout: 50}\n  - {name: _Z5otherPf, carveout: 50}\n' > %t.yaml
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// CHECK-DAG: remark: carveout of 'off(float*)' left alone: switched off in the source [-Rpass-missed=sluice-carveout]
// CHECK-DAG: remark: carveout of 'void typed<float>(float*)' left alone: switched off in the source
// CHECK-DAG: remark: carveout of 'other(float*)' set

#define OFF __attribute__((annotate("sluice:off")))

OFF __global__ void off(float *p) { *p = 1; }
template <typename T> OFF __global__ void typed(T *p) { *p = 2; }
__attribute__((annotate("another"))) __global__ void other(float *p) { *p = 3; }

void run(float *p) { typed<<<1, 32>>>(p); }
