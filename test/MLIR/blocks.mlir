// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fewer blocks on an SM: the host's launches ask for it. What they are to ask
// for stands in the GPU's code, which is in the host's module.
//
// REQUIRES: mlir-plugin
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(%gpu-lowering,sluice-gpu{host-hears=true options=software-l1=off,launch=rows:1056:256}),gpu-module-to-binary{format=isa},convert-func-to-llvm,gpu-to-llvm,reconcile-unrealized-casts)' --remarks-filter=sluice-plan 2>%t.txt | mlir-translate --mlir-to-llvmir > %t.ll
// RUN: FileCheck %s --check-prefix=PLANNED --input-file %t.txt
// RUN: %opt -passes=sluice-mlir-launches -S %t.ll -pass-remarks=sluice -o %t.out.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file %t.out.ll
// RUN: llc %t.out.ll -o /dev/null
//
// A launch of which the kernel or its code is not known stays.
// RUN: sed 's/@kernels_module/@kernels_other/' %t.ll | %opt -passes=sluice-mlir-launches -S -pass-remarks-missed=sluice 2>&1 | FileCheck %s --check-prefix=OTHER
//
// Nothing is planned that nobody does.
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(%gpu-lowering,sluice-gpu{options=software-l1=off,launch=rows:1056:256}))' | FileCheck %s --check-prefix=NOBODY
// NOBODY-NOT: __sluice_host
//
// PLANNED: remark: [Analysis] Blocks | {{.*}} with M=4
// REMARK: carveout of 'rows' set to [[#]] per cent before its launch
// REMARK: the launch of 'rows' claims [[#]] bytes of shared memory for each block
//
// The second launch has 1024 bytes of its own, the third too many.
// CHECK: @kernels_binary ={{.*}}__sluice_host$1$c[[#PERCENT:]]$s[[#CLAIM:]]$d
// CHECK: [[KERNEL:%.*]] = call ptr @mgpuModuleGetFunction
// CHECK: call i32 @cuFuncSetAttribute(ptr [[KERNEL]], i32 9, i32 [[#PERCENT]])
// CHECK-NEXT: call void @mgpuLaunchKernel(ptr [[KERNEL]], i64 1056, {{.*}}, i32 [[#CLAIM]], ptr
// CHECK: call i32 @cuFuncSetAttribute(ptr [[SECOND:%.*]], i32 9, i32 [[#PERCENT]])
// CHECK-NEXT: call void @mgpuLaunchKernel(ptr [[SECOND]], i64 1056, {{.*}}, i32 [[#CLAIM+1024]], ptr
// CHECK: call void @mgpuLaunchKernel({{.*}}, i32 49152, ptr
// CHECK: call void @mgpuLaunchKernel({{.*}}, i32 %{{.*}}, ptr
//
// OTHER: the launch of 'rows' is left alone: the code of its module is not known
// OTHER-NOT: cuFuncSetAttribute

module attributes {gpu.container_module} {
  func.func @main(%A: memref<270336x512xf32>, %B: memref<270336x512xf32>, %y: memref<270336xf32>, %any: i32) {
    %c1 = arith.constant 1 : index
    %grid = arith.constant 1056 : index
    %block = arith.constant 256 : index
    %some = arith.constant 1024 : i32
    %most = arith.constant 49152 : i32
    gpu.launch_func @kernels::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      args(%A : memref<270336x512xf32>, %B : memref<270336x512xf32>, %y : memref<270336xf32>)
    gpu.launch_func @kernels::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      dynamic_shared_memory_size %some
      args(%A : memref<270336x512xf32>, %B : memref<270336x512xf32>, %y : memref<270336xf32>)
    gpu.launch_func @kernels::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      dynamic_shared_memory_size %most
      args(%A : memref<270336x512xf32>, %B : memref<270336x512xf32>, %y : memref<270336xf32>)
    gpu.launch_func @kernels::@rows blocks in (%grid, %c1, %c1) threads in (%block, %c1, %c1)
      dynamic_shared_memory_size %any
      args(%A : memref<270336x512xf32>, %B : memref<270336x512xf32>, %y : memref<270336xf32>)
    return
  }

  gpu.module @kernels [#nvvm.target<chip = "sm_90", O = 3>] {
    gpu.func @rows(%A: memref<270336x512xf32>, %B: memref<270336x512xf32>, %y: memref<270336xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant 512 : index
      %zero = arith.constant 0.0 : f32
      %i = gpu.global_id x
      %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %a = memref.load %A[%i, %j] : memref<270336x512xf32>
        %b = memref.load %B[%i, %j] : memref<270336x512xf32>
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      memref.store %sum, %y[%i] : memref<270336xf32>
      gpu.return
    }
  }
}
