// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y[i] = sum over j of a[i * 512 + j] * b[i * 512 + j], as scf.for in a gpu.func
// becomes by convert-gpu-to-nvvm.
module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.func @rows(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %y: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %columns = llvm.mlir.constant(512 : i32) : i32
    %nothing = llvm.mlir.constant(0.0 : f32) : f32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %size = nvvm.read.ptx.sreg.ntid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.mul %block, %size : i32
    %i = llvm.add %first, %thread : i32
    %row = llvm.mul %i, %columns : i32
    llvm.br ^loop(%zero, %nothing : i32, f32)
  ^loop(%j: i32, %sum: f32):
    %more = llvm.icmp "slt" %j, %columns : i32
    llvm.cond_br %more, ^body, ^exit
  ^body:
    %at = llvm.add %row, %j : i32
    %pa = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pb = llvm.getelementptr %b[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %va = llvm.load %pa : !llvm.ptr<1> -> f32
    %vb = llvm.load %pb : !llvm.ptr<1> -> f32
    %ab = llvm.fmul %va, %vb : f32
    %next = llvm.fadd %sum, %ab : f32
    %k = llvm.add %j, %one overflow<nsw> : i32
    llvm.br ^loop(%k, %next : i32, f32)
  ^exit:
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %sum, %py : f32, !llvm.ptr<1>
    llvm.return
  }
}
