// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both passes say is printed once, and what only one says too.
//
// RUN: %sluicexx --sluice-emulate -Wall -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=generated
// CHECK: warnings-once.cu:[[#@LINE+3]]:2: warning: "device"
// CHECK: warning: unused variable 'Both'
#ifdef __CUDA_ARCH__
#warning "device"
#else
#warning "host"
#endif
// CHECK: warnings-once.cu:[[#@LINE-2]]:2: warning: "host"

int main() {
  int Both;
  return 0;
}
