// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error below a kernel that is to be throttled: no remark, no second error.
//
// RUN: not %plain-cc %s > %t.plain 2>&1
// RUN: not %sluice-cc %s %remarks > %t.sluice 2>&1
// RUN: diff %t.plain %t.sluice

#include "Inputs/gesummv.cu"

int broken = nothing;
