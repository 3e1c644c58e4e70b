; The same without a loop.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %n, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = zext i32 %t to i64
  %np = getelementptr i32, ptr %n, i64 %o
  %op = getelementptr i32, ptr %out, i64 %o
  %n0 = load i32, ptr %np
  %none = icmp eq i32 %n0, 0
  %less = sub i32 %n0, 1
  %last = mul i32 %less, 1000
  %v = select i1 %none, i32 100, i32 %last
  store i32 %v, ptr %op
  ret void
}
