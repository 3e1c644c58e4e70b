// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not %plain-cc -ferror-limit=1 %s > %t.plain 2>&1
// RUN: not %sluice-cc -ferror-limit=1 %s > %t.sluice 2>&1
// RUN: diff %t.plain %t.sluice

int a = one;
int b = two;
int c = three;
