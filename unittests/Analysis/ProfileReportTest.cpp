// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile as its reader sees it: table, listing, JSON.

#include "sluice/Analysis/ProfileReport.h"
#include "ProfilesByHand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sluice;

namespace {

//===--------------------------------------------------------------------===//
// Numbers
//===--------------------------------------------------------------------===//

TEST(L2Efficiency, IsUsefulBytesOfThoseFetched) {
  AccessCounts C;
  EXPECT_EQ(l2Efficiency(C).Cached, std::nullopt);
  EXPECT_EQ(l2Efficiency(C).Uncached, std::nullopt);
  C.UsefulBytes = 640;
  C.Sectors = 40;
  C.Hits = 20;
  C.PendingHits = 10;
  EXPECT_EQ(l2Efficiency(C).Cached, 2.0);
  EXPECT_EQ(l2Efficiency(C).Uncached, 0.5);
  C.Hits = 30;
  EXPECT_EQ(l2Efficiency(C).Cached, std::nullopt);
}

TEST(MedianReuse, IsTheLeastPowerThatHalfAreBelow) {
  ReuseHistogram R;
  EXPECT_EQ(medianReuseBound(R), std::nullopt);
  R.Count[3] = 10;
  EXPECT_EQ(medianReuseBound(R), 8u);
  R.Count[0] = 10;
  EXPECT_EQ(medianReuseBound(R), 0u);
  R.Never = 1;
  EXPECT_EQ(medianReuseBound(R), 8u);
  R.Never = 20;
  EXPECT_EQ(medianReuseBound(R), 8u);
  R.Never = 21;
  EXPECT_EQ(medianReuseBound(R), std::nullopt);
  R.Count[31] = 1000;
  EXPECT_EQ(medianReuseBound(R), uint64_t(1) << 31);
}

TEST(GainOfPair, IsWhatBothTogetherHitMore) {
  Profile P = fullProfile();
  EXPECT_EQ(gainOfPair(P.Kernels[0], P.Kernels[0].Pairs[0]), 950 - 900 - 10);
  P.Kernels[0].Pairs[0].Hits = 100;
  EXPECT_EQ(gainOfPair(P.Kernels[0], P.Kernels[0].Pairs[0]), 100 - 900 - 10);
}

//===--------------------------------------------------------------------===//
// The table
//===--------------------------------------------------------------------===//

std::string tableOf(const Profile &P, const TableOptions &Options = {}) {
  std::string Text;
  raw_string_ostream OS(Text);
  printTable(OS, P, Options);
  return Text;
}

TEST(ProfileTable, ShowsEverything) {
  EXPECT_EQ(tableOf(fullProfile()),
            R"(a.cu on sm_90, by emulator, 2 runs

k(float*)
  a.cu:20, 31 registers, L1 of 224 KiB, 24 of 3168 blocks simulated, 3 launches of 1056 blocks of
  16x16 threads with 1024 B shared
  predicted: 12.3 us for 3 launches, 4.10 us each, bound by tag stage; busy %: issue 10.0, tag stage
  80.0, L2 40.0, DRAM 5.0

                                        of one request   % sectors missed   efficiency  median reuse
  access            kind    B  requ. lanes sect. lines   hit pend.  sect.  L1 on   off   lines (KiB)
  math.cuh:9:10 inlined at a.cu:25:7
                    load    8     64  32.0  8.00  2.00   0.0   0.0    512   1.00  1.00             -
  a.cu:24:12        load    4     64  32.0  16.0  8.00  75.0  12.5    128   1.00  0.12     <8 (1.00)
  a.cu:26:8         store   -      1  0.00  0.00  0.00     -     -      0      -     -             -

  loads that help (+) or fight (-): hits more than each has alone, % of the sectors of both
     +2.6  a.cu:24:12 and math.cuh:9:10 inlined at a.cu:25:7

           iterations  lines of one iteration
  entries   per entry          mean      most  loop
       64        10.0          2.00        33  a.cu:23:5
)");
}

TEST(ProfileTable, OfNothing) {
  Profile P;
  P.GPU = "sm_90";
  EXPECT_EQ(tableOf(P), "? on sm_90, 1 run\n");
  KernelProfile K;
  K.Name = "k";
  P.Kernels = {K};
  EXPECT_EQ(tableOf(P), "? on sm_90, 1 run\n\nk\n");
}

/// The lines of \p Text that contain \p Part.
std::vector<std::string> linesWith(StringRef Text, StringRef Part) {
  std::vector<std::string> Lines;
  for (StringRef Line : split(Text, '\n'))
    if (Line.contains(Part))
      Lines.push_back(Line.str());
  return Lines;
}

/// The driver's carveout takes 10 ms, others 6 and \p Last; with turns 4 and 3.
Profile withCarveouts(uint64_t Last) {
  Profile P = fullProfile();
  P.Kernels[0].Carveouts = {{{}, 10000000}, {21, 6000000}, {93, Last}};
  P.Kernels[0].Loops[0].Turns = {{1, 10000000},
                                 {2, 4000000, {{{}, 4000000}, {93, 3000000}}}};
  return P;
}

TEST(ProfileTable, ShowsCarveoutsThatMatter) {
  const std::string Table = tableOf(withCarveouts(12000000));
  EXPECT_EQ(linesWith(Table, "carveout"),
            (std::vector<std::string>{
                "  predicted with a carveout of 21 % 6.000 ms, 93 % 12.000 ms",
                "  with N=2 and a carveout of 93 % 3.000 ms"}));
  Profile None = withCarveouts(12000000);
  None.Kernels[0].Carveouts = {{{}, 10000000}, {21, 9800000}};
  EXPECT_EQ(linesWith(tableOf(None), "predicted with a carveout"),
            std::vector<std::string>());
}

TEST(ProfileTable, SortsByMissesThenBySectorsThenBySource) {
  std::vector<AccessProfile> Accesses;
  auto Add = [&](unsigned Line, uint64_t Sectors, uint64_t Hits) {
    Accesses.push_back(accessAt(Line, 1));
    Accesses.back().Counts.Sectors = Sectors;
    Accesses.back().Counts.Hits = Hits;
  };
  Add(1, 100, 90);
  Add(2, 100, 90);
  Add(3, 200, 190);
  Add(4, 20, 0);
  Profile P = profileWith(Accesses);

  auto Rows = linesWith(tableOf(P), "load");
  ASSERT_EQ(Rows.size(), 4u);
  for (auto [Row, Place] : {std::pair(0, "a.cu:4:1 "),
                            {1, "a.cu:3:1 "},
                            {2, "a.cu:1:1 "},
                            {3, "a.cu:2:1 "}})
    EXPECT_TRUE(StringRef(Rows[Row]).contains(Place)) << Rows[Row];

  TableOptions Most;
  Most.MostAccesses = 1;
  EXPECT_EQ(linesWith(tableOf(P, Most), "load").size(), 1u);
  EXPECT_EQ(linesWith(tableOf(P, Most), "and 3 more").size(), 1u);
}

TEST(ProfileTable, ShowsTheLargestGains) {
  std::vector<AccessProfile> Accesses;
  for (unsigned Line = 1; Line <= 6; ++Line) {
    Accesses.push_back(accessAt(Line, 1));
    Accesses.back().SectorsAlone = 1000;
    Accesses.back().HitsAlone = 500;
  }
  Profile P = profileWith(Accesses);
  std::vector<PairProfile> &Pairs = P.Kernels[0].Pairs;
  for (unsigned I = 0; I < 6; ++I)
    for (unsigned J = 0; J < I; ++J)
      Pairs.push_back({J, I, 1000 + 10 * I});
  Pairs[2].Hits = 100;  // 1 and 2
  Pairs[5].Hits = 1000; // no gain

  std::string Table = tableOf(P);
  auto Rows = linesWith(Table, " and a.cu:");
  ASSERT_EQ(Rows.size(), 10u);
  EXPECT_EQ(Rows[0], "    -45.0  a.cu:2:1 and a.cu:3:1");
  EXPECT_EQ(Rows[1], "     +2.5  a.cu:1:1 and a.cu:6:1");

  for (PairProfile &Pair : Pairs)
    Pair.Hits = 1000;
  EXPECT_EQ(linesWith(tableOf(P), "fight").size(), 0u);
}

TEST(ProfileTable, KeepsTo100Columns) {
  Profile P = fullProfile();
  KernelProfile &K = P.Kernels[0];
  CodeId Long = {{"a_file_with_a_long_name.cuh", 12345, 67}, {}, 0};
  for (unsigned I = 0; I < 5; ++I)
    Long.InlinedAt.push_back({"a_file_with_a_long_name.cuh", 23456, 78});
  K.Name = "_Z1kIfiLi1ELi2ELi3ELi4ELi5ELi6ELi7ELi8ELi9ELi10ELi11ELi12ELi13E"
           "Li14ELi15ELi16ELi17ELi18ELi19ELi20ELi21ELi22ELi23ELi24EEvPf";
  for (AccessProfile &Access : K.Accesses) {
    Access.Id = Long;
    Access.Kind = "atomic";
    Access.Bytes = 16;
    Access.Counts = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, 0, 0, 0};
    Access.Reuse = {};
    Access.Reuse.Count[31] = 1;
  }
  K.Loops[0] = {Long, ~0ull, ~0ull, ~0ull, ~0ull, {}};
  K.Launches.resize(9, K.Launches[0]);
  P.Origin = std::string(40, 'x') + " " + std::string(80, 'y');
  for (StringRef Line : split(tableOf(P), '\n'))
    EXPECT_LE(Line.size(), 100u) << Line.str();
}

