// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When does taking turns pay? Row-per-thread sums over one to three matrices,
// with CATT's warp throttling written by hand:
//
//   unsigned Group = Warp / ceil(WarpsPerBlock / N);
//   for (unsigned G = 0; G < N; ++G) { if (Group == G) { LOOP } barrier; }
//
// A warp's load of one column touches 32 cache lines, and each line is wanted
// again for the next 31 columns. What varies, one sweep each:
//
//   overflow   how far the resident warps' lines exceed the L1
//   trips      how long the loop is (short loops cannot pay for the barriers)
//   intensity  how much arithmetic there is for each element
//   store      whether a store that misses brings its sector into the L1
//   carveout   which L1/shared split the driver picks when nobody asks
//
// The last two are for ncu's counters (see the kernels); they also run alone.
//
//   throttle_threshold [--only=SWEEP] [--reps=5] [--carveout=PERCENT]
//
// Each sweep prints a CSV header and its lines. Results that differ between
// two N of one setting end the run with status 1.
//
#include "probe.h"

using bench::DeviceArray;

namespace {

constexpr int WarpSize = 32;
constexpr int LineBytes = 128;
constexpr int BlockSize = 256;
constexpr int WarpsPerBlock = BlockSize / WarpSize;
constexpr int MaxBlocksPerSM = 2048 / BlockSize;
constexpr int MaxWaves = 4;
constexpr int MaxColumns = 512;
// What sm_90's driver leaves of the 256 KiB to a kernel of which eight blocks
// without shared memory of their own fit an SM (the sweeps carveout, capacity).
constexpr double L1Bytes = 224 * 1024;

template <int N, typename LoopT> __device__ void takeTurns(LoopT Loop) {
  if constexpr (N == 1) {
    Loop();
  } else {
    constexpr unsigned WarpsPerGroup = (WarpsPerBlock + N - 1) / N;
    unsigned Group = threadIdx.x / WarpSize / WarpsPerGroup;
#pragma unroll 1
    for (unsigned G = 0; G < N; ++G) {
      if (Group == G)
        Loop();
      __syncthreads();
    }
  }
}

struct Inputs {
  const float *A, *B, *C, *X;
  int Columns;
  int Pitch; // elements from one row to the next
  float Factor;
};

} // namespace

/// One row per thread, of Matrices matrices; N groups of warps take turns; for
/// each element of a matrix, Work FMAs in four independent chains. The launch
/// bounds hold every variant to 32 registers, so eight blocks always fit.
template <int Matrices, int N, int Work>
__global__ void __launch_bounds__(BlockSize, MaxBlocksPerSM)
    rowSums(Inputs In, float *Y) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  float SumA = 0, SumB = 0, SumC = 0;
  float Chain[4] = {0, 0, 0, 0};
  auto Work4 = [&](float Value) {
#pragma unroll
    for (int K = 0; K < Work; ++K)
      Chain[K % 4] = fmaf(Chain[K % 4], In.Factor, Value);
  };
  takeTurns<N>([&] {
    for (int J = 0; J < In.Columns; ++J) {
      float A = In.A[Row * In.Pitch + J];
      SumA += A * In.X[J];
      Work4(A);
      if constexpr (Matrices > 1) {
        float B = In.B[Row * In.Pitch + J];
        SumB += B * In.X[J];
        Work4(B);
      }
      if constexpr (Matrices > 2) {
        float C = In.C[Row * In.Pitch + J];
        SumC += C * In.X[J];
        Work4(C);
      }
    }
  });
  Y[Row] = SumA + SumB + SumC + Chain[0] + Chain[1] + Chain[2] + Chain[3];
}

/// The same with the sums in memory, as PolyBench writes it: the stores may
/// alias the loads, so each iteration's loads wait for the one before and no
/// four columns are loaded together.
template <int Matrices, int N, int>
__global__ void __launch_bounds__(BlockSize, MaxBlocksPerSM)
    rowSumsInMemory(Inputs In, float *Y) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  int Rows = gridDim.x * blockDim.x;
  takeTurns<N>([&] {
    for (int J = 0; J < In.Columns; ++J) {
      Y[Row] += In.A[Row * In.Pitch + J] * In.X[J];
      if constexpr (Matrices > 1)
        Y[Row + Rows] += In.B[Row * In.Pitch + J] * In.X[J];
      if constexpr (Matrices > 2)
        Y[Row + 2 * Rows] += In.C[Row * In.Pitch + J] * In.X[J];
    }
  });
}

