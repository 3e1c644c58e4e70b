// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y += A x: as many rows as fill an H100 or H200 twice, 554 MB.

func.func @main(%A: memref<270336x512xf32>, %x: memref<512xf32>, %y: memref<270336xf32>) {
  linalg.matvec ins(%A, %x : memref<270336x512xf32>, memref<512xf32>) outs(%y : memref<270336xf32>)
  return
}
