// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA runtime that prints what it is asked to launch. A test sets the last
// error and the most dynamic shared memory that a launch may have.
#pragma once

extern "C" int printf(const char *format, ...);

inline int LastError = 0;
inline size_t Shared = 0, MostShared = 49152;

extern "C" {
int cudaGetDevice(int *device) { return *device = 0; }
int cudaPeekAtLastError() { return LastError; }
int cudaGetLastError() {
  int error = LastError;
  LastError = 0;
  return error;
}
int cudaFuncSetAttribute(const void *, int attribute, int value) {
  printf("attribute %d is %d\n", attribute, value);
  return 0;
}
int __cudaPushCallConfiguration(dim3, dim3, size_t shared, cudaStream_t) {
  Shared = shared;
  return 0;
}
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *shared, void *) {
  *shared = Shared;
  return 0;
}
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t shared,
                             cudaStream_t) {
  printf("%d bytes: %s\n", int(shared), shared > MostShared ? "refused" : "ok");
  if (shared > MostShared)
    LastError = 1;
  return cudaError_t(shared > MostShared ? 1 : 0);
}
void **__cudaRegisterFatBinary(void *) { return 0; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
int __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                           void *, void *, void *, void *, int *) {
  return 0;
}
}