//===----------------------------------------------------------------------===//
// Stores and the L1. Run under
//   ncu --clock-control none --metrics
//     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,
//     l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
// and compare the hits with the loads a thread makes. Each thread has a line of
// its own; 4 warps a block and one block an SM are 16 KiB, which fits. All
// words are in the first sector of the line. Without ncu, the cycles of the
// last load tell an L1 hit from a trip to the L2.
//===----------------------------------------------------------------------===//

namespace {

constexpr int StoreBlock = 4 * WarpSize;
constexpr int WordsPerLine = LineBytes / 4;

__device__ float loadWord(const float *Address) {
  float Value;
  asm volatile("ld.global.f32 %0, [%1];"
               : "=f"(Value)
               : "l"(Address)
               : "memory");
  return Value;
}

__device__ void storeWord(float *Address, float Value) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(Address), "f"(Value) : "memory");
}

__device__ float *ownLine(float *Lines) {
  return Lines + (blockIdx.x * blockDim.x + threadIdx.x) * WordsPerLine;
}

/// Lets everything that is under way arrive, and is a point that neither
/// compiler moves a memory access across.
__device__ void settle() {
  __syncthreads();
  __nanosleep(20000);
  __syncthreads();
}

/// Loads one word and writes down how many cycles that took. Earlier is what
/// the thread loaded before: a load whose value nobody wants is dropped.
__device__ void timedLoad(const float *Address, float Earlier,
                          unsigned *Cycles) {
  __shared__ volatile float Arrived[StoreBlock];
  settle();
  long long Start = clock64();
  Arrived[threadIdx.x] = loadWord(Address) + Earlier; // waits for the value
  long long Stop = clock64();
  Cycles[blockIdx.x * blockDim.x + threadIdx.x] =
      static_cast<unsigned>(Stop - Start);
}

} // namespace

/// For comparison: the second load of a sector hits.
__global__ void loadThenLoad(float *Lines, unsigned *Cycles) {
  float *Line = ownLine(Lines);
  float First = loadWord(Line);
  timedLoad(Line + 1, First, Cycles);
}

/// A miss means: a store that misses does not bring in its sector.
__global__ void storeThenLoadSector(float *Lines, unsigned *Cycles) {
  float *Line = ownLine(Lines);
  storeWord(Line, 1);
  timedLoad(Line + 1, 0, Cycles);
}

/// As before, with the very word that was stored.
__global__ void storeThenLoadWord(float *Lines, unsigned *Cycles) {
  float *Line = ownLine(Lines);
  storeWord(Line, 1);
  timedLoad(Line, 0, Cycles);
}

/// A hit means: a store that hits leaves its sector in the L1.
__global__ void loadStoreThenLoadSector(float *Lines, unsigned *Cycles) {
  float *Line = ownLine(Lines);
  float First = loadWord(Line);
  settle();
  storeWord(Line + 1, 1);
  timedLoad(Line + 2, First, Cycles);
}

/// As before, with the very word that was stored.
__global__ void loadStoreThenLoadWord(float *Lines, unsigned *Cycles) {
  float *Line = ownLine(Lines);
  float First = loadWord(Line);
  settle();
  storeWord(Line + 1, 1);
  timedLoad(Line + 1, First, Cycles);
}

//===----------------------------------------------------------------------===//
// The driver's own carveout. Run under
//   ncu --clock-control none --metrics launch__shared_mem_config_size
//===----------------------------------------------------------------------===//

