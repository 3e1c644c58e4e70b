// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes no object is clang's alone.
//
// RUN: %sluicexx --sluice-emulate -fsyntax-only %s 2>&1 | count 0
// RUN: %sluicexx --sluice-emulate -M %s | FileCheck %s --check-prefix=DEPENDENCIES
// DEPENDENCIES: pass-through.o: {{.*}}pass-through.cu
// RUN: %sluicexx --sluice-emulate --cuda-host-only -E %s | FileCheck %s --check-prefix=PREPROCESSED
// PREPROCESSED: int main()
// RUN: %sluicexx --sluice-emulate --cuda-gpu-arch=sm_90 --cuda-device-only -S -o - %s | FileCheck %s --check-prefix=PTX
// PTX: .target sm_90
// RUN: %sluicexx --sluice-emulate --version | FileCheck %s --check-prefix=VERSION
// VERSION: clang version 22.
__global__ void kernel() {}
int main() { return 0; }
