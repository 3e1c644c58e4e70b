// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wavefronts as dataflow (<sluice/wavefront.h>) beside those that launch one
// kernel after another. `--only=SWEEP` runs one of
//
//   nw    Needleman-Wunsch (Table 7.3 of A. Li's thesis): the benchmark suite's
//         version, a launch for each anti-diagonal of tiles; the thesis's, an
//         actor a thread, with locks and with channels, in the same framework;
//         and ours, one launch, in blocks of some warps
//   sor   a sweep of successive over-relaxation, in place, in the order of rows
//
// `--from=N --to=N`: the least and the largest side of the grid. Results are
// compared with the CPU's up to `--checked=N`, beyond with the first version's.
//
#include "../kernels/needleman_wunsch.h"
#include "probe.h"
#include <sluice/channel.h>
#include <sluice/wavefront.h>

using namespace bench;
using namespace probe;
using namespace sluice;

//===- Needleman-Wunsch ---------------------------------------------------===//

constexpr int Penalty = 10;

/// Element (i, j) of the grid stands at [i + 1][j + 1] of the matrices.
struct Score {
  const int *Similarity;
  int *Scores, Columns;

  __device__ int outside(int I, int J) const { return -(I + J + 2) * Penalty; }
  __device__ size_t at(int I, int J) const {
    return size_t(I + 1) * Columns + J + 1;
  }
  __device__ int fetch(int I, int J) const { return Similarity[at(I, J)]; }
  __device__ int fire(int, int, int Similar, int NorthWest, int West,
                      int North) const {
    return max(NorthWest + Similar, max(West, North) - Penalty);
  }
  __device__ void store(int I, int J, int Value) const {
    Scores[at(I, J)] = Value;
  }
};
using Alignment = Wavefront<int, From<1, 1>, From<0, 1>, From<1, 0>>;

template <int Warps>
__global__ void __launch_bounds__(32 * Warps)
    align(Score Actor, void *Space, int Length) {
  __shared__ Alignment::Shared<Warps> Shared;
  Alignment::run(Shared, Space, Length, Length, Actor);
}

constexpr int TileSide = 32;

/// Listing 7.15 of today: a thread an actor, which looks for the tokens of its
/// north and west and fires when it has both. A warp has a row of the tile, so
/// lanes wait for lanes: all is in one loop. One tile of the anti-diagonal.
template <typename... Options>
__global__ void alignByTokens(Score Actor, int First, int Last) {
  __shared__ Channel<int, Options...> Cells[TileSide][TileSide];
  const int X = threadIdx.x, Y = threadIdx.y;
  Cells[Y][X].open();
  __syncthreads();
  const int TileX = First + blockIdx.x, TileY = Last - TileX;
  const int I = TileY * TileSide + Y, J = TileX * TileSide + X;
  const int Similar = Actor.fetch(I, J);
  int North = 0, West = 0, NorthWest = 0;
  bool HasNorth = Y == 0, HasWest = X == 0;
  if (HasNorth)
    North = Actor.Scores[Actor.at(I - 1, J)];
  if (HasWest)
    West = Actor.Scores[Actor.at(I, J - 1)];
  if (HasNorth || HasWest)
    NorthWest = Actor.Scores[Actor.at(I - 1, J - 1)];
  int Value = 0;
  for (bool HasFired = false; !HasFired;) {
    if (!HasNorth)
      HasNorth = Cells[Y - 1][X].consumer().tryRead(North);
    if (!HasWest)
      HasWest = Cells[Y][X - 1].consumer().tryRead(West);
    if (HasNorth && HasWest) {
      if (X != 0 && Y != 0)
        Cells[Y - 1][X - 1].consumer().tryRead(NorthWest);
      Value = Actor.fire(I, J, Similar, NorthWest, West, North);
      Cells[Y][X].producer().put(Value);
      HasFired = true;
    }
  }
  Actor.store(I, J, Value);
}

