// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %sluicexx -Werror -c %s -o %t.o 2>&1 | count 0
// RUN: %sluicexx -Werror -S %s -o %t.s 2>&1 | count 0
// RUN: %sluicexx -Werror -c %t.s -o %t.o 2>&1 | count 0
// RUN: %sluicexx -Werror -S -emit-llvm %s -o %t.ll 2>&1 | count 0
// RUN: %sluicexx -Werror -c %t.ll -o %t.o 2>&1 | count 0
// RUN: %sluicexx -Werror -M %s -o %t.d 2>&1 | count 0

int main() { return 0; }
