// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y += A x, a row of A for each thread. The sizes of the launch reach the
// planner; rows go through shared memory, the sum stays in a register, and
// upstream's passes make PTX of it, which computes the same.
//
// REQUIRES: mlir-plugin
// RUN: rm -f %t.yaml
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{options=emit-plan=%t.yaml}))' -mlir-print-debuginfo --remarks-filter='sluice.*' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: FileCheck %s --input-file %t.mlir
//
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=isa})' | %gpu-object | FileCheck %s --check-prefix=PTX
//
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.bc
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(%gpu-lowering),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.plain.bc
// RUN: %sluice emulate %t.bc --compare=%t.plain.bc --launch=%S/Inputs/matvec.yaml --check=memory+races
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{options=registers=32,hints=off}),gpu-module-to-binary{format=isa})' --remarks-filter=sluice-register-limit 2>%t.limit.txt | %gpu-object | FileCheck %s --check-prefix=LIMIT
// RUN: not grep 'does not assemble' %t.limit.txt
//
// PLAN: source: 'matvec.mlir@kernels'
// PLAN-NEXT: gpu: sm_90
// PLAN: name: matvec
// PLAN: - grid: [ 4, 1, 1 ]
// PLAN-NEXT: block: [ 256, 1, 1 ]
// PLAN: promote: true
// PLAN: staged:
//
// The kernel is still one for gpu.launch_func, and nothing is left of the
// debug information by which places are known.
// CHECK-NOT: #llvm.di_
// CHECK-NOT: sluice.plan
// CHECK: gpu.launch_func @kernels::@matvec
// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90">]
// CHECK: llvm.mlir.global internal @__sluice_staged.matvec() {addr_space = 3
// CHECK: llvm.func {{.*}}@matvec({{.*}}gpu.kernel{{.*}}nvvm.kernel
// CHECK-SAME: ["sluice-launches", "4:256"]
// CHECK-NOT: target_cpu
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: {{nvvm.cp.async|llvm.nvvm.cp.async}}
//
// PTX: .target sm_90{{$}}
// PTX: .entry matvec(
// PTX: .maxnreg 64
// PTX: cp.async.cg.shared.global
// LIMIT: .maxnreg 32

module attributes {gpu.container_module} {
  func.func @main(%A: memref<1024x512xf32>, %x: memref<512xf32>, %y: memref<1024xf32>) {
    %c1 = arith.constant 1 : index
    %grid = arith.constant 4 : index
    %block = arith.constant 256 : index
    gpu.launch_func @kernels::@matvec
      blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      args(%A : memref<1024x512xf32>, %x : memref<512xf32>, %y : memref<1024xf32>)
    return
  }

  gpu.module @kernels [#nvvm.target<chip = "sm_90", O = 3>] {
    gpu.func @matvec(%A: memref<1024x512xf32>, %x: memref<512xf32>, %y: memref<1024xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant 512 : index
      %i = gpu.global_id x
      // REMARK: matvec.mlir:[[#@LINE+3]]:7: remark: [Analysis] Loop | Category:sluice-plan | Function=matvec | Remark="footprint {{.*}} fits the L1
      // REMARK: remark: [Passed] {{.*}} | Category:sluice-promote | Function=matvec
      // REMARK: remark: [Passed] {{.*}} | Category:sluice-software-l1 | Function=matvec
      scf.for %j = %c0 to %columns step %c1 {
        %a = memref.load %A[%i, %j] : memref<1024x512xf32>
        %b = memref.load %x[%j] : memref<512xf32>
        %s = memref.load %y[%i] : memref<1024xf32>
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        memref.store %t, %y[%i] : memref<1024xf32>
      }
      gpu.return
    }
  }
}
