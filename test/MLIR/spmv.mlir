// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix times a vector, in ELLPACK form. Nobody reads the matrix
// twice: its loads get cache hints, which stand at llvm.load as an attribute
// until there is code. Sizes of memrefs are not known here.
//
// REQUIRES: mlir-plugin
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu))' --remarks-filter='sluice-cache-hints' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file %t.mlir
//
// Code from one run of mlir-opt, or from another one that knows the dialect;
// without it there are no hints.
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=isa})' | %gpu-object > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file %t.ptx
// RUN: mlir-opt --load-dialect-plugin=%build/lib/SluiceMLIR.so %t.mlir -gpu-module-to-binary=format=isa | %gpu-object | diff %t.ptx -
// RUN: mlir-opt %t.mlir -gpu-module-to-binary=format=isa | %gpu-object | FileCheck %s --check-prefix=WITHOUT
//
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(sluice-launch-facts,gpu.module(%gpu-lowering,sluice-gpu),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.bc
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(%gpu-lowering),gpu-module-to-binary{format=llvm})' | %gpu-object > %t.plain.bc
// RUN: %sluice emulate %t.bc --compare=%t.plain.bc --launch=%S/Inputs/spmv.yaml --check=memory+races
//
// CHECK: llvm.load {{.*}}sluice.cache_hint = [0 : i32, ["nvvm.l1_eviction", "no_allocate"]]
// CHECK: llvm.load {{.*}}sluice.cache_hint
// CHECK: llvm.load {{.*}}{alignment = 4 : i64} :
//
// PTX: ld.global.L1::no_allocate.b32
// PTX: ld.global.L1::no_allocate.b32
// PTX: ld.global.b32
// WITHOUT: ld.global.b32
// WITHOUT-NOT: no_allocate

module attributes {gpu.container_module} {
  func.func @main(%data: memref<?x?xf32>, %columns: memref<?x?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %grid = arith.constant 1056 : index
    %block = arith.constant 128 : index
    gpu.launch_func @kernels::@spmv
      blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      args(%data : memref<?x?xf32>, %columns : memref<?x?xi32>, %x : memref<?xf32>, %y : memref<?xf32>)
    return
  }

  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    gpu.func @spmv(%data: memref<?x?xf32>, %columns: memref<?x?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %entries = memref.dim %data, %c0 : memref<?x?xf32>
      %i = gpu.global_id x
      // The k-th entries of all rows lie together.
      %sum = scf.for %k = %c0 to %entries step %c1 iter_args(%s = %zero) -> f32 {
        // REMARK: spmv.mlir:[[#@LINE+1]]:14: remark: [Passed] Hinted | Category:sluice-cache-hints | Function=spmv | Remark="the load's cache hint is L1::no_allocate"
        %a = memref.load %data[%k, %i] : memref<?x?xf32>
        // REMARK: spmv.mlir:[[#@LINE+1]]:14: remark: [Passed] Hinted
        %c = memref.load %columns[%k, %i] : memref<?x?xi32>
        %j = arith.index_cast %c : i32 to index
        %b = memref.load %x[%j] : memref<?xf32>
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<?xf32>
      gpu.return
    }
  }
}
