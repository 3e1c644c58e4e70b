// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not %plain-cc %s > %t.plain 2>&1
// RUN: not %sluice-cc %s > %t.sluice 2>&1
// RUN: diff %t.plain %t.sluice

#include "there-is-no-such-header.h"