/// Listing 7.14, with the fences that the memory model asks for.
__global__ void alignByLocks(Score Actor, int First, int Last) {
  __shared__ int Mutex[TileSide][TileSide];
  __shared__ volatile int Cells[TileSide][TileSide];
  const int X = threadIdx.x, Y = threadIdx.y;
  Mutex[Y][X] = 1;
  __syncthreads();
  const int TileX = First + blockIdx.x, TileY = Last - TileX;
  const int I = TileY * TileSide + Y, J = TileX * TileSide + X;
  const int Similar = Actor.fetch(I, J);
  int North = 0, West = 0, NorthWest = 0;
  bool HasNorth = Y == 0, HasWest = X == 0;
  if (HasNorth)
    North = Actor.Scores[Actor.at(I - 1, J)];
  if (HasWest)
    West = Actor.Scores[Actor.at(I, J - 1)];
  if (HasNorth || HasWest)
    NorthWest = Actor.Scores[Actor.at(I - 1, J - 1)];
  int Value = 0;
  for (bool HasFired = false; !HasFired;) {
    if (!HasNorth && atomicExch_block(&Mutex[Y - 1][X], 1) == 0) {
      __threadfence_block();
      North = Cells[Y - 1][X];
      HasNorth = true;
      __threadfence_block();
      atomicExch_block(&Mutex[Y - 1][X], 0);
    }
    if (!HasWest && atomicExch_block(&Mutex[Y][X - 1], 1) == 0) {
      __threadfence_block();
      West = Cells[Y][X - 1];
      HasWest = true;
      __threadfence_block();
      atomicExch_block(&Mutex[Y][X - 1], 0);
    }
    if (HasNorth && HasWest) {
      if (X != 0 && Y != 0)
        NorthWest = Cells[Y - 1][X - 1];
      Value = Actor.fire(I, J, Similar, NorthWest, West, North);
      Cells[Y][X] = Value;
      __threadfence_block();
      atomicExch_block(&Mutex[Y][X], 0);
      HasFired = true;
    }
  }
  Actor.store(I, J, Value);
}

//===- Successive over-relaxation -----------------------------------------===//

constexpr float Relaxation = 1.5f;

__host__ __device__ inline float relaxed(float Old, float North, float West,
                                         float East, float South) {
  const float Sum = (North + West) + (East + South);
#ifdef __CUDA_ARCH__
  return __fmaf_rn(Relaxation / 4, Sum, __fmul_rn(1 - Relaxation, Old));
#else
  return std::fma(Relaxation / 4, Sum, (1 - Relaxation) * Old);
#endif
}

struct Relax {
  float *Grid; ///< With a border of one element.
  int Columns;

  struct Input {
    float Old, East, South;
  };
  __device__ size_t at(int I, int J) const {
    return size_t(I + 1) * Columns + J + 1;
  }
  __device__ float outside(int I, int J) const { return Grid[at(I, J)]; }
  __device__ Input fetch(int I, int J) const {
    return {Grid[at(I, J)], Grid[at(I, J + 1)], Grid[at(I + 1, J)]};
  }
  __device__ float fire(int, int, Input In, float North, float West) const {
    return relaxed(In.Old, North, West, In.East, In.South);
  }
  __device__ void store(int I, int J, float Value) const {
    Grid[at(I, J)] = Value;
  }
};
using Relaxing = Wavefront<float, From<1, 0>, From<0, 1>>;

template <int Warps>
__global__ void __launch_bounds__(32 * Warps)
    relax(Relax Actor, void *Space, int Length) {
  __shared__ Relaxing::Shared<Warps, 3> Shared;
  Relaxing::run(Shared, Space, Length, Length, Actor);
}

/// A tile of an anti-diagonal of tiles, by a warp that goes over the tile's
/// anti-diagonals.
__global__ void relaxTile(Relax Actor, int First, int Last) {
  __shared__ float Tile[TileSide + 2][TileSide + 2];
  const int X = threadIdx.x, TileX = First + blockIdx.x, TileY = Last - TileX;
  const int I0 = TileY * TileSide, J0 = TileX * TileSide;
  for (int Y = 0; Y < TileSide + 2; ++Y)
    for (int Column = X; Column < TileSide + 2; Column += TileSide) {
      // Nobody needs the corners, which other tiles may write.
      const bool IsCorner =
          Y % (TileSide + 1) == 0 && Column % (TileSide + 1) == 0;
      if (!IsCorner)
        Tile[Y][Column] = Actor.Grid[Actor.at(I0 + Y - 1, J0 + Column - 1)];
    }
  __syncthreads();
  for (int Step = 0; Step < 2 * TileSide - 1; ++Step) {
    const int Y = Step - X;
    if (Y >= 0 && Y < TileSide)
      Tile[Y + 1][X + 1] =
          relaxed(Tile[Y + 1][X + 1], Tile[Y][X + 1], Tile[Y + 1][X],
                  Tile[Y + 1][X + 2], Tile[Y + 2][X + 1]);
    __syncthreads();
  }
  for (int Y = 0; Y < TileSide; ++Y)
    Actor.store(I0 + Y, J0 + X, Tile[Y + 1][X + 1]);
}

