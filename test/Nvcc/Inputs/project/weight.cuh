// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__device__ float weight(int Column);