/// Walks Lines lines of Chain twice with one thread, each address from the load
/// before, and writes down the cycles of the second walk.
__global__ void walkTwice(unsigned *Chain, int Lines, unsigned *Cycles) {
  constexpr unsigned WordsPerLine = LineBytes / 4;
  if (threadIdx.x || blockIdx.x)
    return;
  for (int I = 0; I < Lines; ++I)
    Chain[I * WordsPerLine] = (I + 1) % Lines * WordsPerLine;
  __threadfence();
  unsigned At = 0;
  long long Start = 0, Stop = 0;
  for (int Walk = 0; Walk < 2; ++Walk) {
    Start = clock64();
    for (int I = 0; I < Lines; ++I)
      asm volatile("ld.global.ca.u32 %0, [%1];"
                   : "=r"(At)
                   : "l"(Chain + At)
                   : "memory");
    Stop = clock64();
  }
  Cycles[0] = unsigned(Stop - Start) + (At == ~0u);
}

/// Uses what dynamic shared memory it is launched with.
__global__ void dynamicShared(const float *In, float *Out) {
  extern __shared__ float Values[];
  unsigned Bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(Bytes));
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned J = threadIdx.x; J < Bytes / 4; J += blockDim.x)
    Values[J] = In[I] + J;
  __syncthreads();
  Out[I] = In[I] + (Bytes ? Values[threadIdx.x % (Bytes / 4)] : 0);
}

namespace {

using SumKernel = void (*)(Inputs, float *);

template <int Matrices, int Work> SumKernel sumKernel(int N) {
  switch (N) {
  case 1:
    return rowSums<Matrices, 1, Work>;
  case 2:
    return rowSums<Matrices, 2, Work>;
  case 4:
    return rowSums<Matrices, 4, Work>;
  default:
    return rowSums<Matrices, 8, Work>;
  }
}

template <int Matrices> SumKernel sumInMemoryKernel(int N) {
  switch (N) {
  case 1:
    return rowSumsInMemory<Matrices, 1, 0>;
  case 2:
    return rowSumsInMemory<Matrices, 2, 0>;
  case 4:
    return rowSumsInMemory<Matrices, 4, 0>;
  default:
    return rowSumsInMemory<Matrices, 8, 0>;
  }
}

/// Matrices, times and results of the three timed sweeps.
class Sweeps {
public:
  Sweeps(int SMs, int Reps, int Carveout)
      : SMs(SMs), Reps(Reps), Carveout(Carveout), A(elements(), 1),
        B(elements(), 2), C(elements(), 3), X(MaxColumns, 4), Y(rows() * 3) {}

  void overflow(bool InMemory);
  void trips(bool InMemory);
  void intensity();
  bool resultsAgree() const { return Agree; }

private:
  size_t rows() const {
    return static_cast<size_t>(SMs) * MaxBlocksPerSM * MaxWaves * BlockSize;
  }
  size_t elements() const { return rows() * MaxColumns; }

  void header(const char *Columns) {
    std::printf("%s,n,ms,speedup,registers,local_bytes,blocks_per_sm_max,"
                "hash\n",
                Columns);
  }
  void measure(SumKernel Kernel, int N, int Blocks, int Columns, int Pitch);

  int SMs, Reps, Carveout;
  DeviceArray<float> A, B, C, X, Y;
  bool Agree = true;
  // Of the last setting's N = 1, which its other N are compared with.
  float PlainTime = 0;
  uint64_t PlainHash = 0;
};

/// Ends the CSV line that the caller began with the setting.
static uint32_t medianOf(std::vector<uint32_t> Values) {
  std::sort(Values.begin(), Values.end());
  return Values[Values.size() / 2];
}

void Sweeps::measure(SumKernel Kernel, int N, int Blocks, int Columns,
                     int Pitch) {
  if (Carveout >= 0)
    CUDA_CHECK(cudaFuncSetAttribute(
        reinterpret_cast<const void *>(Kernel),
        cudaFuncAttributePreferredSharedMemoryCarveout, Carveout));
  cudaFuncAttributes Attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&Attributes,
                                   reinterpret_cast<const void *>(Kernel)));
  int Resident = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Resident, Kernel,
                                                           BlockSize, 0));
  Y.clear();
  Inputs In = {A, B, C, X, Columns, Pitch, 0.5f};
  float Time =
      probe::milliseconds(Reps, [&] { Kernel<<<Blocks, BlockSize>>>(In, Y); });
  const uint64_t Hash = probe::hashOf<uint32_t>(Y.toHost());
  if (N == 1) {
    PlainTime = Time;
    PlainHash = Hash;
  }
  Agree &= Hash == PlainHash;
  std::printf("%d,%.5f,%.3f,%d,%zu,%d,%016llx\n", N, Time, PlainTime / Time,
              Attributes.numRegs, Attributes.localSizeBytes, Resident,
              static_cast<unsigned long long>(Hash));
  std::fflush(stdout);
}

