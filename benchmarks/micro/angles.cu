// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sines and cosines of one angle, and sines alone: the milliseconds of 67
// million, with angles that take libdevice's short path (*small*) and its slow
// one (*huge*). For sluice-angle-reduction: compile it by clang, nvcc, and
// clang and Sluice.
//
//   angles
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

constexpr int Blocks = 1024, Threads = 256, Rounds = 256;

template <typename T> __global__ void both(T *Out, T Step) {
  const int Me = threadIdx.x + blockIdx.x * blockDim.x;
  T Angle = T(Me) * Step, Sum = 0;
  for (int I = 0; I < Rounds; ++I, Angle += Step)
    if constexpr (sizeof(T) == 4)
      Sum += sinf(Angle) * cosf(Angle);
    else
      Sum += sin(Angle) * cos(Angle);
  Out[Me] = Sum;
}

__global__ void sines(float *Out, float Step) {
  const int Me = threadIdx.x + blockIdx.x * blockDim.x;
  float Angle = float(Me) * Step, Sum = 0;
  for (int I = 0; I < Rounds; ++I, Angle += Step)
    Sum += sinf(Angle);
  Out[Me] = Sum;
}

template <typename WordT, typename T, typename LaunchT>
static void measure(const char *Name, DeviceArray<T> &Out, LaunchT Launch) {
  const float Time = milliseconds(10, Launch);
  std::printf("%s,%.4f,%016llx\n", Name, Time,
              (unsigned long long)hashOf<WordT>(Out.toHost()));
}

int main() {
  printDevice();
  DeviceArray<float> Floats(Blocks * Threads);
  DeviceArray<double> Doubles(Blocks * Threads);
  std::printf("what,ms,hash\n");
  for (float Step : {1e-3f, 1e6f}) {
    const bool IsSmall = Step < 1;
    measure<uint32_t>(
        IsSmall ? "float_both_small" : "float_both_huge", Floats,
        [&] { both<<<Blocks, Threads>>>((float *)Floats, Step); });
    measure<uint32_t>(IsSmall ? "float_sine_small" : "float_sine_huge", Floats,
                      [&] { sines<<<Blocks, Threads>>>(Floats, Step); });
  }
  for (double Step : {1e-3, 1e12})
    measure<uint64_t>(
        Step < 1 ? "double_both_small" : "double_both_huge", Doubles,
        [&] { both<<<Blocks, Threads>>>((double *)Doubles, Step); });
}
