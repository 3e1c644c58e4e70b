// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a CUDA source finds under nvcc without an include and does not find
/// under clang 22. sluice-nvcc puts this header before each CUDA source.

#ifndef SLUICE_NVCC_H
#define SLUICE_NVCC_H
#pragma GCC system_header // no warnings about it in users' files

#include "functions.h"

// Headers that cuda_runtime.h includes under nvcc alone. Without that of math
// sin(1.0f) is a double in host code.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// nvcc has min and max of two numbers of any built-in types, on both sides.
// clang's headers have them for device code.
#define SLUICE_MINMAX(Result, A, B)                                            \
  __host__ constexpr Result min(A X, B Y) {                                    \
    return (Result)X < (Result)Y ? (Result)X : (Result)Y;                      \
  }                                                                            \
  __host__ constexpr Result max(A X, B Y) {                                    \
    return (Result)X > (Result)Y ? (Result)X : (Result)Y;                      \
  }
#define SLUICE_MINMAX_INTEGERS(Signed)                                         \
  SLUICE_MINMAX(Signed, Signed, Signed)                                        \
  SLUICE_MINMAX(unsigned Signed, unsigned Signed, unsigned Signed)             \
  SLUICE_MINMAX(unsigned Signed, Signed, unsigned Signed)                      \
  SLUICE_MINMAX(unsigned Signed, unsigned Signed, Signed)
SLUICE_MINMAX_INTEGERS(int)
SLUICE_MINMAX_INTEGERS(long)
SLUICE_MINMAX_INTEGERS(long long)
SLUICE_MINMAX(float, float, float)
SLUICE_MINMAX(double, double, double)
SLUICE_MINMAX(double, float, double)
SLUICE_MINMAX(double, double, float)
#undef SLUICE_MINMAX_INTEGERS
#undef SLUICE_MINMAX

// Attributes of kernels that programs may be wrong without, and of which clang
// 22 makes no code: some it does not even warn of.
#if __clang_major__ < 23
#undef __cluster_dims__
#define __cluster_dims__(...)                                                  \
  _Pragma("GCC error \"clang 22 makes no code of __cluster_dims__\"")
#undef __block_size__
#define __block_size__(...)                                                    \
  _Pragma("GCC error \"clang 22 makes no code of __block_size__\"")
#undef __maxnreg__
#define __maxnreg__(...)                                                       \
  _Pragma("GCC error \"clang 22 makes no code of __maxnreg__\"")
#endif

#if !__has_builtin(__nv_atomic_load_n)
#include "nvccatomics.h"
#endif

#endif