//===--------------------------------------------------------------------===//
// The listing
//===--------------------------------------------------------------------===//

constexpr StringLiteral Source = "__device__ float h(float *A) {\n"
                                 "  return A[1];\n"
                                 "}\n"
                                 "__global__ void k(float *A) {\n"
                                 "\tfloat x = A[2] + /*µ*/ A[3];\n"
                                 "  A[0] = x + h(A) + other(A);\n"
                                 "}\n";

AccessProfile countedAt(unsigned Line, unsigned Column, uint64_t Hits,
                        const char *Kind = "load") {
  AccessProfile Access = accessAt(Line, Column, Kind);
  Access.Counts.Requests = 10;
  Access.Counts.Sectors = 80;
  Access.Counts.Hits = Hits;
  return Access;
}

Profile profileOfSource() {
  Profile P = profileWith({countedAt(5, 12, 60), countedAt(5, 27, 80),
                           countedAt(6, 8, 0, "store"), countedAt(2, 10, 20),
                           countedAt(9, 9, 30)});
  KernelProfile &K = P.Kernels[0];
  static_cast<FunctionText &>(K) = describeFunction("a.cu", Source, 4);
  K.Inlined = {describeFunction("a.cu", Source, 1)};
  K.Accesses[3].Id.InlinedAt = {{"a.cu", 6, 14}};
  K.Accesses[4].Id.Place.File = "other.cuh";
  K.Accesses[4].Id.InlinedAt = {{"a.cu", 6, 21}};
  return P;
}

