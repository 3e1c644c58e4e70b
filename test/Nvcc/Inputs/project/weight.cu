// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weight.cuh"

__device__ float weight(int Column) { return 1.0f / (1 + Column); }
