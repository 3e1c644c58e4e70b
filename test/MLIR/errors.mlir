// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot be is said where it is, with what to do about it; nothing is
// changed then.
//
// REQUIRES: mlir-plugin
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(sluice-gpu))' 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu))' 2>&1 | FileCheck %s --check-prefix=NO-GPU
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90},nvvm-attach-target{chip=sm_80},gpu.module(convert-gpu-to-nvvm,sluice-gpu))' 2>&1 | FileCheck %s --check-prefix=TWO-GPUS
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_35},gpu.module(convert-gpu-to-nvvm,sluice-gpu))' 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{gpu=sm_35}))' 2>&1 | FileCheck %s --check-prefix=OLD-OPTION
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{options=throttel=off}))' 2>&1 | FileCheck %s --check-prefix=NO-OPTION
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{options=sms=no}))' 2>&1 | FileCheck %s --check-prefix=BAD-VALUE
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{opt-level=4}))' 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{gpu=sm_90 link=%t.none}))' 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not %mlir-opt %s -pass-pipeline='builtin.module(func.func(sluice-gpu))' 2>&1 | FileCheck %s --check-prefix=PLACE
//
// What cannot be planned is a warning, and the kernel is as it was.
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{gpu=sm_90 options=plan=%t.none}))' 2>&1 | FileCheck %s --check-prefix=NO-PLAN
// RUN: %mlir-opt %s -pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm,sluice-gpu{gpu=sm_90 options=launch=other:1:32}))' 2>&1 | FileCheck %s --check-prefix=OTHER
//
// TWO-GPUS: error: sluice-gpu: the module has several #nvvm.target, so
// OLD-OPTION: error: sluice-gpu: {{.*}}sm_35
// NO-OPTION: error: sluice-gpu: unknown option 'throttel'; did you mean 'throttle'?
// BAD-VALUE: error: sluice-gpu: invalid value 'no' for option 'sms': expected a number of SMs from 1 to 1024
// LEVEL: error: sluice-gpu: opt-level is 0 to 3, not 4
// PLACE: error: {{.*}}sluice-gpu{{.*}}func.func
// OTHER: warning: sluice-plan: launch=other:...: no kernel of that name in this file

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }

  // NO-GPU: errors.mlir:[[#@LINE+4]]:3: error: sluice-gpu: the module has no #nvvm.target, so its GPU is not known; run nvvm-attach-target before, or say gpu=sm_90
  // OLD: errors.mlir:[[#@LINE+3]]:3: error: sluice-gpu: {{.*}}sm_35
  // NO-FILE: errors.mlir:[[#@LINE+2]]:3: error: sluice-gpu: cannot link '{{.*}}.none': Could not open input file
  // NO-PLAN: errors.mlir:[[#@LINE+1]]:3: warning: sluice-plan: nothing is planned: {{.*}}.none'
  gpu.module @kernels {
    // UNLOWERED: errors.mlir:[[#@LINE+1]]:5: error: sluice-gpu: 'gpu.func' is not of the llvm dialect yet; put sluice-gpu behind convert-gpu-to-nvvm
    gpu.func @kernel() kernel {
      gpu.return
    }
  }
}
// NO-PLAN: llvm.func {{.*}}@kernel
// OTHER: llvm.func {{.*}}@kernel
