// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the files of the emulated CUDA runtime share.

#ifndef SLUICE_LIB_EMULATOR_RUNTIME_RUNTIME_H
#define SLUICE_LIB_EMULATOR_RUNTIME_RUNTIME_H

#include "sluice/Emulator/Device.h"
#include <cuda_runtime_api.h>

namespace sluice::emulator::runtime {

/// Remembers an error for cudaGetLastError and returns it.
cudaError_t failed(cudaError_t Error);
/// The error that a launch left behind, which every later call returns; else
/// cudaSuccess.
cudaError_t stickyError();
void setStickyError(cudaError_t Error);
void resetErrors();

/// What a host address (a kernel's stub, a variable's shadow) stands for.
LoadedKernel *kernelOf(const void *Host);
Allocation *variableOf(const void *Host);
const char *kernelNameOf(const void *Host);

/// Copies between any two places, after looking at both. \p Call names the
/// function for messages.
cudaError_t copyBytes(const char *Call, void *To, const void *From,
                      uint64_t Bytes, cudaMemcpyKind Kind);

} // namespace sluice::emulator::runtime

#endif
