// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuda_runtime.h has for a kernel's attributes: C functions, and templates
// that call them.
#pragma once

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache { cudaFuncCachePreferL1 = 2 };

extern "C" cudaError_t cudaFuncSetAttribute(const void *function,
                                            cudaFuncAttribute attribute,
                                            int value);
extern "C" cudaError_t cudaFuncSetCacheConfig(const void *function,
                                              cudaFuncCache config);

template <class T>
static inline cudaError_t
cudaFuncSetAttribute(T *entry, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void *)entry, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function,
                                                 cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)function, config);
}
