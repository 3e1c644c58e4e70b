// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a small program's start goes: milliseconds of each step of the driver.
// Alone, and by a process for each GPU at once, which CUDA_VISIBLE_DEVICES
// gives. With an argument the context is released before the end.
//
//   contexts   step milliseconds, ...
//
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

using Clock = std::chrono::steady_clock;

static double msSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - Start)
      .count();
}

template <typename Step> static void timed(const char *Name, Step Run) {
  const auto Start = Clock::now();
  if (const int Code = Run()) {
    std::printf("%s fails (%d)\n", Name, Code);
    std::exit(1);
  }
  std::printf("%s %.0f  ", Name, msSince(Start));
}

int main(int Count, char **) {
  const auto Start = Clock::now();
  constexpr size_t Large = 64 << 20, Small = 8 << 20;
  CUdevice Device;
  CUcontext Context;
  CUdeviceptr Buffers[8];
  timed("init", [] { return cuInit(0); });
  timed("ctx", [&] {
    const CUresult Code = cuDeviceGet(&Device, 0);
    return Code ? Code : cuDevicePrimaryCtxRetain(&Context, Device);
  });
  cuCtxSetCurrent(Context);
  const std::vector<char> Host(Large, 1);
  timed("alloc", [&] { return cuMemAlloc(&Buffers[0], Large); });
  timed("copy", [&] { return cuMemcpyHtoD(Buffers[0], Host.data(), Large); });
  timed("alloc7", [&] {
    for (int I = 1; I < 8; ++I)
      if (const CUresult Code = cuMemAlloc(&Buffers[I], Small))
        return Code;
    return CUDA_SUCCESS;
  });
  timed("free", [&] {
    for (CUdeviceptr Buffer : Buffers)
      cuMemFree(Buffer);
    return CUDA_SUCCESS;
  });
  if (Count > 1)
    timed("release", [&] { return cuDevicePrimaryCtxRelease(Device); });
  std::printf("main %.0f\n", msSince(Start));
}