void Sweeps::overflow(bool InMemory) {
  const char *Name = InMemory ? "overflow_memory" : "overflow";
  std::printf("\n%s,", Name);
  header("matrices,blocks_per_sm,footprint_over_l1");
  for (int Matrices = 1; Matrices <= 3; ++Matrices)
    for (int BlocksPerSM = 1; BlocksPerSM <= MaxBlocksPerSM; ++BlocksPerSM)
      for (int N : {1, 2, 4, 8}) {
        double Footprint = static_cast<double>(Matrices) * WarpSize *
                           WarpsPerBlock * BlocksPerSM * LineBytes;
        std::printf("%s,%d,%d,%.3f,", Name, Matrices, BlocksPerSM,
                    Footprint / L1Bytes);
        SumKernel Kernel = InMemory
                               ? (Matrices == 1   ? sumInMemoryKernel<1>(N)
                                  : Matrices == 2 ? sumInMemoryKernel<2>(N)
                                                  : sumInMemoryKernel<3>(N))
                           : Matrices == 1 ? sumKernel<1, 0>(N)
                           : Matrices == 2 ? sumKernel<2, 0>(N)
                                           : sumKernel<3, 0>(N);
        measure(Kernel, N, SMs * BlocksPerSM, MaxColumns, MaxColumns);
      }
}

/// Rows are as long as the loop (narrow ones share lines between threads), and
/// then as far apart as in the other sweeps (32 lines a warp whatever the trip
/// count).
void Sweeps::trips(bool InMemory) {
  const char *Name = InMemory ? "trips_memory" : "trips";
  std::printf("\n%s,", Name);
  header("columns,pitch");
  for (bool Packed : {true, false})
    for (int Columns : {8, 16, 32, 64, 128, 256, 512}) {
      int Pitch = Packed ? Columns : MaxColumns;
      if (!Packed && Columns == MaxColumns)
        continue; // the same as packed
      for (int N : {1, 2, 4, 8}) {
        std::printf("%s,%d,%d,", Name, Columns, Pitch);
        measure(InMemory ? sumInMemoryKernel<2>(N) : sumKernel<2, 0>(N), N,
                SMs * MaxBlocksPerSM * MaxWaves, Columns, Pitch);
      }
    }
}

void Sweeps::intensity() {
  std::printf("\n");
  header("intensity,fmas_per_element");
  auto Measure = [&](int Work, SumKernel Plain, SumKernel Throttled) {
    std::printf("intensity,%d,", Work);
    measure(Plain, 1, SMs * MaxBlocksPerSM, MaxColumns, MaxColumns);
    std::printf("intensity,%d,", Work);
    measure(Throttled, 4, SMs * MaxBlocksPerSM, MaxColumns, MaxColumns);
  };
  Measure(0, rowSums<2, 1, 0>, rowSums<2, 4, 0>);
  Measure(8, rowSums<2, 1, 8>, rowSums<2, 4, 8>);
  Measure(16, rowSums<2, 1, 16>, rowSums<2, 4, 16>);
  Measure(32, rowSums<2, 1, 32>, rowSums<2, 4, 32>);
  Measure(64, rowSums<2, 1, 64>, rowSums<2, 4, 64>);
  Measure(128, rowSums<2, 1, 128>, rowSums<2, 4, 128>);
}

