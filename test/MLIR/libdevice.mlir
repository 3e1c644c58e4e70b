// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice are linked when somebody asks for it, so that the loop
// has no calls of unknown functions in it. Modules are worked on side by side;
// each has its own plan in the file.
//
// REQUIRES: mlir-plugin
// RUN: rm -f %t.yaml
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{gpu=sm_90 options=emit-plan=%t.yaml}))' -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: sed -i 's/promote: *true/promote: false/; /^ *staged:/,/^ *staged-why:/d; /^ *widened:/,/^ *widened-why:/d' %t.yaml
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{gpu=sm_90 options=plan=%t.yaml}))' | FileCheck %s --check-prefix=GIVEN
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{gpu=sm_90 link=%cuda/nvvm/libdevice/libdevice.10.bc}))' --remarks-filter='sluice-software-l1' 2>%t.linked.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=LINKED --input-file %t.linked.txt
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{gpu=sm_90}))' --remarks-filter='sluice-software-l1' 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN
//
// The first one's loop calls nothing; the other one's function may be unknown.
// CHECK-LABEL: gpu.module @first
// CHECK: @__sluice_staged.rows
// CHECK-LABEL: gpu.module @second
// CHECK-NOT: @__nv_
//
// PLAN-DAG: source: 'libdevice.mlir@first'
// PLAN-DAG: source: 'libdevice.mlir@second'
// GIVEN-LABEL: gpu.module @first
// GIVEN-NOT: @__sluice_staged
//
// LINKED-DAG: remark: [Passed] Staged | Category:sluice-software-l1 | Function=rows
// LINKED-DAG: remark: [Passed] Widened | Category:sluice-software-l1 | Function=rows
// UNKNOWN: remark: [Passed] Staged
// UNKNOWN-NOT: remark: [Passed]
// UNKNOWN: libdevice.mlir:[[LINE:[0-9]+]]:14: remark: [Missed] NotStaged | Category:sluice-software-l1 | Function=rows | Remark="streams of the loop at libdevice.mlir:[[LINE]]:{{[0-9]+}} are not staged: it has a call that may write memory or not return"
// UNKNOWN-NOT: remark: [Passed]

module attributes {gpu.container_module} {
  func.func @main(%A: memref<4096x512xf32>, %y: memref<4096xf32>) {
    %c1 = arith.constant 1 : index
    %grid = arith.constant 16 : index
    %block = arith.constant 256 : index
    gpu.launch_func @first::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      args(%A : memref<4096x512xf32>, %y : memref<4096xf32>)
    gpu.launch_func @second::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      args(%A : memref<4096x512xf32>, %y : memref<4096xf32>)
    return
  }

  gpu.module @first {
    gpu.func @rows(%A: memref<4096x512xf32>, %y: memref<4096xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant 512 : index
      %zero = arith.constant 0.0 : f32
      %i = gpu.global_id x
      %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %a = memref.load %A[%i, %j] : memref<4096x512xf32>
        %t = arith.addf %s, %a : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<4096xf32>
      gpu.return
    }
  }

  gpu.module @second {
    gpu.func @rows(%A: memref<4096x512xf32>, %y: memref<4096xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant 512 : index
      %zero = arith.constant 0.0 : f32
      %i = gpu.global_id x
      %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %a = memref.load %A[%i, %j] : memref<4096x512xf32>
        %e = math.exp %a : f32
        %t = arith.addf %s, %e : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<4096xf32>
      gpu.return
    }
  }
}
