// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking alone: nothing of the plugin's, nothing unused, and plan options do
// no harm.
//
// RUN: %sluicexx -c %s -o %t.o
// RUN: %sluicexx -Werror %t.o -o %t > %t.out 2>&1
// RUN: %sluicexx -Werror --sluice-throttle=2 %t.o -o %t >> %t.out 2>&1
// RUN: count 0 < %t.out
// RUN: %sluicexx -### %t.o -o %t 2>&1 | FileCheck %s
// --implicit-check-not=Sluice.so CHECK: {{ld|collect2}}

int main() { return 0; }
