// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a load from memory takes while all SMs load, and what stores cost.
// On each SM w warps walk a buffer together, a line a request, u loads at a
// time, and each step they
//
//   loads   only load
//   own     also store a line that the L2 has, always the same
//   copy    also store to a second buffer, as many lines as they load
//   stores  only store, to all of a buffer
//
// in buffers of 4 GiB (from and to memory) or 8 MiB (the L2).
//
//   loaded [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

enum Work { Loads, Own, Copy, Stores };
constexpr const char *WorkNames[] = {"loads", "own", "copy", "stores"};

__device__ void storeWord(char *At, uint32_t Value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(At), "r"(Value) : "memory");
}

} // namespace

template <Work W, int U>
__global__ void __launch_bounds__(1024)
    walk(const char *From, char *To, char *Mine, uint32_t Lines, int Steps,
         uint64_t *Cycles) {
  uint32_t Warps = gridDim.x * blockDim.x / WarpSize;
  uint32_t Warp = (blockIdx.x * blockDim.x + threadIdx.x) / WarpSize;
  uint32_t At = Warp % Lines;
  Warps %= Lines;
  int Lane = threadIdx.x % WarpSize * 4;
  char *MyLine = Mine + size_t(Warp) * LineBytes + Lane;
  uint32_t Sum = 0;
  long long Begin = clock64();
#pragma unroll 1
  for (int Step = 0; Step < Steps; ++Step) {
    uint32_t Values[U];
    size_t Offsets[U];
#pragma unroll
    for (int I = 0; I < U; ++I) {
      Offsets[I] = size_t(At) * LineBytes + Lane;
      At += Warps;
      At -= At >= Lines ? Lines : 0;
    }
#pragma unroll
    for (int I = 0; I < U; ++I)
      Values[I] = W == Stores ? Step : load<Hint::Plain>(From + Offsets[I]);
#pragma unroll
    for (int I = 0; I < U; ++I) {
      Sum ^= Values[I];
      if (W == Own)
        storeWord(MyLine, Sum);
      if (W == Copy || W == Stores)
        storeWord(To + Offsets[I], Sum);
    }
  }
  waitFor(Sum);
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long *>(Cycles),
              static_cast<unsigned long long>(clock64() - Begin));
}

namespace {

template <Work W, int U>
void measure(const char *Where, size_t Bytes, int Times, int SMs,
             const DeviceArray<char> &From, DeviceArray<char> &To,
             DeviceArray<char> &Mine) {
  static DeviceArray<uint64_t> Cycles(1);
  for (int WarpsPerSM : {4, 8, 16, 32, 64}) {
    int Blocks = SMs * (WarpsPerSM > 32 ? 2 : 1);
    int Threads = (WarpsPerSM > 32 ? WarpsPerSM / 2 : WarpsPerSM) * WarpSize;
    size_t Lines = Bytes / LineBytes, Warps = size_t(SMs) * WarpsPerSM;
    int Steps = static_cast<int>(Lines * Times / (Warps * U));
    auto Run = [&] {
      CUDA_CHECK(cudaMemsetAsync(Cycles, 0, 8));
      walk<W, U><<<Blocks, Threads>>>(
          From, To, Mine, static_cast<uint32_t>(Lines), Steps, Cycles);
    };
    float Time = milliseconds(3, Run);
    double Count = static_cast<double>(Cycles.toHost()[0]);
    double Lines1 = static_cast<double>(Steps) * Warps * U;
    bool IsLoading = W != Stores, IsStoring = W != Loads;
    std::printf("loaded,%s,%s,%d,%d,%.4f,%.0f,%.0f,%.1f,%.1f\n", Where,
                WorkNames[W], WarpsPerSM, U, Time, Count / Time / 1000,
                Count / Steps, IsLoading ? Lines1 * LineBytes / Count : 0,
                IsStoring ? Lines1 * LineBytes / Count : 0);
  }
}

template <Work W>
void measureAll(int SMs, const DeviceArray<char> &From, DeviceArray<char> &To,
                DeviceArray<char> &Mine) {
  struct {
    const char *Name;
    size_t Bytes;
    int Times;
  } const Places[] = {{"memory", size_t(2) << 30, 1}, {"l2", 8 << 20, 64}};
  for (auto &P : Places) {
    measure<W, 1>(P.Name, P.Bytes, P.Times, SMs, From, To, Mine);
    measure<W, 2>(P.Name, P.Bytes, P.Times, SMs, From, To, Mine);
    measure<W, 4>(P.Name, P.Bytes, P.Times, SMs, From, To, Mine);
    measure<W, 8>(P.Name, P.Bytes, P.Times, SMs, From, To, Mine);
  }
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  DeviceArray<char> From(size_t(2) << 30), To(size_t(2) << 30);
  DeviceArray<char> Mine(size_t(SMs) * 64 * LineBytes);
  std::printf(
      "\nloaded,where,work,warps_per_sm,in_flight,ms,sm_mhz,"
      "cycles_per_step,loaded_bytes_per_cycle,stored_bytes_per_cycle\n");
  if (wanted(ArgC, ArgV, "loads"))
    measureAll<Loads>(SMs, From, To, Mine);
  if (wanted(ArgC, ArgV, "own"))
    measureAll<Own>(SMs, From, To, Mine);
  if (wanted(ArgC, ArgV, "copy"))
    measureAll<Copy>(SMs, From, To, Mine);
  if (wanted(ArgC, ArgV, "stores"))
    measureAll<Stores>(SMs, From, To, Mine);
}
