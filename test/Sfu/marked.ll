; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A mark on the kernel is read from the module. Where the copy's calls have lost
; their locations, as they may in a function without a subprogram, they get the
; kernel's: what comes out is valid. Registers are limited as the version with
; the lower limit demands, and what is known of an argument in one version only
; is forgotten.
;
; RUN: %opt -passes='sluice-plan<gpu=sm_90>,sluice-sfu' -S %s -o %t.two.ll
; RUN: sed -e 's/^define ptx_kernel void @k(ptr %%a)/define ptx_kernel void @k(ptr readonly %%a)/' -e '/define .*@k__sluice_sfu/,/^}/s/\(call void @other.*\), !dbg .*/\1/' %t.two.ll > %t.changed.ll
; RUN: grep -q '@k(ptr readonly %%a)' %t.changed.ll
; RUN: grep -q 'call void @other(ptr %%a)$' %t.changed.ll
; RUN: %opt -passes=sluice-sfu-join,verify -S %t.changed.ll | FileCheck %s
; RUN: sed -e '/^attributes .*"sluice-sfu-warps"/s/ }/ "nvvm.maxnreg"="64" }/' %t.two.ll | %opt -passes=sluice-sfu-join -S | FileCheck %s --check-prefix=LIMIT
; RUN: sed 's/sfu=3/sfu=x/' %s | %opt -passes='sluice-plan<gpu=sm_90>,sluice-sfu,sluice-sfu-join' -S | FileCheck %s --check-prefix=NONE
;
; CHECK: define ptx_kernel void @k(ptr %a){{.*}} !dbg [[SP:![0-9]+]]
; CHECK: icmp ult i32 %warp, 3
; CHECK: call void @other(ptr %a), !dbg
; CHECK: call void @other(ptr %a), !dbg [[LINE0:![0-9]+]]
; CHECK: [[LINE0]] = !DILocation(line: 0, scope: [[SP]])
; LIMIT: define ptx_kernel void @k({{.*}} [[OF:#[0-9]+]]
; LIMIT: attributes [[OF]] = { {{.*}}"nvvm.maxnreg"="64"
; NONE-NOT: approx

target triple = "nvptx64-nvidia-cuda"

@text = private constant [13 x i8] c"sluice:sfu=3\00"
@file = private constant [5 x i8] c"k.cu\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @text, ptr @file, i32 1, ptr null }], section "llvm.metadata"

define ptx_kernel void @k(ptr %a) #0 !dbg !4 {
  %x = load float, ptr %a, !dbg !6
  %over = fdiv float 1.0, %x, !dbg !6
  call void @other(ptr %a), !dbg !6
  store float %over, ptr %a, !dbg !6
  ret void, !dbg !6
}

define void @other(ptr %a) noinline !dbg !7 {
  ret void, !dbg !8
}

attributes #0 = { "target-cpu"="sm_90" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, scope: !4)
!7 = distinct !DISubprogram(name: "other", file: !2, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 6, scope: !7)
