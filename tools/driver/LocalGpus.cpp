// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocalGpus.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace sluice;
using llvm::sys::DynamicLibrary;

// The driver interface's functions that are needed here (CUDA driver API
// reference, "Initialization", "Version Management", "Device Management"). All
// return 0 if they succeed.
using Init = int (*)(unsigned Flags);
using GetNumber = int (*)(int *Number);
using GetDevice = int (*)(int *Device, int Ordinal);
using GetName = int (*)(char *Name, int Size, int Device);
using GetAttribute = int (*)(int *Value, int Attribute, int Device);
// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
static constexpr int CapabilityMajor = 75, CapabilityMinor = 76;

template <typename Function>
static Function find(DynamicLibrary &Library, const char *Name) {
  return reinterpret_cast<Function>(Library.getAddressOfSymbol(Name));
}

LocalDriver sluice::askDriver() {
  LocalDriver Result;
  std::string Reason;
  DynamicLibrary Library =
      DynamicLibrary::getPermanentLibrary("libcuda.so.1", &Reason);
  if (!Library.isValid()) {
    Result.Problem = "no libcuda.so.1, which comes with NVIDIA's driver";
    return Result;
  }
  auto Initialise = find<Init>(Library, "cuInit");
  auto DriverVersion = find<GetNumber>(Library, "cuDriverGetVersion");
  auto DeviceCount = find<GetNumber>(Library, "cuDeviceGetCount");
  auto Device = find<GetDevice>(Library, "cuDeviceGet");
  auto DeviceName = find<GetName>(Library, "cuDeviceGetName");
  auto Attribute = find<GetAttribute>(Library, "cuDeviceGetAttribute");
  if (!Initialise || !DriverVersion || !DeviceCount || !Device || !DeviceName ||
      !Attribute) {
    Result.Problem = "libcuda.so.1 is not that of NVIDIA's driver";
    return Result;
  }
  int Version = 0, Count = 0;
  if (DriverVersion(&Version) == 0)
    Result.CudaVersion = Version;
  if (int Code = Initialise(0)) {
    Result.Problem =
        "the driver finds no GPU (cuInit returns " + std::to_string(Code) + ")";
    return Result;
  }
  if (DeviceCount(&Count) != 0 || Count == 0)
    Result.Problem = "the driver finds no GPU";
  for (int I = 0; I < Count; ++I) {
    int Handle, Major = 0, Minor = 0;
    char Name[256] = "";
    if (Device(&Handle, I) || DeviceName(Name, sizeof(Name) - 1, Handle) ||
        Attribute(&Major, CapabilityMajor, Handle) ||
        Attribute(&Minor, CapabilityMinor, Handle))
      continue;
    Result.Gpus.push_back(
        {Name, "sm_" + std::to_string(Major) + std::to_string(Minor)});
  }
  return Result;
}
