; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A load that fetches a line may read past the end of what is allocated, what
; nobody wrote, and what others write: of its bytes only some are the program's.
; A line that has no byte of an allocation is an error as ever. An alignment of 2
; to the 32nd, as LLVM gives it to null pointers, is one.
;
; RUN: %sluice emulate %s --launch=%S/Inputs/line-load.yaml --check=memory,races 2>&1 | FileCheck %s --check-prefix=FINE --allow-empty
; FINE-NOT: error
; RUN: sed 's/, !llvm.access.group !0//' %s > %t.ll
; RUN: not %sluice emulate %t.ll --launch=%S/Inputs/line-load.yaml --check=memory,races 2>&1 | FileCheck %s
; CHECK-DAG: error: out-of-bounds read of 16 bytes
; CHECK-DAG: error: race on global memory
; RUN: sed 's/i64 16 ; line/i64 4096 ; line/' %s > %t.ll
; RUN: not %sluice emulate %t.ll --launch=%S/Inputs/line-load.yaml 2>&1 | FileCheck %s --check-prefix=BEYOND
; BEYOND: error: out-of-bounds read of 16 bytes

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @fetch(ptr addrspace(1) %a, ptr addrspace(1) %y) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %lane to i64
  %mine = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  store i32 %lane, ptr addrspace(1) %mine
  %first = load <4 x i32>, ptr addrspace(1) %a, align 16, !llvm.access.group !0
  %end = getelementptr i8, ptr addrspace(1) %a, i64 16 ; line
  %last = load <4 x i32>, ptr addrspace(1) %end, align 16, !llvm.access.group !0
  %x = extractelement <4 x i32> %first, i64 3
  %z = extractelement <4 x i32> %last, i64 0
  %sum = add i32 %x, %z
  %to = getelementptr i32, ptr addrspace(1) %y, i64 %wide
  store i32 %sum, ptr addrspace(1) %to
  %never = icmp eq i32 %lane, 99
  br i1 %never, label %null, label %done

null:
  store i32 %sum, ptr addrspace(1) null, align 4294967296
  br label %done

done:
  ret void
}

!sluice.line = !{!0}
!0 = distinct !{}
