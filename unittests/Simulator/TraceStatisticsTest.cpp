// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is counted of a trace without a cache.

#include "TraceStatistics.h"
#include "TracesByHand.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::byhand;

namespace {

TEST(CountTrace, CountsEachAccess) {
  CodeSites Sites;
  Sites.Accesses = {site(1), site(2, AccessSite::Load, 8),
                    site(3, AccessSite::Store)};
  LaunchTrace L = launchOf({WarpWriter()
                                .line(0, 8)
                                .access(0, 0, 128)
                                .access(1, 64, 0) // all lanes the same 8 bytes
                                .access(1, 0, 4)  // overlapping
                                .access(2, 0, 4, 0xff)
                                .end()},
                           Sites);
  TraceStatistics S = countTrace(L);
  const AccessCounts &A = S.Sites[0], &B = S.Sites[1], &C = S.Sites[2];
  EXPECT_EQ(A.Requests, 2u);
  EXPECT_EQ(A.Lanes, 64u);
  EXPECT_EQ(A.Bytes, 256u);
  EXPECT_EQ(A.UsefulBytes, 256u);
  EXPECT_EQ(A.Lines, 33u);
  EXPECT_EQ(A.Sectors, 36u);
  EXPECT_EQ(B.UsefulBytes, 8u + 31 * 4 + 8);
  EXPECT_EQ(B.Sectors, 1u + 5);
  EXPECT_EQ(C.Lanes, 8u);
  EXPECT_EQ(C.Sectors, 1u);
}

TEST(CountTrace, CountsLinesOfAnIterationOnce) {
  CodeSites Sites;
  Sites.Accesses = {site(1)};
  Sites.Loops = {loop(1), loop(2, 0)};
  LaunchTrace L = launchOf({WarpWriter()
                                .line(0, 99) // in no loop
                                .enter(0)
                                .iterate(0)
                                .line(0, 1)
                                .enter(1)
                                .iterate(1)
                                .line(0, 1)
                                .iterate(1)
                                .line(0, 2)
                                .exit(1)
                                .iterate(0)
                                .exit(0)
                                .end()},
                           Sites);
  TraceStatistics S = countTrace(L);
  EXPECT_EQ(S.Loops[0].Entries, 1u);
  EXPECT_EQ(S.Loops[0].Iterations, 2u);
  EXPECT_EQ(S.Loops[0].IterationLines, 2u);
  EXPECT_EQ(S.Loops[0].MostIterationLines, 2u);
  EXPECT_EQ(S.Loops[1].Iterations, 2u);
  EXPECT_EQ(S.Loops[1].IterationLines, 2u);
  EXPECT_EQ(S.Loops[1].MostIterationLines, 1u);
}

TEST(ReuseDistances, AreWhatCountingFindsToo) {
  std::mt19937 Random(1);
  CodeSites Sites;
  Sites.Accesses = {site(1), site(2)};
  std::vector<WarpTrace> Warps;
  std::vector<std::pair<unsigned, uint64_t>> Touches;
  for (unsigned I = 0; I < 2000; ++I) {
    const unsigned Site = Random() % 2;
    const uint64_t Line = Random() % (I % 3 ? 20 : 300);
    Touches.push_back({Site, Line});
    Warps.push_back(WarpWriter().line(Site, Line).end());
  }
  std::vector<const uint32_t *> Order;
  for (const WarpTrace &W : Warps)
    Order.push_back(W.Words.data());

  ReuseHistogram Expected[2];
  for (size_t I = 0; I < Touches.size(); ++I) {
    auto [Site, Line] = Touches[I];
    std::set<uint64_t> Between;
    size_t J = I;
    while (J && Touches[J - 1].second != Line)
      Between.insert(Touches[--J].second);
    if (!J)
      ++Expected[Site].Never;
    else
      ++Expected[Site]
            .Count[Between.empty() ? 0 : llvm::Log2_64(Between.size()) + 1];
  }
  auto Found = reuseDistances(Order, Sites, /*Sample=*/1);
  for (unsigned S : {0, 1}) {
    EXPECT_EQ(Found[S].Never, Expected[S].Never);
    EXPECT_EQ(Found[S].Count, Expected[S].Count);
  }
}

TEST(ReuseDistances, OfASampleAreAboutThose) {
  CodeSites Sites;
  Sites.Accesses = {site(1)};
  std::vector<WarpTrace> Warps;
  for (unsigned Round = 0; Round < 4; ++Round)
    for (uint64_t Line = 0; Line < 4096; ++Line)
      Warps.push_back(WarpWriter().line(0, Line).end());
  std::vector<const uint32_t *> Order;
  for (const WarpTrace &W : Warps)
    Order.push_back(W.Words.data());
  ReuseHistogram H = reuseDistances(Order, Sites, /*Sample=*/16)[0];
  // All at 4095 lines: of those in the sample, in bucket 12 or 13.
  EXPECT_EQ(H.Count[12] + H.Count[13], 3 * H.Never);
  EXPECT_NEAR(double(H.Never), 4096.0 / 16, 40);
}

} // namespace
