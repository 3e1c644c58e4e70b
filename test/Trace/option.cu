// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc -fplugin-arg-sluice-trace=off %s | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc -fplugin-arg-sluice-trace=gpu -Rpass=sluice %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: %sluice-cc -fplugin-arg-sluice-trace=gpu -O0 %s | FileCheck %s
// RUN: not %sluice-cc -fplugin-arg-sluice-trace=gpu -fgpu-rdc %s 2>&1 | FileCheck %s --check-prefix=RDC
// RUN: not %sluice-cc -fplugin-arg-sluice-trace=on %s 2>&1 | FileCheck %s --check-prefix=WRONG
//
// OFF-NOT: __sluice_trace
//
// CHECK-DAG: .visible .global .align 8 .b8 __sluice_trace_control[40]
// CHECK-DAG: .visible .global .align 8 .b8 __sluice_trace_table[
// CHECK-DAG: activemask.b32
// CHECK-DAG: atom.{{.*}}add.u64
// CHECK-DAG: shfl.sync.idx.b32
// No debug information comes into the PTX.
// CHECK-NOT: .loc
//
// REMARK: option.cu:[[@LINE+4]]:{{.*}}: 'scale(float*, float const*)' records 1 parts of its code
// RDC: error: sluice: trace=gpu is not possible with -fgpu-rdc
// WRONG: error: sluice: invalid value 'on' for option 'trace': expected off or gpu

__global__ void scale(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
