// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A kernel made by hand for the planner's tests: a gesummv whose numbers are
/// round, for tests to change one thing of.
///
/// gesummv on sm_90: each of 256 threads walks a row of A and one of B, so a
/// warp touches 64 lines and a block 512. 32 registers leave 8 blocks an SM:
/// 8 x 512 x 128 = 524288 B against an L1 of 224 KiB = 229376 B: 2.29 times.
/// With N=2 it is 262144 B, with N=4 131072 B.

#ifndef SLUICE_UNITTESTS_PLAN_GESUMMVBYHAND_H
#define SLUICE_UNITTESTS_PLAN_GESUMMVBYHAND_H

#include "sluice/Plan/ThrottlePlanner.h"
#include "gtest/gtest.h"

namespace sluice::test {

inline AddressForm var(Variable::KindTy Kind, unsigned Index) {
  return AddressForm::variable({Kind, Index});
}
inline AddressForm iter(unsigned Loop) { return var(Variable::Iterator, Loop); }
inline AddressForm arg(unsigned Number) {
  return var(Variable::Argument, Number);
}
inline AddressForm operator*(int64_t A, const AddressForm &B) {
  return AddressForm::constant(A) * B;
}
/// blockIdx.x * blockDim.x + threadIdx.x
inline AddressForm globalX() {
  return var(Variable::Ctaid, 0) * var(Variable::Ntid, 0) +
         var(Variable::Tid, 0);
}

inline AccessPattern load(const AddressForm &Address) {
  AccessPattern A;
  A.Bytes = 4;
  A.Address = Address;
  return A;
}

/// Loads of \p Arrays matrices in loop \p Loop, each thread a row of its own.
inline std::vector<AccessPattern>
rowsPerThread(unsigned Arrays, unsigned Loop = 0, int64_t Stride = 4) {
  std::vector<AccessPattern> Loads;
  for (unsigned A = 0; A < Arrays; ++A)
    Loads.push_back(load(arg(A) + 2048 * globalX() + Stride * iter(Loop)));
  return Loads;
}

inline LaunchConfig launch(LaunchDim Grid, LaunchDim Block, unsigned Line) {
  LaunchConfig L;
  L.Grid = Grid;
  L.Block = Block;
  L.DynamicSharedBytes = 0;
  L.Place = {"host.cu", Line, 3};
  return L;
}
inline LaunchConfig launch(uint64_t Grid, uint64_t Block, unsigned Line) {
  return launch(LaunchDim::known(Grid), LaunchDim::known(Block), Line);
}

/// What the planner is asked. As it is made: gesummv.
struct Problem {
  KernelFacts Kernel;
  llvm::StringRef GPU = "sm_90";
  RegisterFact Registers{32, "assembler"};
  ThrottleOptions Options;
  ThrottleThresholds Thresholds;

  Problem() {
    Options.SMs = 132;
    Kernel.Name = "_Z7gesummvPf";
    Kernel.DisplayName = "gesummv";
    Kernel.Launches = {launch(8 * 132, 256, 20)};
    addLoop(rowsPerThread(2));
  }

  /// Its place is "k.cu:LINE:5", LINE ten times the number of loops.
  LoopFacts &addLoop(std::vector<AccessPattern> Accesses) {
    LoopFacts L;
    unsigned Number = Kernel.Loops.size();
    L.Id.Place = L.Region.Place = {"k.cu", 10 * (Number + 1), 5};
    L.Region.Index = Number;
    L.Accesses = std::move(Accesses);
    L.Instructions = 10;
    L.WritesMemory = true;
    Kernel.Loops.push_back(L);
    return Kernel.Loops.back();
  }
  LoopFacts &loop() { return Kernel.Loops[0]; }
  LaunchConfig &launched() { return Kernel.Launches[0]; }

  KernelPlan plan() const {
    return planThrottling(Kernel, *llvm::cantFail(findGPUModel(GPU)), Registers,
                          Options, Thresholds);
  }
};

/// A loop's throttling factor and a part of the reason given.
inline void expectLoop(const KernelPlan &Plan, unsigned Loop, unsigned N,
                       llvm::StringRef Why) {
  ASSERT_LT(Loop, Plan.Loops.size());
  EXPECT_EQ(Plan.Loops[Loop].WarpGroups, N) << Plan.Loops[Loop].Why;
  EXPECT_TRUE(llvm::StringRef(Plan.Loops[Loop].Why).contains(Why))
      << Plan.Loops[Loop].Why;
}

} // namespace sluice::test

#endif
