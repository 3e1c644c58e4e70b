# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the LLVM IR that Triton makes of a kernel. Needs no GPU."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def spmv(data, columns, x, y, n, entries, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(entries):
        d = tl.load(data + k * n + i)
        c = tl.load(columns + k * n + i)
        s += d * tl.load(x + c)
    tl.store(y + i, s)


arguments = ["*fp32", "*i32", "*fp32", "*fp32", "i32", "i32", "constexpr"]
source = ASTSource(
    fn=spmv,
    signature=dict(zip(spmv.arg_names, arguments)),
    constexprs={"BLOCK": 128},
)
options = {"num_warps": 4}
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
print(compiled.asm["llir"])
