// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two files of rdc-two-files.cu know of each other.
#pragma once

const int Slots = 16;
using Operation = int (*)(int);

// In the first file.
extern __device__ int fromFirst(int x);
extern __device__ int history[Slots];

// In the second.
extern __device__ int secondFunction(int x);
extern __device__ Operation operations[3];
extern __device__ int calls;
extern __constant__ int scale;
void sumOfHistory(int *out);
int countedThere();
