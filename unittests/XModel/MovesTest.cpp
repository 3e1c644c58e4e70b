// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The case study, section 3.6: gesummv on a GTX570, 48 warps, which thrashes an
// L1 of 16 KiB and one of 48. The thesis drew f(k) through what it measured; R,
// L and n here are Table 3.2's, alpha and beta such that the peak is at a few
// warps, as in its Figures 3.12 and 3.13.

#include "sluice/XModel/Moves.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

XModel gesummv(double CacheKiB) {
  XModel M;
  M.Supply = 147 / 15.0 / 1.464; // 48 warps saturate 147 GB/s
  M.MemoryCycles = 48 * 128 / M.Supply;
  M.RequestBytes = 32 * 128; // a row of each lane: 32 lines
  M.CacheCycles = 300;
  M.CacheBytes = CacheKiB * 1024;
  M.Reuse = {3, 8192}; // two lines of a row of each lane
  M.Threads = 48;
  M.Lanes = 1;       // 32 lanes: a warp's operation a cycle
  M.LaneCycles = 18; // of Fermi's pipeline
  M.Intensity = 0.02;
  M.Parallelism = 1;
  return M;
}

MoveLimits fermi() { return {48, 48 * 1024, 1, 128, 6.69, 0}; }

const Move *moveOf(ArrayRef<Move> Moves, MoveKind Kind) {
  auto At = find_if(Moves, [&](const Move &M) { return M.Kind == Kind; });
  return At == Moves.end() ? nullptr : &*At;
}

} // namespace

// Figures 3.12 and 3.13: either L1 thrashes; the larger one has a much higher
// peak, and gains little where the machine is.
TEST(CaseStudy, ThrashesWithEitherCache) {
  const XModel Small = gesummv(16), Large = gesummv(48);
  EXPECT_EQ(boundAt(Small, intersections(Small).back()), XBound::Thrashing);
  EXPECT_EQ(boundAt(Large, intersections(Large).back()), XBound::Thrashing);
  EXPECT_GT(cachePeak(Large)->Bytes, 1.5 * cachePeak(Small)->Bytes);
  const double Gain =
      intersections(Large).back().Bytes / intersections(Small).back().Bytes;
  EXPECT_GT(Gain, 1);
  EXPECT_LT(Gain, cachePeak(Large)->Bytes / cachePeak(Small)->Bytes);
}

// Figure 3.14: "the best performance is achieved when g(x) coincides with the
// cache peak". Beyond it, fewer threads lose.
TEST(CaseStudy, ThrottlingGainsUpToThePeak) {
  XModel M = gesummv(48);
  const double Before = settled(M).Bytes, Peak = cachePeak(M)->Bytes;
  double Best = 0, BestThreads = 0;
  for (double N = 1; N <= 48; ++N) {
    M.Threads = N;
    if (settled(M).Bytes > Best) {
      Best = settled(M).Bytes;
      BestThreads = N;
    }
  }
  EXPECT_GT(Best, 1.05 * Before);
  EXPECT_NEAR(Best, Peak, 0.05 * Peak);
  M.Threads = BestThreads / 3;
  EXPECT_LT(settled(M).Bytes, Best);
}

// Figure 3.18: on 48 KiB throttling gains 26 % and bypassing 36 %; on 16 KiB 8
// and 22. Bypassing gains more on both.
TEST(CaseStudy, BypassingGainsMoreThanThrottling) {
  for (double KiB : {16, 48}) {
    const auto Moves = possibleMoves(gesummv(KiB), fermi());
    const Move *Fewer = moveOf(Moves, MoveKind::FewerThreads),
               *Bypass = moveOf(Moves, MoveKind::PartialBypass);
    ASSERT_TRUE(Fewer && Bypass);
    EXPECT_GT(Fewer->SpeedUp, 1.0) << KiB;
    EXPECT_GT(Bypass->SpeedUp, Fewer->SpeedUp) << KiB;
  }
}

// Figure 3.16: a higher Z is more CS throughput and hardly more MS throughput.
TEST(CaseStudy, HigherZHelpsComputation) {
  const XModel M = gesummv(48);
  XModel Denser = M;
  Denser.Intensity *= 1.25;
  const Move Higher = makeMove(MoveKind::HigherZ, "", M, Denser);
  EXPECT_GT(Higher.SpeedUp, 1.25);
  EXPECT_GT(Higher.At.Bytes, settled(M).Bytes);
  EXPECT_LT(Higher.At.Bytes, 1.05 * settled(M).Bytes);
}

// Figure 3.17: less ILP gains under thrashing, and only there.
TEST(CaseStudy, LessILPGainsUnderThrashing) {
  const XModel M = gesummv(48);
  const auto Moves = possibleMoves(M, fermi());
  ASSERT_TRUE(moveOf(Moves, MoveKind::LessILP));
  EXPECT_GT(moveOf(Moves, MoveKind::LessILP)->SpeedUp, 1.002);
  XModel Insensitive = M;
  Insensitive.Reuse.Alpha = 1;
  const auto Others = possibleMoves(Insensitive, fermi());
  EXPECT_LE(moveOf(Others, MoveKind::LessILP)->SpeedUp, 1.001);
}

TEST(Moves, AreSortedAndLimited) {
  const auto Moves = possibleMoves(gesummv(48), fermi());
  EXPECT_TRUE(is_sorted(Moves, [](const Move &A, const Move &B) {
    return A.SpeedUp > B.SpeedUp;
  }));
  // All 48 warps are there, and the whole cache; all bytes are wanted.
  EXPECT_FALSE(moveOf(Moves, MoveKind::MoreThreads));
  EXPECT_FALSE(moveOf(Moves, MoveKind::LargerCache));
  EXPECT_FALSE(moveOf(Moves, MoveKind::Streams));
  EXPECT_TRUE(
      moveOf(possibleMoves(gesummv(16), fermi()), MoveKind::LargerCache));
  XModel Nothing = gesummv(16);
  Nothing.Threads = 0;
  EXPECT_TRUE(possibleMoves(Nothing, fermi()).empty());
}

// Where few warps wait for each line, whole lines are fewer waits.
TEST(Moves, WaitForWholeLinesOnce) {
  XModel M = gesummv(16);
  M.Threads = 2;
  M.Reuse.Alpha = 1;
  M.RequestBytes = 32 * 32;
  MoveLimits Limits = fermi();
  Limits.UsefulShare = 1 / 8.0;
  Limits.WholeLineBytes = 32 * 128;
  const XModel After = withStreams(M, Limits.UsefulShare, Limits);
  EXPECT_EQ(After.RequestBytes, 32 * 128);
  // 32 waits become one; the computation of the row remains.
  EXPECT_GT(operations(After, settled(After)), 3 * operations(M, settled(M)));
}

TEST(Moves, FetchEachLineOnce) {
  MoveLimits Limits = fermi();
  Limits.UsefulShare = 1 / 8.0;
  const auto Moves = possibleMoves(gesummv(16), Limits);
  ASSERT_TRUE(moveOf(Moves, MoveKind::Streams));
  EXPECT_GT(moveOf(Moves, MoveKind::Streams)->SpeedUp, 2);
}
