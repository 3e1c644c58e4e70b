// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of the llvm and nvvm dialects without a gpu.module, several of them,
// and what must survive the way to LLVM IR and back.
//
// REQUIRES: mlir-plugin
// RUN: %mlir-opt %s -split-input-file -pass-pipeline='builtin.module(sluice-gpu{gpu=sm_90})' -mlir-print-debuginfo | FileCheck %s
// RUN: sed 's/0 : i32, \["nvvm/f32, ["nvvm/' %s | not %mlir-opt -split-input-file -pass-pipeline='builtin.module(sluice-gpu{gpu=sm_90})' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/sluice.cache_hint/sluice.cash_hint/' %s | not %mlir-opt -split-input-file -pass-pipeline='builtin.module(sluice-gpu{gpu=sm_90})' 2>&1 | FileCheck %s --check-prefix=NAME
//
// BAD: error: sluice.cache_hint is a list of numbers, strings and such lists
// NAME: error: no attribute of Sluice is called 'sluice.cash_hint'

// Hints that somebody wrote, volatile, nontemporal and invariant loads, inline
// PTX, attributes of other dialects.
// CHECK-LABEL: module {
// CHECK: llvm.func {{.*}}@kept({{.*}}%arg0: !llvm.ptr<1> {{{.*}}llvm.noalias
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: ["nvvm.reqntid", "64"]
// CHECK-SAME: whose.own = "yes"
// CHECK-DAG: llvm.load volatile
// CHECK-DAG: llvm.load {{.*}} invariant
// CHECK-DAG: llvm.load {{.*}}nontemporal
// CHECK-DAG: llvm.load {{.*}}sluice.cache_hint = [0 : i32, ["nvvm.l1_eviction", "no_allocate"]]
// CHECK-DAG: llvm.inline_asm has_side_effects {{.*}}"nanosleep.u32 $0;", "r"
llvm.func @kept(%a: !llvm.ptr<1> {llvm.noalias}, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>, whose.own = "yes"} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %q = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %p1 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %p2 = llvm.getelementptr %p[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %p3 = llvm.getelementptr %p[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %0 = llvm.load volatile %p : !llvm.ptr<1> -> f32
  %1 = llvm.load %p1 invariant : !llvm.ptr<1> -> f32
  %2 = llvm.load %p2 {nontemporal} : !llvm.ptr<1> -> f32
  %3 = llvm.load %p3 {sluice.cache_hint = [0 : i32, ["nvvm.l1_eviction", "no_allocate"]]} : !llvm.ptr<1> -> f32
  llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r" %t : (i32) -> ()
  %4 = llvm.fadd %0, %1 : f32
  %5 = llvm.fadd %2, %3 : f32
  %6 = llvm.fadd %4, %5 : f32
  llvm.store %6, %q : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// Nothing but variables and device functions: there is no kernel to plan.
// CHECK-LABEL: module {
// CHECK: llvm.mlir.global {{.*}}@table
// CHECK: llvm.func {{.*}}@half
// CHECK: llvm.module_flags [#llvm.mlir.module_flag<warning, "nvvm-reflect-ftz", 1 : i32>]
llvm.mlir.global external @table(dense<1.0> : tensor<4xf32>) {addr_space = 1 : i32} : !llvm.array<4 x f32>
llvm.func @half(%x: f32) -> f32 {
  %half = llvm.mlir.constant(0.5 : f32) : f32
  %y = llvm.fmul %x, %half : f32
  llvm.return %y : f32
}
llvm.module_flags [#llvm.mlir.module_flag<warning, "nvvm-reflect-ftz", 1 : i32>]

// -----

// A function with debug information keeps it.
// CHECK-LABEL: module {
// CHECK: llvm.func {{.*}}@debugged({{.*}}nvvm.kernel
// CHECK: llvm.load {{.*}} loc(#[[LOAD:loc[0-9]+]])
// CHECK-DAG: #[[AT:loc[0-9]+]] = loc("k.py":6:3)
// CHECK-DAG: #[[LOAD]] = loc(fused<#di_subprogram{{[0-9]*}}>[#[[AT]]])
#file = #llvm.di_file<"k.py" in "folder">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, producer = "somebody", isOptimized = true, emissionKind = LineTablesOnly>
#type = #llvm.di_subroutine_type<callingConvention = DW_CC_normal>
#function = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file, name = "debugged", linkageName = "debugged", file = #file, line = 3, scopeLine = 3, subprogramFlags = "Definition|Optimized", type = #type>
llvm.func @debugged(%a: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %t = nvvm.read.ptx.sreg.tid.x : i32 loc("k.py":4:3)
  %p = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc("k.py":5:3)
  %0 = llvm.load %p : !llvm.ptr<1> -> f32 loc("k.py":6:3)
  %1 = llvm.fadd %0, %0 : f32 loc("k.py":7:3)
  llvm.store %1, %p : f32, !llvm.ptr<1> loc("k.py":8:3)
  llvm.return loc("k.py":9:1)
} loc(fused<#function>["k.py":3:1])
