// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launches say of a kernel's sizes stands at the kernel, each once, and
// goes with it to LLVM IR. A size that is no constant is `?`.
//
// REQUIRES: mlir-plugin
// RUN: %mlir-opt %s -pass-pipeline="builtin.module(sluice-launch-facts)" --remarks-filter='sluice.*' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %mlir-opt %t.mlir -pass-pipeline="builtin.module(sluice-launch-facts)" | diff %t.mlir -
// RUN: %mlir-opt %t.mlir -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm),sluice-launch-facts)' | FileCheck %s --check-prefix=LOWERED
//
// CHECK: gpu.func @twice() kernel
// CHECK-SAME: passthrough = ["nounwind", ["sluice-launches", "1056:256 8x2:32x4x2:4096"]]
// CHECK: gpu.func @open() kernel
// CHECK-SAME: passthrough = {{\[}}["sluice-launches", "?:64:?"]]
// CHECK: gpu.func @known() kernel
// CHECK-SAME: passthrough = {{\[}}["sluice-launches", "?x?x?:128:?"]]
// CHECK: gpu.func @helped() kernel
// CHECK-SAME: passthrough = {{\[}}["sluice-launches", "7x3:16x16"]]
// CHECK: gpu.func @silent() kernel {
//
// LOWERED: llvm.func @twice(){{.*}}["sluice-launches", "1056:256 8x2:32x4x2:4096"]

module attributes {gpu.container_module} {
  func.func @main(%n: index, %shared: i32) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1056 = arith.constant 1056 : index
    %bytes = arith.constant 4096 : i32
    gpu.launch_func @kernels::@twice blocks in (%c1056, %c1, %c1) threads in (%c256, %c1, %c1)
    gpu.launch_func @kernels::@twice blocks in (%c1056, %c1, %c1) threads in (%c256, %c1, %c1)
    gpu.launch_func @kernels::@twice blocks in (%c8, %c2, %c1) threads in (%c32, %c4, %c2) dynamic_shared_memory_size %bytes
    // REMARK-NOT: remark
    // REMARK: launch-facts.mlir:[[#@LINE+1]]:5: remark: [Missed] UnknownLaunch | Category:sluice-launch-facts | Function=open | Remark="this launch of 'open' has a size that is no constant: what depends on it is not planned"
    gpu.launch_func @kernels::@open blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) dynamic_shared_memory_size %shared
    // REMARK-NOT: remark:
    gpu.launch_func @kernels::@helped blocks in (%n, %n, %n) threads in (%c16, %c16, %c1)
    return
  }

  gpu.module @kernels {
    gpu.func @twice() kernel attributes {passthrough = ["nounwind"]} {
      gpu.return
    }
    gpu.func @open() kernel {
      gpu.return
    }
    gpu.func @known() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
    gpu.func @helped() kernel attributes {known_grid_size = array<i32: 7, 3, 1>} {
      gpu.return
    }
    gpu.func @silent() kernel {
      gpu.return
    }
  }
}
