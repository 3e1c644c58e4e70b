// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linalg by upstream's passes: tiled loops become blocks and threads,
// constants sink into the kernel, and its outlining knows the launch.
// Everything that comes of the one operation has its place, and yet a plan
// tells the loads apart.
//
// REQUIRES: mlir-plugin
// RUN: rm -f %t.yaml
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(func.func(convert-linalg-to-parallel-loops,scf-parallel-loop-tiling{parallel-loop-tile-sizes=256},gpu-map-parallel-loops,convert-parallel-loops-to-gpu),lower-affine,canonicalize,cse,func.func(gpu-launch-sink-index-computations),gpu-kernel-outlining,nvvm-attach-target{chip=sm_90 O=3})' -mlir-print-debuginfo -o %t.gpu.mlir
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu{options=emit-plan=%t.yaml}),gpu-module-to-binary{format=llvm})' --remarks-filter='sluice.*' 2>%t.remarks | %gpu-object > %t.bc
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(gpu.module(%gpu-lowering),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.plain.bc
// RUN: sed 's/kernel: matvec/kernel: main_kernel/' %S/Inputs/matvec.yaml > %t.launch.yaml
// RUN: %sluice emulate %t.bc --compare=%t.plain.bc --launch=%t.launch.yaml --check=memory+races
// RUN: %mlir-opt %t.gpu.mlir -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=isa})' | %gpu-object | FileCheck %s --check-prefix=PTX
//
// PLAN: source: 'linalg.mlir@main_kernel'
// PLAN: grid: [ 4, 1, 1 ]
// PLAN-NEXT: block: [ 256, 1, 1 ]
// PLAN: promote: true
// PLAN: staged:
// PLAN-NEXT: - at: 'linalg.mlir:[[#%u,LINE:]]:[[#%u,A:]]'
// PLAN: - at: 'linalg.mlir:[[#LINE]]:[[#A]]'
// PLAN-NEXT: kind: load
// PLAN: - at: 'linalg.mlir:[[#LINE]]:
// PLAN-NOT: :[[#A]]'
// PLAN: kind: load
//
// PTX: .entry main_kernel(
// PTX: cp.async.cg.shared.global

func.func @main(%A: memref<1024x512xf32>, %x: memref<512xf32>, %y: memref<1024xf32>) {
  // REMARK: linalg.mlir:[[#@LINE+2]]:3: remark: [Passed] Promoted
  // REMARK: linalg.mlir:[[#@LINE+1]]:3: remark: [Passed] Staged
  linalg.matvec ins(%A, %x : memref<1024x512xf32>, memref<512xf32>) outs(%y : memref<1024xf32>)
  return
}