void storeSweep(int SMs) {
  int Threads = SMs * StoreBlock;
  DeviceArray<float> Lines(static_cast<size_t>(Threads) * WordsPerLine, 5);
  DeviceArray<unsigned> Cycles(Threads);
  struct {
    const char *Name;
    void (*Kernel)(float *, unsigned *);
    int LoadsPerThread;
  } Probes[] = {{"loadThenLoad", loadThenLoad, 2},
                {"storeThenLoadSector", storeThenLoadSector, 1},
                {"storeThenLoadWord", storeThenLoadWord, 1},
                {"loadStoreThenLoadSector", loadStoreThenLoadSector, 2},
                {"loadStoreThenLoadWord", loadStoreThenLoadWord, 2}};
  std::printf("\nstore,kernel,load_sectors,last_load_median_cycles\n");
  for (const auto &Probe : Probes) {
    Probe.Kernel<<<SMs, StoreBlock>>>(Lines, Cycles);
    CUDA_CHECK(cudaGetLastError());
    std::printf("store,%s,%d,%u\n", Probe.Name, Threads * Probe.LoadsPerThread,
                medianOf(Cycles.toHost()));
  }
}

void carveoutSweep(int SMs) {
  std::printf("\ncarveout,threads,dynamic_shared_bytes,blocks_per_sm_max\n");
  DeviceArray<float> In(static_cast<size_t>(SMs) * 2048, 6), Out(In.size());
  for (int Threads : {64, 128, 256, 512, 1024})
    for (int KiB : {0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47}) {
      int Resident = 0;
      CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &Resident, dynamicShared, Threads, KiB * 1024));
      dynamicShared<<<SMs * 2048 / Threads, Threads, KiB * 1024>>>(In, Out);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaDeviceSynchronize());
      std::printf("carveout,%d,%d,%d\n", Threads, KiB * 1024, Resident);
    }
}

/// The L1 that a launch really gets: one thread walks Bytes in steps of a line,
/// twice; the second walk's time per load tells whether the first one's lines
/// are still there.
void capacitySweep(int SMs) {
  std::printf("\ncapacity,threads,dynamic_shared_bytes,walked_kib,"
              "cycles_per_load\n");
  constexpr int MaxKiB = 256;
  DeviceArray<unsigned> Chain(MaxKiB * 1024 / 4);
  DeviceArray<unsigned> Cycles(1);
  for (int Threads : {64, 256, 512, 1024})
    for (int SharedKiB : {0, 3, 7, 23})
      for (int KiB = 16; KiB <= MaxKiB; KiB += 8) {
        int Lines = KiB * 1024 / LineBytes;
        for (int Rep = 0; Rep < 3; ++Rep) // the last one is read
          walkTwice<<<1, Threads, SharedKiB * 1024>>>(Chain, Lines, Cycles);
        CUDA_CHECK(cudaGetLastError());
        std::printf("capacity,%d,%d,%d,%.1f\n", Threads, SharedKiB * 1024, KiB,
                    double(Cycles.toHost()[0]) / Lines);
      }
}

} // namespace

int main(int ArgC, char **ArgV) {
  const char *Only = bench::option(ArgC, ArgV, "only", "");
  int Reps = bench::numberOption(ArgC, ArgV, "reps", 5);
  int Carveout = std::atoi(bench::option(ArgC, ArgV, "carveout", "-1"));
  auto Wanted = [&](const char *Sweep) {
    return !*Only || std::strcmp(Only, Sweep) == 0;
  };

  cudaDeviceProp Device;
  CUDA_CHECK(cudaGetDeviceProperties(&Device, 0));
  int SMs = Device.multiProcessorCount;
  std::printf("# %s, %d SMs, median of %d\n", Device.name, SMs, Reps);

  bool Agree = true;
  if (Wanted("overflow") || Wanted("trips") || Wanted("intensity")) {
    Sweeps Timed(SMs, Reps, Carveout);
    for (bool InMemory : {false, true}) {
      if (Wanted("overflow"))
        Timed.overflow(InMemory);
      if (Wanted("trips"))
        Timed.trips(InMemory);
    }
    if (Wanted("intensity"))
      Timed.intensity();
    Agree = Timed.resultsAgree();
  }
  if (Wanted("store"))
    storeSweep(SMs);
  if (Wanted("carveout"))
    carveoutSweep(SMs);
  if (Wanted("capacity"))
    capacitySweep(SMs);
  if (!Agree)
    std::fprintf(stderr, "results differ between two N of one setting\n");
  return Agree ? 0 : 1;
}
