// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %sluice-cc %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// CHECK: warning: compiling this once

#pragma message("compiling this once")
#include "Inputs/gesummv.cu"