struct Listing {
  bool Complete;
  std::string Text;
};

Listing annotate(const Profile &P, StringRef Text, StringRef File = "a.cu") {
  Listing L;
  raw_string_ostream OS(L.Text);
  L.Complete = printAnnotated(OS, P, Text, File);
  return L;
}

TEST(ProfileListing, ShowsEachAccessWhereItStands) {
  Listing L = annotate(profileOfSource(), Source);
  EXPECT_TRUE(L.Complete);
  EXPECT_EQ(L.Text,
            " hit %  sect/rq     miss |\n"
            "                         |    1  __device__ float h(float "
            "*A) {\n"
            "  25.0     8.00       60 |    2    return A[1];\n"
            "                         |    3  }\n"
            "                         |    4  __global__ void k(float "
            "*A) {\n"
            "  87.5     8.00       20 |    5  \tfloat x = A[2] + /*µ*/ "
            "A[3];\n"
            "  75.0     8.00       20 |       \t          ^ load\n"
            " 100.0     8.00        0 |       \t                        ^ "
            "load\n"
            "  18.8     8.00      130 |    6    A[0] = x + h(A) + "
            "other(A);\n"
            "   0.0     8.00       80 |              ^ store\n"
            "  37.5     8.00       50 |                           ^ "
            "load\n"
            "                         |    7  }\n");
}

