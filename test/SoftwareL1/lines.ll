; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The code of lines. A loop becomes three: in one accesses are counted, in one
; the thread has lines, one is as it was. A block of at most 64 threads has a line
; for each: nobody is asked who has one.
;
; RUN: %opt -passes='sluice-plan<software-l1=shared>,function(loop-simplify),sluice-software-l1,verify' %s -S -o %t.ll -pass-remarks=sluice-software 2> %t.remarks
; RUN: FileCheck %s --input-file %t.ll
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: %opt -passes='default<O3>' %t.ll | %llc -mcpu=sm_70 | FileCheck %s --check-prefix=PTX
; RUN: %opt -passes='sluice-plan<software-l1=shared;test-count=0>,function(loop-simplify),sluice-software-l1,verify' %s -S | FileCheck %s --check-prefix=ALL
; RUN: %opt -passes='sluice-plan<software-l1=off>,function(loop-simplify),sluice-software-l1' %s -S | FileCheck %s --check-prefix=NONE
;
; REMARK: threads keep lines of what the loop accesses in shared memory: up to 2 of 2 data structures, chosen as it runs, for 64 threads of a block
; NONE-NOT: sluice_lines
; PTX: st.shared
; PTX: ld.global.v4
;
; Two lines of 16 bytes for 64 threads.
; CHECK: @__sluice_lines.copy = internal addrspace(3) global [2048 x i8] poison, align 16
; CHECK-LABEL: define {{.*}}@copy
; CHECK: loop.counting:
; CHECK: icmp uge i32 %{{.*}}, 300
; CHECK: sluice.choice:
; More than half hits; what is written counts half.
; CHECK: shl i32 %{{.*}}, 1
; CHECK: icmp ugt i32
; CHECK: br i1 %{{.*}}, label %loop, label %loop.unlined
; CHECK: loop.counting.split:
; CHECK: and i64 %{{.*}}, -16
; CHECK: icmp eq i64
; CHECK: sluice.hit:
; CHECK: load i8, ptr addrspace(3)
; CHECK: sluice.miss:
; CHECK: br i1 %sluice.kept, label %sluice.take, label %sluice.past
; CHECK: sluice.take:
; CHECK: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16{{.*}}, !llvm.access.group
; CHECK-COUNT-4: store i32 %{{.*}}, ptr addrspace(3)
; The text that is written is not fetched.
; CHECK-NOT: !llvm.access.group
; CHECK: sluice.flush:
; All of a line at once, or byte by byte.
; CHECK: icmp eq i32 %{{.*}}, 65535
; CHECK: store <4 x i32> %{{.*}}, ptr addrspace(1) %{{.*}}, align 16
; CHECK: store i8 %{{.*}}, ptr addrspace(1)
;
; ALL: entry:
; ALL-NOT: loop.counting
; ALL-NOT: loop.unlined
; ALL: !llvm.access.group
; ALL: sluice.flush:

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @copy(ptr noalias %A, ptr noalias %B, i64 %n) #0 {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %tx to i64
  %row = mul nuw nsw i64 %thread, 600
  %from = getelementptr i8, ptr %A, i64 %row
  %to = getelementptr i8, ptr %B, i64 %row
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next ]
  %pa = getelementptr i8, ptr %from, i64 %j
  %a = load i8, ptr %pa
  %ends = icmp eq i8 %a, 0
  br i1 %ends, label %exit, label %next

next:
  %pb = getelementptr i8, ptr %to, i64 %j
  store i8 %a, ptr %pb
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

attributes #0 = { "target-cpu"="sm_70" "nvvm.reqntid"="64" }
