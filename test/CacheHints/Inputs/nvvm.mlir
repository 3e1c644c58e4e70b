// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// out[i] = a[i] + b[i], as gpu.func becomes by convert-gpu-to-nvvm.
module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.func @add(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %size = nvvm.read.ptx.sreg.ntid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.mul %block, %size : i32
    %i = llvm.add %first, %thread : i32
    %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %va = llvm.load %pa : !llvm.ptr<1> -> f32
    %vb = llvm.load %pb : !llvm.ptr<1> -> f32
    %sum = llvm.fadd %va, %vb : f32
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %sum, %po : f32, !llvm.ptr<1>
    llvm.return
  }
}