TEST(ProfileListing, FollowsWhatHasMoved) {
  Listing L = annotate(profileOfSource(), ("\r\n// new\r\n" + Source).str());
  EXPECT_TRUE(L.Complete);
  EXPECT_EQ(linesWith(L.Text, "return A[1]")[0],
            "  25.0     8.00       60 |    4    return A[1];");
}

TEST(ProfileListing, LeavesOutWhatHasChangedAndSaysSo) {
  std::string Changed = Source.str();
  Changed.replace(Changed.find("A[2]"), 4, "A[9]");
  Listing L = annotate(profileOfSource(), Changed);
  EXPECT_FALSE(L.Complete);
  EXPECT_EQ(linesWith(L.Text, "stale")[0],
            "stale: a.cu has changed since 'k' was profiled; it is left out");
  EXPECT_EQ(linesWith(L.Text, "return A[1]")[0],
            "                         |    2    return A[1];");
}

TEST(ProfileListing, SaysWhatItCannotTell) {
  Profile P = profileOfSource();
  P.Kernels[0].TextHash.clear();
  Listing L = annotate(P, Source);
  EXPECT_TRUE(L.Complete);
  EXPECT_EQ(linesWith(L.Text, "note")[0],
            "note: whether a.cu has changed since 'k' was profiled is not "
            "known");
  EXPECT_EQ(linesWith(L.Text, "return A[1]")[0],
            "  25.0     8.00       60 |    2    return A[1];");
}

TEST(ProfileListing, OfAFileWithoutAccesses) {
  Listing L = annotate(profileOfSource(), "int x;", "none.cuh");
  EXPECT_TRUE(L.Complete);
  EXPECT_EQ(L.Text, " hit %  sect/rq     miss |\n"
                    "                         |    1  int x;\n");
}

//===--------------------------------------------------------------------===//
// JSON
//===--------------------------------------------------------------------===//

json::Value jsonOf(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  printJSON(OS, P);
  auto Value = json::parse(Text);
  if (Value)
    return *Value;
  ADD_FAILURE() << toString(Value.takeError()) << Text;
  return nullptr;
}

TEST(ProfileTime, IsBoundByTheBusiestUnitOrByLatency) {
  PredictedTime T;
  T.Cycles = 1000;
  T.IssueCycles = 500;
  EXPECT_EQ(T.boundBy(), BindingUnit::Latency);
  T.IssueCycles = 501;
  EXPECT_EQ(T.boundBy(), BindingUnit::Issue);
  T.DRAMCycles = 900;
  EXPECT_EQ(T.boundBy(), BindingUnit::DRAM);
  T.Nanoseconds = 1234567;
  EXPECT_EQ(describeTime(T),
            "1.23 ms, bound by DRAM; busy %: issue 50.1, tag stage 0.0, L2 "
            "0.0, DRAM 90.0");
  EXPECT_EQ(describeTime(T, 10),
            "1.23 ms for 10 launches, 123 us each, bound by DRAM; busy %: "
            "issue 50.1, tag stage 0.0, L2 0.0, DRAM 90.0");
}

