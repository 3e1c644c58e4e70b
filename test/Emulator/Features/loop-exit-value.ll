; A value that all lanes share in a loop which they leave at different times: each
; keeps the value of its own last iteration. (Found by sluice-fuzz.)
;
; RUN: %sluice emulate %s --launch=%S/Inputs/loop-exit-value.yaml --compare=%S/Inputs/loop-exit-value.ll 2>&1 | FileCheck %s
; CHECK: all 2 buffers are the same

target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; out[tid] becomes 1000 * (n[tid] - 1), or 100 where n[tid] is 0.
define ptx_kernel void @k(ptr %n, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = zext i32 %t to i64
  %np = getelementptr i32, ptr %n, i64 %o
  %op = getelementptr i32, ptr %out, i64 %o
  %n0 = load i32, ptr %np
  %none = icmp eq i32 %n0, 0
  br i1 %none, label %end, label %loop
loop:
  %j = phi i32 [ 0, %0 ], [ %next, %loop ]
  %next = add i32 %j, 1
  %n1 = load i32, ptr %np
  %more = icmp ult i32 %next, %n1
  br i1 %more, label %loop, label %after
after:
  %last = mul i32 %j, 1000
  br label %end
end:
  %v = phi i32 [ %last, %after ], [ 100, %0 ]
  store i32 %v, ptr %op
  ret void
}
