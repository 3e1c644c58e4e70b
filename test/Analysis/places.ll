; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Places are those of the debug information, without folders.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at a.cu:3:5, iterations 512
; CHECK-NEXT: load 4 B at a.cu:4:9: arg0 + 4*i0{{$}}
; CHECK-NEXT: load 4 B at b.h:7:1 inlined at a.cu:5:9: arg0 + 4*i0{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) !dbg !4 {
entry:
  br label %loop, !dbg !6

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %A, i32 %j
  %v = load float, ptr %p, !dbg !7
  %w = load float, ptr %p, !dbg !9
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit, !dbg !6, !llvm.loop !10

exit:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "folder/a.cu", directory: "/")
!2 = !DIFile(filename: "other/b.h", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, unit: !0, type: !5, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 3, column: 5, scope: !4)
!7 = !DILocation(line: 4, column: 9, scope: !4)
!8 = distinct !DISubprogram(name: "f", file: !2, line: 6, unit: !0, type: !5, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 7, column: 1, scope: !8, inlinedAt: !11)
!10 = distinct !{!10, !6}
!11 = distinct !DILocation(line: 5, column: 9, scope: !4)
