// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure C++ compiles, links and runs, and Sluice has nothing to say.
//
// RUN: %sluicexx -Werror -O2 %s -o %t %remarks > %t.out 2>&1
// RUN: count 0 < %t.out
// RUN: %t | FileCheck %s
// CHECK: all on the host

#include <cstdio>

int main() { std::puts("all on the host"); }
