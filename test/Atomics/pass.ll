; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name, with a plan in the module and without. It goes by debug
; locations: without one nothing is known of a compare-exchange.
;
; RUN: %opt -passes=sluice-atomics -S %s -pass-remarks=sluice-atomics 2> %t.remarks | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: %opt -passes='sluice-plan<gpu=sm_90>,sluice-atomics' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-plan<gpu=sm_90;atomics=off>,sluice-atomics' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=sluice-atomics %s | %llc -mcpu=sm_60 | FileCheck %s --check-prefixes=PTX,SM60
; RUN: %opt -passes=sluice-atomics %s | %llc -mcpu=sm_70 | FileCheck %s --check-prefixes=PTX,SM70
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-linux-gnu/; s/ptx_kernel//' %s | %opt -passes=sluice-atomics -S | FileCheck %s --check-prefix=OFF
;
; CHECK-LABEL: @k(
; CHECK: cmpxchg ptr addrspace(1) %p, i32 1, i32 2 syncscope("device") monotonic monotonic, align 4, !dbg
; CHECK: cmpxchg ptr addrspace(1) %p, i32 3, i32 4 seq_cst seq_cst, align 4{{$}}
; CHECK: cmpxchg ptr addrspace(1) %p, i32 5, i32 6 seq_cst seq_cst, align 4, !dbg
; CHECK: cmpxchg ptr addrspace(1) %p, i32 7, i32 8 seq_cst seq_cst, align 4, !dbg
; CHECK: cmpxchg ptr addrspace(1) %p, i32 9, i32 10 syncscope("block") seq_cst seq_cst, align 4, !dbg
; CHECK: cmpxchg volatile ptr addrspace(1) %p, i32 11, i32 12 seq_cst seq_cst, align 4, !dbg
; CHECK: cmpxchg weak ptr addrspace(1) %p, i32 13, i32 14 seq_cst seq_cst, align 4, !dbg
; CHECK: cmpxchg ptr addrspace(1) %p, i32 15, i32 16 acq_rel monotonic, align 4, !dbg
; REMARK-COUNT-1: atomicCAS is relaxed
; REMARK-NOT: atomicCAS is relaxed
; OFF-NOT: monotonic monotonic
;
; PTX-LABEL: .entry k(
; SM60-NOT: membar
; SM60: atom.gpu.global.cas.b32 %r{{[0-9]+}}, [%rd1], 1, 2;
; SM70-NOT: fence
; SM70: atom.relaxed.gpu.global.cas.b32 %r{{[0-9]+}}, [%rd1], 1, 2;
; SM60: membar.sys;
; SM70: fence.sc.sys;

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p) !dbg !10 {
  ; In clang's header, inlined.
  cmpxchg ptr addrspace(1) %p, i32 1, i32 2 seq_cst seq_cst, align 4, !dbg !20
  ; From nowhere.
  cmpxchg ptr addrspace(1) %p, i32 3, i32 4 seq_cst seq_cst, align 4
  ; In a user's function of the name.
  cmpxchg ptr addrspace(1) %p, i32 5, i32 6 seq_cst seq_cst, align 4, !dbg !21
  ; In another function of the header.
  cmpxchg ptr addrspace(1) %p, i32 7, i32 8 seq_cst seq_cst, align 4, !dbg !22
  ; In clang's header, and not what it makes.
  cmpxchg ptr addrspace(1) %p, i32 9, i32 10 syncscope("block") seq_cst seq_cst, align 4, !dbg !20
  cmpxchg volatile ptr addrspace(1) %p, i32 11, i32 12 seq_cst seq_cst, align 4, !dbg !20
  cmpxchg weak ptr addrspace(1) %p, i32 13, i32 14 seq_cst seq_cst, align 4, !dbg !20
  cmpxchg ptr addrspace(1) %p, i32 15, i32 16 acq_rel monotonic, align 4, !dbg !20
  ret void, !dbg !19
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, isOptimized: true, emissionKind: NoDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "k.cu", directory: "")
!3 = !DIFile(filename: "/usr/lib/clang/22/include/__clang_cuda_device_functions.h", directory: "")
!4 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "__iAtomicCAS", file: !3, line: 358, type: !4, unit: !0, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "__iAtomicCAS", file: !2, line: 30, type: !4, unit: !0, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "__iAtomicOther", file: !3, line: 400, type: !4, unit: !0, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition)
!19 = !DILocation(line: 3, column: 3, scope: !10)
!20 = !DILocation(line: 359, column: 10, scope: !11, inlinedAt: !19)
!21 = !DILocation(line: 31, column: 10, scope: !12, inlinedAt: !19)
!22 = !DILocation(line: 401, column: 10, scope: !13, inlinedAt: !19)