//===- Measuring ----------------------------------------------------------===//

template <typename T>
__global__ void countDifferent(const T *One, const T *Other, size_t Count,
                               unsigned long long *Different) {
  unsigned long long Mine = 0;
  for (size_t At = size_t(blockIdx.x) * blockDim.x + threadIdx.x; At < Count;
       At += size_t(gridDim.x) * blockDim.x)
    Mine += One[At] != Other[At];
  if (Mine)
    atomicAdd(Different, Mine);
}

namespace {

int Repeats = 5;

/// Calls Launch(First, Last, Count) for each anti-diagonal of so many tiles.
template <typename LaunchT> void forDiagonals(int Tiles, LaunchT Launch) {
  for (int Last = 0; Last < 2 * Tiles - 1; ++Last) {
    const int First = std::max(0, Last - Tiles + 1);
    Launch(First, Last, std::min(Last, Tiles - 1) - First + 1);
  }
}

/// Runs versions of one computation on a grid with a border.
template <typename T> class Versions {
public:
  Versions(const char *Sweep, int Length, const std::vector<T> &Initial,
           const std::vector<T> &Expected)
      : Sweep(Sweep), Length(Length), Initial(Initial), Grid(Initial.size()),
        Expected(Initial.size()) {
    HasExpected = !Expected.empty();
    if (HasExpected)
      this->Expected.fromHost(Expected);
  }
  T *grid() { return Grid; }

  template <typename LaunchT> void run(const char *Name, LaunchT Launch) {
    std::vector<float> Times;
    for (int Repeat = 0; Repeat <= Repeats; ++Repeat) {
      CUDA_CHECK(cudaMemcpy(Grid, Initial, Grid.size() * sizeof(T),
                            cudaMemcpyDeviceToDevice));
      finish();
      float Time = milliseconds(0, Launch);
      if (Repeat > 0 || Repeats == 0)
        Times.push_back(Time);
    }
    std::sort(Times.begin(), Times.end());
    const double Time = Times[Times.size() / 2];
    if (!HasExpected)
      CUDA_CHECK(cudaMemcpy(Expected, Grid, Grid.size() * sizeof(T),
                            cudaMemcpyDeviceToDevice));
    HasExpected = true;
    DeviceArray<unsigned long long> Different(1);
    countDifferent<T><<<1024, 256>>>(Grid, Expected, Grid.size(), Different);
    finish();
    const auto Wrong = Different.toHost()[0];
    if (First == 0)
      First = Time;
    std::printf("%s,%d,\"%s\",%.4f,%.2f,%.1f%s\n", Sweep, Length, Name, Time,
                First / Time, 1e-6 * Length * Length / Time,
                Wrong ? ",WRONG" : ",ok");
    std::fflush(stdout);
  }

private:
  const char *Sweep;
  int Length;
  DeviceArray<T> Initial, Grid, Expected;
  bool HasExpected = false;
  double First = 0;
};

template <int Warps> int blocksFor(int Length) {
  return (Length + 32 * Warps - 1) / (32 * Warps);
}

void nwSweep(int From, int To, int Checked) {
  std::printf("\nnw,length,version,ms,speedup,cells_per_ns\n");
  for (int Length = From; Length <= To; Length *= 2) {
    const int Columns = Length + 1;
    std::vector<int> Similarity(size_t(Columns) * Columns),
        Scores(Similarity.size());
    for (size_t At = 0; At < Similarity.size(); ++At)
      Similarity[At] = static_cast<int>(bitsAt(3, At) % 15) - 5;
    for (int At = 1; At < Columns; ++At)
      Scores[size_t(At) * Columns] = Scores[At] = -At * Penalty;
    std::vector<int> Expected;
    if (Length <= Checked) {
      Expected = Scores;
      for (size_t I = 1; I < size_t(Columns); ++I)
        for (size_t At = I * Columns + 1; At < (I + 1) * Columns; ++At)
          Expected[At] = maximum(Expected[At - Columns - 1] + Similarity[At],
                                 Expected[At - 1] - Penalty,
                                 Expected[At - Columns] - Penalty);
    }
    DeviceArray<int> Input(Similarity);
    Versions<int> All("nw", Length, Scores, Expected);
    Score Actor{Input, All.grid(), Columns};
    All.run("suite: a launch an anti-diagonal", [&] {
      const int Tiles = Length / BlockSize;
      for (int I = 1; I <= Tiles; ++I)
        needle_upper_left<<<I, BlockSize>>>(Input, All.grid(), Columns, Penalty,
                                            I);
      for (int I = Tiles - 1; I >= 1; --I)
        needle_lower_right<<<I, BlockSize>>>(Input, All.grid(), Columns,
                                             Penalty, I, Tiles);
    });
    const dim3 Threads(TileSide, TileSide);
    if (Length <= 2048)
      All.run("a thread an actor, locks (Listing 7.14)", [&] {
        forDiagonals(Length / TileSide, [&](int First, int Last, int Count) {
          alignByLocks<<<Count, Threads>>>(Actor, First, Last);
        });
      });
    if (Length <= 8192)
      All.run("a thread an actor, channels", [&] {
        forDiagonals(Length / TileSide, [&](int First, int Last, int Count) {
          alignByTokens<ValueOnly><<<Count, Threads>>>(Actor, First, Last);
        });
      });
    const size_t Bytes = Alignment::spaceBytes<1>(Length, Length);
    DeviceArray<char> Space(Bytes);
    All.run("ours, 1 warp", [&] {
      align<1><<<blocksFor<1>(Length), 32>>>(Actor, Space, Length);
    });
    All.run("ours, 2 warps", [&] {
      align<2><<<blocksFor<2>(Length), 64>>>(Actor, Space, Length);
    });
    All.run("ours, 4 warps", [&] {
      align<4><<<blocksFor<4>(Length), 128>>>(Actor, Space, Length);
    });
    All.run("ours, 8 warps", [&] {
      align<8><<<blocksFor<8>(Length), 256>>>(Actor, Space, Length);
    });
  }
}

void sorSweep(int From, int To, int Checked) {
  std::printf("\nsor,length,version,ms,speedup,cells_per_ns\n");
  for (int Length = From; Length <= To; Length *= 2) {
    const int Columns = Length + 2;
    std::vector<float> Initial(size_t(Columns) * Columns), Expected;
    for (size_t At = 0; At < Initial.size(); ++At)
      Initial[At] = valueAt(7, At);
    if (Length <= Checked) {
      Expected = Initial;
      for (size_t I = 1; I <= size_t(Length); ++I)
        for (size_t At = I * Columns + 1; At <= I * Columns + Length; ++At)
          Expected[At] =
              relaxed(Expected[At], Expected[At - Columns], Expected[At - 1],
                      Expected[At + 1], Expected[At + Columns]);
    }
    Versions<float> All("sor", Length, Initial, Expected);
    Relax Actor{All.grid(), Columns};
    All.run("a launch an anti-diagonal of tiles", [&] {
      forDiagonals(Length / TileSide, [&](int First, int Last, int Count) {
        relaxTile<<<Count, TileSide>>>(Actor, First, Last);
      });
    });
    const size_t Bytes = Relaxing::spaceBytes<1>(Length, Length);
    DeviceArray<char> Space(Bytes);
    All.run("ours, 1 warp", [&] {
      relax<1><<<blocksFor<1>(Length), 32>>>(Actor, Space, Length);
    });
    All.run("ours, 4 warps", [&] {
      relax<4><<<blocksFor<4>(Length), 128>>>(Actor, Space, Length);
    });
    All.run("ours, 2 warps", [&] {
      relax<2><<<blocksFor<2>(Length), 64>>>(Actor, Space, Length);
    });
  }
}

} // namespace

int main(int ArgC, char **ArgV) {
  printDevice();
  const int From = numberOption(ArgC, ArgV, "from", 32);
  const int To = numberOption(ArgC, ArgV, "to", 4096);
  const int Checked = numberOption(ArgC, ArgV, "checked", 4096);
  Repeats = numberOption(ArgC, ArgV, "repeats", Repeats);
  if (wanted(ArgC, ArgV, "nw"))
    nwSweep(From, To, Checked);
  if (wanted(ArgC, ArgV, "sor"))
    sorSweep(From, To, Checked);
}
