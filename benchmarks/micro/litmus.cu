// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Litmus tests of atomicCAS and fences between blocks, for sluice-atomics,
// which takes clang's fences off atomicCAS: how often is there what the memory
// model forbids? Every shared word is read and written by atomicCAS, but for
// what the fences order.
//
//   mp         message passing: a store, a fence, a flag; the flag, a fence, a
//              load. Forbidden: the flag is there and what was stored is not
//   mp-weak    the same without fences, where that is allowed: does the test
//   see
//              such a thing at all?
//   sb         store buffering: two threads write a word each and, behind a
//              fence, read the other's. Forbidden: neither sees the other
//   iriw       two threads write a word each; two read both, in other orders,
//              with a fence between. Forbidden: they disagree which was first
//   corr       two reads of one word. Forbidden: the second sees the older
//   value lock       a counter behind a lock. Forbidden: another count table
//   equal keys go into a hash table. Forbidden: a key twice, or none histogram
//   sums of floats by a loop of atomicCAS. Forbidden: another sum
//
//   litmus [--only=TEST] [--rounds=N]
//
// A round has a million instances of each of the first five tests.
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

using Word = unsigned;

constexpr int Threads = 256, Blocks = 4096, Instances = Blocks * Threads;

/// Words of different instances are not neighbours, so that those of one lie in
/// different lines and slices of the L2.
__device__ Word *at(Word *Base, int Instance) {
  return Base + (unsigned(Instance) * 2654435761u) % Instances;
}
__device__ Word read(Word *P) { return atomicCAS(P, 7u, 7u); }
__device__ void write(Word *P) { atomicCAS(P, 0u, 1u); }
__device__ void wait(int Instance, int Round) {
  const unsigned Random = (Instance * 747796405u + Round) * 2891336453u;
  for (unsigned I = Random >> 26; I; --I)
    __nanosleep(0);
}

struct Test {
  Word *X, *Y; ///< Eight words and one of each instance.
  Word *Seen;  ///< Two of each, what its threads have read; then two more.
  int Round;
};

/// Each instance has one thread in each of \p Roles blocks that run together.
/// Blocks are 0, 1, ... of the first instances, and so on.
template <int Roles>
__device__ bool roleOf(const Test &T, int &Instance, int &Role) {
  Role = blockIdx.x % Roles;
  Instance = blockIdx.x / Roles * Threads + threadIdx.x;
  wait(Instance * Roles + Role, T.Round);
  return Instance < Instances;
}

/// Plain accesses: the reader has the sector in its L1 from a word beside the
/// data, and only a fence takes it out of there.
template <bool HasFences> __global__ void messagePassing(Test T) {
  int Instance, Role;
  if (!roleOf<2>(T, Instance, Role))
    return;
  Word *Data = T.X + 8 * (at(T.X, Instance) - T.X);
  Word *Flag = at(T.Y, Instance);
  if (Role == 0) {
    *Data = 1;
    if (HasFences)
      __threadfence();
    write(Flag);
    return;
  }
  const Word Beside = Data[1]; // always zero
  const Word First = read(Flag + Beside);
  if (HasFences)
    __threadfence();
  T.Seen[2 * Instance] = First;
  T.Seen[2 * Instance + 1] = *Data;
}

__global__ void storeBuffering(Test T) {
  int Instance, Role;
  if (!roleOf<2>(T, Instance, Role))
    return;
  write(at(Role ? T.Y : T.X, Instance));
  __threadfence();
  T.Seen[2 * Instance + Role] = read(at(Role ? T.X : T.Y, Instance));
}

__global__ void independentReads(Test T) {
  int Instance, Role;
  if (!roleOf<4>(T, Instance, Role))
    return;
  Word *X = at(T.X, Instance), *Y = at(T.Y, Instance);
  if (Role < 2)
    return write(Role ? Y : X);
  const Word First = read(Role == 2 ? X : Y);
  __threadfence();
  const Word Second = read(Role == 2 ? Y : X);
  T.Seen[2 * Instance + Role - 2] = First && !Second;
}

__global__ void coherence(Test T) {
  int Instance, Role;
  if (!roleOf<2>(T, Instance, Role))
    return;
  Word *X = at(T.X, Instance);
  if (Role == 0)
    return write(X);
  T.Seen[2 * Instance] = read(X);
  T.Seen[2 * Instance + 1] = read(X);
}

constexpr int Locks = 509, Turns = 16;

