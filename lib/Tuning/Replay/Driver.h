// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The CUDA driver's functions that replay calls, looked up at run time: the
/// library is preloaded into programs whose driver it does not know.

#ifndef SLUICE_TUNING_REPLAY_DRIVER_H
#define SLUICE_TUNING_REPLAY_DRIVER_H

#include <cuda.h>
#include <cudaProfiler.h>
#include <string>

namespace sluice::replay {

// NAME, and the symbol it has in libcuda.so: cuda.h's macros choose versions.
#define SLUICE_DRIVER_FUNCTIONS(X)                                             \
  X(cuGetErrorString)                                                          \
  X(cuCtxGetCurrent)                                                           \
  X(cuCtxGetDevice)                                                            \
  X(cuCtxSynchronize)                                                          \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDeviceGetName)                                                           \
  X(cuDriverGetVersion)                                                        \
  X(cuMemAlloc_v2)                                                             \
  X(cuMemFree_v2)                                                              \
  X(cuMemGetInfo_v2)                                                           \
  X(cuMemcpyDtoD_v2)                                                           \
  X(cuMemcpyDtoH_v2)                                                           \
  X(cuMemcpyHtoD_v2)                                                           \
  X(cuMemsetD8_v2)                                                             \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy_v2)                                                         \
  X(cuEventRecord)                                                             \
  X(cuEventSynchronize)                                                        \
  X(cuEventElapsedTime)                                                        \
  X(cuStreamIsCapturing)                                                       \
  X(cuLibraryLoadData)                                                         \
  X(cuLibraryLoadFromFile)                                                     \
  X(cuLibraryGetKernel)                                                        \
  X(cuLibraryGetGlobal)                                                        \
  X(cuKernelGetFunction)                                                       \
  X(cuModuleGetGlobal_v2)                                                      \
  X(cuFuncGetAttribute)                                                        \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernel)                                                            \
  X(cuProfilerStart)                                                           \
  X(cuProfilerStop)

// What older drivers lack.
#define SLUICE_OPTIONAL_DRIVER_FUNCTIONS(X) X(cuFuncGetParamInfo)

struct Driver {
#define SLUICE_DECLARE(Name) decltype(&::Name) Name = nullptr;
  SLUICE_DRIVER_FUNCTIONS(SLUICE_DECLARE)
  SLUICE_OPTIONAL_DRIVER_FUNCTIONS(SLUICE_DECLARE)
#undef SLUICE_DECLARE

  /// What a status means, for messages.
  std::string describe(CUresult Status) const;
};

/// The driver that is loaded in this process. \p Missing names the first
/// function it does not have: then it is too old (CUDA 12.0 is enough).
const Driver *findDriver(std::string &Missing);

/// dlsym as it is without the interposition.
void *realDlsym(void *Handle, const char *Name);

} // namespace sluice::replay

#endif
