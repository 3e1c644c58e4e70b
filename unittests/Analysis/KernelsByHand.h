// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Kernels and launches written by hand, for the tests of their footprints, and
/// the footprint on sm_90.

#ifndef SLUICE_UNITTESTS_ANALYSIS_KERNELSBYHAND_H
#define SLUICE_UNITTESTS_ANALYSIS_KERNELSBYHAND_H

#include "sluice/Analysis/LoopFootprint.h"
#include "gtest/gtest.h"

namespace sluice {

inline AddressForm c(int64_t Value) { return AddressForm::constant(Value); }
inline AddressForm var(Variable::KindTy Kind, unsigned Index) {
  return AddressForm::variable({Kind, Index});
}
inline AddressForm tid(unsigned Axis = 0) { return var(Variable::Tid, Axis); }
inline AddressForm iter(unsigned Loop) { return var(Variable::Iterator, Loop); }
inline AddressForm arg(unsigned Number) {
  return var(Variable::Argument, Number);
}
inline AddressForm loaded(unsigned Number) {
  return var(Variable::Loaded, Number);
}
inline AddressForm op(AddressOp Op, const AddressForm &A, int64_t B) {
  return AddressForm::operation(Op, A, c(B));
}
inline AddressForm operator*(int64_t A, const AddressForm &B) {
  return c(A) * B;
}
inline AddressForm operator+(const AddressForm &A, int64_t B) {
  return A + c(B);
}

/// blockIdx.x * blockDim.x + threadIdx.x
inline AddressForm globalX() {
  return var(Variable::Ctaid, 0) * var(Variable::Ntid, 0) + tid();
}

inline AccessPattern load(const AddressForm &Address, unsigned Bytes = 4) {
  AccessPattern A;
  A.Address = Address;
  A.Bytes = Bytes;
  return A;
}
inline AccessPattern store(const AddressForm &Address) {
  AccessPattern A = load(Address);
  A.IsStore = true;
  return A;
}

/// A[i * 512 + j]: each thread walks a row of floats of its own.
inline AccessPattern rowPerThread(unsigned Array = 0) {
  return load(arg(Array) + 2048 * globalX() + 4 * iter(0));
}
/// A[j * 4096 + i]: neighbours read neighbours.
inline AccessPattern coalesced() {
  return load(arg(0) + 4 * globalX() + 16384 * iter(0));
}
/// x[j]: every thread reads the same.
inline AccessPattern uniform() { return load(arg(0) + 4 * iter(0)); }

/// A kernel of one loop, number 0.
inline KernelFacts kernel(std::vector<AccessPattern> Accesses) {
  KernelFacts K;
  K.Loops.resize(1);
  K.Loops[0].Accesses = std::move(Accesses);
  return K;
}

/// Adds a loop around which \p Parent is; it stands at "k.cu:LINE:5", where
/// LINE is ten times its number.
inline LoopFacts &addInnerLoop(KernelFacts &K, unsigned Parent,
                               std::optional<uint64_t> TripCount) {
  LoopFacts L;
  L.Id.Place = {"k.cu", unsigned(10 * K.Loops.size()), 5};
  L.Parent = Parent;
  L.TripCount = TripCount;
  K.Loops.push_back(L);
  return K.Loops.back();
}

inline LaunchConfig block(uint64_t X, uint64_t Y = 1, uint64_t Z = 1) {
  LaunchConfig L;
  L.Block = LaunchDim::known(X, Y, Z);
  return L;
}

inline const GPUModel &sm90() { return *llvm::cantFail(findGPUModel("sm_90")); }

inline LoopFootprint footprint(const KernelFacts &K, const LaunchConfig &Launch,
                               unsigned Loop = 0) {
  LoopFootprint F = computeLoopFootprint(K, Loop, Launch, sm90(),
                                         /*CountsUsefulBytes=*/true);
  EXPECT_EQ(F.Unknown, "");
  return F;
}

/// The footprint of a loop with one access.
inline AccessFootprint footprintOf(const AccessPattern &Access,
                                   const LaunchConfig &Launch) {
  KernelFacts K = kernel({Access});
  LoopFootprint F = footprint(K, Launch);
  if (F.Accesses.size() != 1) {
    ADD_FAILURE() << F.Accesses.size() << " accesses";
    return {};
  }
  F.Accesses[0].Access = nullptr; // it dies with K
  return F.Accesses[0];
}

/// How far apart the lanes are is not known: the most, a line for each.
inline void expectUnknownDistance(const AccessFootprint &F,
                                  uint64_t LinesPerBlock) {
  EXPECT_TRUE(F.UnknownDistance);
  EXPECT_EQ(str(F.OnlyIf), "");
  EXPECT_FALSE(F.Assumed);
  EXPECT_EQ(F.LinesPerWarp, 32u);
  EXPECT_EQ(F.SectorsPerWarp, 32u);
  EXPECT_EQ(F.LinesPerBlock, LinesPerBlock);
}

/// A line for each lane if \p Minima hold.
inline void expectOnlyIf(const AccessFootprint &F, llvm::StringRef Minima,
                         uint64_t LinesPerBlock) {
  EXPECT_EQ(str(F.OnlyIf), Minima);
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_FALSE(F.Assumed);
  EXPECT_EQ(F.LinesPerWarp, 32u);
  EXPECT_EQ(F.SectorsPerWarp, 32u);
  EXPECT_EQ(F.LinesPerBlock, LinesPerBlock);
}

/// One line a warp, no two the same (section 4.2).
inline void expectAssumed(const AccessFootprint &F, uint64_t Warps) {
  EXPECT_TRUE(F.Assumed);
  EXPECT_FALSE(F.UnknownDistance);
  EXPECT_EQ(F.LinesPerWarp, 1u);
  EXPECT_EQ(F.SectorsPerWarp, 1u);
  EXPECT_EQ(F.LinesPerBlock, Warps);
}

} // namespace sluice

#endif
