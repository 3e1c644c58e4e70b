// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --analyze and -emit-ast do not link, so there is no library path to be
// unused.
//
// RUN: %sluicexx -Werror --analyze %s -o %t.plist 2>&1 | count 0
// RUN: %sluicexx -Werror -emit-ast %s -o %t.ast 2>&1 | count 0

int main() { return 0; }
