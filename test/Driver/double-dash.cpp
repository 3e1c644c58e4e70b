// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows -- is a file, also with what the driver adds.
//
// RUN: %sluicexx -o %t -- %s
// RUN: %t

int main() { return 0; }
