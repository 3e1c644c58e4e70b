; Blocks that all wait for one another: four fit on an SM, three do not do.
;
; RUN: split-file %s %t
; RUN: %sluice emulate %t/meet.ll --launch=%t/launch.yaml
; RUN: sed 's/sms: 1/sms: 1, carveout: 6/; s/shared: 0/shared: 4096/' %t/launch.yaml > %t/three.yaml
; RUN: not %sluice emulate %t/meet.ll --launch=%t/three.yaml 2>&1 | FileCheck %s
; CHECK: deadlock
; RUN: sed 's/sms: 1/sms: 2/' %t/three.yaml > %t/two-sms.yaml
; RUN: %sluice emulate %t/meet.ll --launch=%t/two-sms.yaml
; RUN: sed 's/shared: 0/shared: 4096/' %t/launch.yaml > %t/no-carveout.yaml
; RUN: %sluice emulate %t/meet.ll --launch=%t/no-carveout.yaml

;--- launch.yaml
buffers:
  - { name: count, type: i32, elements: 1 }
launches:
  - { kernel: meet, grid: [4], block: [32], shared: 0, sms: 1, arguments: [count] }

;--- meet.ll
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @meet(ptr %count) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %lane, 0
  %one = zext i1 %first to i32
  %before = atomicrmw add ptr %count, i32 %one monotonic
  br label %loop

loop:
  %seen = atomicrmw add ptr %count, i32 0 monotonic
  %come = icmp eq i32 %seen, 4
  br i1 %come, label %exit, label %loop

exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
