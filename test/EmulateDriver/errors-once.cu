// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device pass says it; there is no host pass, no object.
//
// RUN: rm -f %t.o && not %sluicexx --sluice-emulate -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not ls %t.o
// CHECK: errors-once.cu:[[#@LINE+1]]:{{[0-9]+}}: error: use of undeclared identifier 'Nothing'
int main() { return Nothing; }
//
// The folder of temporary files does not stay.
// RUN: rm -rf %t && mkdir %t && not env TMPDIR=%t %sluice emulate %s
// RUN: ls %t | count 0
