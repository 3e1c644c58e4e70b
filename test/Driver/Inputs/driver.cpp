// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the place of NVIDIA's driver: two GPUs, or none.
#include <cstring>

extern "C" {
int cuInit(unsigned) {
#ifdef NONE
  return 100; // CUDA_ERROR_NO_DEVICE
#else
  return 0;
#endif
}
int cuDriverGetVersion(int *Version) { return *Version = NEWEST, 0; }
int cuDeviceGetCount(int *Count) { return *Count = 2, 0; }
int cuDeviceGet(int *Device, int Ordinal) { return *Device = Ordinal, 0; }
int cuDeviceGetName(char *Name, int Size, int Device) {
  std::strncpy(Name, Device ? "Ninety" : "A hundred", Size);
  return 0;
}
int cuDeviceGetAttribute(int *Value, int Attribute, int Device) {
  *Value = Attribute == 76 ? 0 : Device ? 9 : 8;
  return 0;
}
}