TEST(ProfileJSON, HasEveryField) {
  json::Value V = jsonOf(fullProfile());
  auto Expected = json::parse(R"({
    "sluice-profile": 1, "source": "a.cu", "gpu": "sm_90",
    "origin": "emulator", "runs": 2,
    "kernels": [{
      "name": "_Z1kPf", "file": "a.cu", "first-line": 20, "last-line": 28,
      "text-hash": "00112233445566aa",
      "inlined": [{"file": "math.cuh", "first-line": 8, "last-line": 10,
                   "text-hash": "ffeeddccbbaa9988"}],
      "registers": 31, "l1-bytes": 229376, "simulated-blocks": 24,
      "blocks": 3168,
      "launches": [{"grid": [1056, 1, 1], "block": [16, 16, 1],
                    "shared": 1024, "launches": 3}],
      "time": {"cycles": 1000, "issue": 100, "tag-stage": 800, "l2": 400,
               "dram": 50, "nanoseconds": 12300, "bound-by": "tag stage"},
      "pairs": [{"first": 0, "second": 1, "hits": 950, "gain": 40}],
      "loops": [{"loop": "a.cu:23:5", "inlined-at": [], "ordinal": 0,
                 "entries": 64, "iterations": 640, "iteration-lines": 1280,
                 "most-iteration-lines": 33}]
    }]})");
  ASSERT_TRUE(bool(Expected)) << toString(Expected.takeError());
  json::Object &Kernel =
      *(*V.getAsObject()->getArray("kernels"))[0].getAsObject();
  json::Array Accesses = *Kernel.getArray("accesses");
  Kernel.erase("accesses");
  EXPECT_EQ(V, *Expected);

  ASSERT_EQ(Accesses.size(), 3u);
  json::Object &Load = *Accesses[0].getAsObject();
  EXPECT_EQ(Load.getObject("reuse")->getArray("counts")->size(), 32u);
  Load.erase("reuse");
  auto ExpectedLoad = json::parse(R"({
    "at": "a.cu:24:12", "inlined-at": [], "ordinal": 0,
    "kind": "load", "bytes": 4,
    "counts": {"requests": 64, "lanes": 2048, "bytes": 8192,
               "useful-bytes": 4096, "lines": 512, "sectors": 1024,
               "hits": 768, "pending-hits": 128, "dram-sectors": 96,
               "misses": 128},
    "sectors-alone": 1024, "hits-alone": 900,
    "copies": [
      {"requests": 32, "lanes": 1024, "bytes": 4096, "useful-bytes": 2048,
       "lines": 256, "sectors": 512, "hits": 384, "pending-hits": 64,
       "dram-sectors": 48, "misses": 64},
      {"requests": 32, "lanes": 1024, "bytes": 4096, "useful-bytes": 2048,
       "lines": 256, "sectors": 512, "hits": 384, "pending-hits": 64,
       "dram-sectors": 48, "misses": 64}]})");
  ASSERT_TRUE(bool(ExpectedLoad)) << toString(ExpectedLoad.takeError());
  EXPECT_EQ(Accesses[0], *ExpectedLoad);
  EXPECT_EQ(*Accesses[1].getAsObject()->getArray("inlined-at"),
            json::Array({"a.cu:25:7"}));
}

TEST(ProfileJSON, HasCarveouts) {
  json::Value V = jsonOf(withCarveouts(12000000));
  json::Object &Kernel =
      *(*V.getAsObject()->getArray("kernels"))[0].getAsObject();
  auto Expected = json::parse(R"([{"nanoseconds": 10000000},
    {"percent": 21, "nanoseconds": 6000000},
    {"percent": 93, "nanoseconds": 12000000}])");
  ASSERT_TRUE(bool(Expected)) << toString(Expected.takeError());
  EXPECT_EQ(json::Value(json::Array(*Kernel.getArray("carveouts"))), *Expected);
  json::Array &Turns =
      *(*Kernel.getArray("loops"))[0].getAsObject()->getArray("turns");
  EXPECT_EQ(Turns[0].getAsObject()->get("carveouts"), nullptr);
  EXPECT_EQ(Turns[1].getAsObject()->getArray("carveouts")->size(), 2u);
}

TEST(ProfileJSON, OfUnknownsAndOfLargeCounts) {
  Profile P = fullProfile();
  P.Source = P.Kernels[0].Accesses[0].Id.Place.File = "\xff.cu"; // no UTF-8
  P.Kernels[0].Launches[0].Grid = {{std::nullopt, 2, 3}};
  P.Kernels[0].Blocks = ~0ull;
  json::Value V = jsonOf(P);
  const json::Object &Kernel =
      *(*V.getAsObject()->getArray("kernels"))[0].getAsObject();
  const json::Object &Launch = *(*Kernel.getArray("launches"))[0].getAsObject();
  EXPECT_EQ(*Launch.getArray("grid"), json::Array({nullptr, 2, 3}));
  EXPECT_EQ(Kernel.get("blocks")->getAsUINT64(), ~0ull);
}

} // namespace
