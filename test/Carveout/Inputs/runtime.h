// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA runtime that prints what is asked of it. A test sets the device that
// is current, the last error, and the error with which cudaFuncSetAttribute
// fails.
#pragma once

extern "C" int printf(const char *format, ...);

inline int Device = 0, LastError = 0, AttributeError = 0, DeviceError = 0;

inline int failed(int error) {
  if (error)
    LastError = error;
  return error;
}

extern "C" {
int cudaGetDevice(int *device) {
  *device = Device;
  return failed(DeviceError);
}
int cudaPeekAtLastError() { return LastError; }
int cudaGetLastError() {
  int error = LastError;
  LastError = 0;
  return error;
}
int cudaFuncSetAttribute(const void *, int attribute, int value) {
  printf("device %d: attribute %d is %d\n", Device, attribute, value);
  return failed(AttributeError);
}
int __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t) { return 0; }
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *) { return 0; }
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t) {
  printf("launch, last error %d\n", LastError);
  return cudaSuccess;
}
}
