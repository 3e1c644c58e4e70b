// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

void launchRows(const float *A, float *Sums, int Rows, int Columns);
void launchScale(float *A, int N);
