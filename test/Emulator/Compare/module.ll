; A module's kernels run as a YAML file describes, and two modules are compared.
;
; RUN: %sluice emulate %s --launch=%S/Inputs/module.yaml --compare=%s 2>&1 | FileCheck %s --check-prefix=SAME
; SAME: note: all 3 buffers are the same
;
; RUN: sed s/fadd/fsub/ %s > %t.ll
; RUN: not %sluice emulate %s --launch=%S/Inputs/module.yaml --compare=%t.ll 2>&1 | FileCheck %s --check-prefix=DIFFERENT
; DIFFERENT: difference: b differs in {{[0-9]+}} of 512 bytes, first at byte 0: 0x40e00000 before, 0xc0e00000 after
; RUN: %sluice emulate %s --launch=%S/Inputs/module.yaml --compare=%t.ll --order-dependent=b
;
; RUN: not %sluice emulate %s --launch=%S/Inputs/module.yaml --compare=%s --order-dependent=d 2>&1 | FileCheck %s --check-prefix=NO-BUFFER
; NO-BUFFER: --order-dependent=d: there is no such buffer; there are 'a' 'b' 'variable counter'
;
; What is wrong with a description is said at its place.
; RUN: sed 's/i32 7/i8 7/' %S/Inputs/module.yaml > %t.yaml
; RUN: not %sluice emulate %s --launch=%t.yaml 2>&1 | FileCheck %s --check-prefix=SIZE
; SIZE: kernel 'add': parameter 3 has 4 bytes, its argument 1
; RUN: sed 's/i32 7/i8 700/' %S/Inputs/module.yaml > %t.yaml
; RUN: not %sluice emulate %s --launch=%t.yaml 2>&1 | FileCheck %s --check-prefix=VALUE
; VALUE: module.ll.tmp.yaml:10:23: an argument is a buffer's name, or a type and a value that fits it
; RUN: sed 's/kernel: add/kernel: none/' %S/Inputs/module.yaml > %t.yaml
; RUN: not %sluice emulate %s --launch=%t.yaml 2>&1 | FileCheck %s --check-prefix=KERNEL
; KERNEL: module.ll: {{.*}}none
; RUN: sed 's/a, b/a, c/' %S/Inputs/module.yaml > %t.yaml
; RUN: not %sluice emulate %s --launch=%t.yaml 2>&1 | FileCheck %s --check-prefix=BUFFER
; BUFFER: there is no buffer 'c'
; RUN: not %sluice emulate %s --launch=%t.none 2>&1 | FileCheck %s --check-prefix=FILE
; FILE: cannot read '{{.*}}.none': {{[Nn]}}o such file
; RUN: not %sluice emulate %s --launch=%S/Inputs/module.yaml --compare 2>&1 | FileCheck %s --check-prefix=OTHER
; OTHER: --compare names the other module: --compare=MODULE

target triple = "nvptx64-nvidia-cuda"

@counter = addrspace(1) global i32 0

define ptx_kernel void @add(ptr %a, ptr %b, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %m = mul i32 %c, %d
  %i = add i32 %m, %t
  %p = getelementptr float, ptr %a, i32 %i
  %q = getelementptr float, ptr %b, i32 %i
  %v = load float, ptr %p
  %f = sitofp i32 %n to float
  %s = fadd float %v, %f
  store float %s, ptr %q
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  ret void
}