/// The counter is no atomic: X is the lock, Seen the count.
__global__ void lockedCounts(Test T) {
  const int Me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int I = 0; I < Turns; ++I) {
    const int Which = (unsigned(Me) * 2654435761u + I * 40503u) % Locks;
    for (bool IsDone = false; !IsDone;)
      if (atomicCAS(&T.X[Which * 32], 0u, 1u) == 0) {
        __threadfence();
        ++*(volatile Word *)&T.Seen[Which];
        __threadfence();
        atomicExch(&T.X[Which * 32], 0u);
        IsDone = true;
      }
  }
}

constexpr int Keys = Instances / 8, Slots = Instances;

/// Each key comes eight times, from different blocks; X is the table, Seen says
/// how often a key was new.
__global__ void hashTable(Test T) {
  const int Me = blockIdx.x * blockDim.x + threadIdx.x;
  const Word Key = Me % Keys + 1;
  for (unsigned Slot = Key * 2654435761u % Slots;; Slot = (Slot + 1) % Slots) {
    const Word Old = atomicCAS(&T.X[Slot], 0u, Key);
    if (Old == 0)
      atomicAdd(&T.Seen[Key], 1u);
    if (Old == 0 || Old == Key)
      return;
  }
}

constexpr int Bins = 1021;

__global__ void histogram(Test T) {
  const int Me = blockIdx.x * blockDim.x + threadIdx.x;
  Word *Bin = &T.Seen[Me % Bins];
  for (Word Old = *(volatile Word *)Bin;;) {
    const Word Now =
        atomicCAS(Bin, Old, __float_as_uint(__uint_as_float(Old) + 1.0f));
    if (Now == Old)
      return;
    Old = Now;
  }
}

/// Runs \p Kernel \p Rounds times from zero, and prints how many times in how
/// many
/// \p IsWrong was true of a round's i-th pair of words.
template <typename KernelT, typename WrongT>
static void run(const char *Name, int Rounds, KernelT Kernel, int Grid,
                int Count, WrongT IsWrong) {
  DeviceArray<Word> X(8 * Instances), Y(Instances), Seen(2 * Instances);
  unsigned long long Wrong = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    X.clear();
    Y.clear();
    Seen.clear();
    Kernel<<<Grid, Threads>>>(Test{X, Y, Seen, Round});
    finish();
    const std::vector<Word> All = Seen.toHost();
    for (int I = 0; I < Count; ++I)
      Wrong += IsWrong(&All[2 * I], I);
  }
  std::printf("%s,%llu,%llu\n", Name,
              (unsigned long long)Rounds * (unsigned long long)Count, Wrong);
}

int main(int ArgC, char **ArgV) {
  printDevice();
  const int Rounds = bench::numberOption(ArgC, ArgV, "rounds", 10);
  std::printf("test,instances,forbidden\n");
  auto Wanted = [&](const char *Name) { return wanted(ArgC, ArgV, Name); };
  auto IsStale = [](const Word *R, int) { return R[0] == 1 && R[1] == 0; };
  if (Wanted("mp"))
    run("mp", Rounds, messagePassing<true>, 2 * Blocks, Instances, IsStale);
  if (Wanted("mp-weak"))
    run("mp-weak", Rounds, messagePassing<false>, 2 * Blocks, Instances,
        IsStale);
  if (Wanted("sb"))
    run("sb", Rounds, storeBuffering, 2 * Blocks, Instances,
        [](const Word *R, int) { return R[0] == 0 && R[1] == 0; });
  if (Wanted("iriw"))
    run("iriw", Rounds, independentReads, 4 * Blocks, Instances,
        [](const Word *R, int) { return R[0] == 1 && R[1] == 1; });
  if (Wanted("corr"))
    run("corr", Rounds, coherence, 2 * Blocks, Instances, IsStale);
  // Of the rest, a pair of Seen is two locks, keys or bins.
  if (Wanted("lock")) {
    unsigned long long Sum = 0;
    run("lock", Rounds, lockedCounts, Blocks, Locks, [&](const Word *R, int I) {
      // All of a round at its last pair.
      Sum = (I ? Sum : 0) + R[0] + R[1];
      return I == Locks - 1 && Sum != 1ull * Instances * Turns;
    });
  }
  if (Wanted("table"))
    run("table", Rounds, hashTable, Blocks, Keys / 2,
        [](const Word *R, int I) { return (I && R[0] != 1) || R[1] != 1; });
  if (Wanted("histogram"))
    run("histogram", Rounds, histogram, Blocks, Bins / 2,
        [](const Word *R, int I) {
          auto Expected = [](int Bin) {
            return float(Instances / Bins + (Bin < Instances % Bins));
          };
          float Sums[2];
          std::memcpy(Sums, R, sizeof Sums);
          return Sums[0] != Expected(2 * I) || Sums[1] != Expected(2 * I + 1);
        });
}
