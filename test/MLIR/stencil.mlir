// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil of five points; each thread goes down a column. What a warp reads
// lies together, so there is nothing to do: a remark says why, and what comes
// back from LLVM IR is the same kernel. It stands in a gpu.launch.
//
// REQUIRES: mlir-plugin
// RUN: rm -f %t.yaml
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(func.func(gpu-launch-sink-index-computations),gpu-kernel-outlining,nvvm-attach-target{chip=sm_90})' -mlir-print-debuginfo -o %t.gpu.mlir
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{options=emit-plan=%t.yaml}),gpu-module-to-binary{format=llvm})' --remarks-filter='sluice.*' 2>%t.remarks | %gpu-object > %t.bc
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(gpu.module(%gpu-lowering),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.plain.bc
// RUN: %sluice emulate %t.bc --compare=%t.plain.bc --launch=%S/Inputs/stencil.yaml --check=memory+races
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=isa})' | %gpu-object | FileCheck %s --check-prefix=PTX
//
// PLAN: grid: [ 4, 16, 1 ]
// PLAN-NEXT: block: [ 256, 1, 1 ]
// PLAN: why: no load is known to touch its cache line again in the next iteration
// PLAN-NOT: staged:
// PTX: .entry main_kernel(

func.func @main(%a: memref<1026x1026xf32>, %b: memref<1026x1026xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c16, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c256, %sy = %c1, %sz = %c1) {
    %fifth = arith.constant 0.2 : f32
    %first = arith.muli %bx, %c256 : index
    %at = arith.addi %first, %tx : index
    %j = arith.addi %at, %c1 : index
    %left = arith.subi %j, %c1 : index
    %right = arith.addi %j, %c1 : index
    %row = arith.muli %by, %c64 : index
    %begin = arith.addi %row, %c1 : index
    %end = arith.addi %begin, %c64 : index
    // REMARK: stencil.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Analysis] Loop | Category:sluice-plan | Function=main_kernel | Remark="no load is known to touch its cache line again in the next iteration"
    scf.for %i = %begin to %end step %c1 {
      %up = arith.subi %i, %c1 : index
      %down = arith.addi %i, %c1 : index
      %n = memref.load %a[%up, %j] : memref<1026x1026xf32>
      %w = memref.load %a[%i, %left] : memref<1026x1026xf32>
      %c = memref.load %a[%i, %j] : memref<1026x1026xf32>
      %e = memref.load %a[%i, %right] : memref<1026x1026xf32>
      %s = memref.load %a[%down, %j] : memref<1026x1026xf32>
      %nw = arith.addf %n, %w : f32
      %ce = arith.addf %c, %e : f32
      %most = arith.addf %nw, %ce : f32
      %all = arith.addf %most, %s : f32
      %mean = arith.mulf %all, %fifth : f32
      memref.store %mean, %b[%i, %j] : memref<1026x1026xf32>
    }
    gpu.terminator
  }
  return
}
