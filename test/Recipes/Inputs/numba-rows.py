# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the LLVM IR that Numba makes of a kernel. Needs no GPU."""

from numba import cuda, float32, types
from numba.cuda.cudadrv import nvvm


def rows(a, x, y):
    i = cuda.grid(1)
    if i < y.shape[0]:
        s = float32(0)
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
        y[i] = s


def print_ir(modules, **options):
    """In the place of what hands the IR to NVIDIA's compiler."""
    for module in [modules] if isinstance(modules, str) else modules:
        print(module)
    return b""


nvvm.compile_ir = print_ir
matrix = types.Array(types.float32, 2, "C")
vector = types.Array(types.float32, 1, "C")
cuda.compile_ptx(rows, (matrix, vector, vector), cc=(9, 0))
