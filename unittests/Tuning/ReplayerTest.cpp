// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Replays of launches on a device that is host memory. The candidates are
/// lambdas, their times a script.

#include "Replayer.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <map>
#include <memory>

using namespace sluice::replay;

namespace {

using Words = std::vector<uint32_t>;

/// Every program here has three buffers: a kernel reads In, updates Out and
/// leaves Other alone.
struct Program {
  Words In = {1, 2, 3, 4, 5, 6, 7, 8};
  Words Out = {10, 20, 30, 40};
  Words Other = {7, 7};

  bool operator==(const Program &With) const {
    return In == With.In && Out == With.Out && Other == With.Other;
  }
};
void PrintTo(const Program &P, std::ostream *OS) {
  *OS << testing::PrintToString(P.In) << testing::PrintToString(P.Out)
      << testing::PrintToString(P.Other);
}

/// What every right candidate does. A second run on its own results would show.
void update(Program &P) {
  for (size_t I = 0; I < P.Out.size(); ++I)
    P.Out[I] = 2 * P.Out[I] + P.In[I];
}

struct Code {
  std::function<void(Program &)> Kernel = update;
  std::vector<double> Ms = {1}; ///< Of the timed runs in turn; the last stays.
  /// Of all runs in turn, checked ones too; empty: it ran.
  std::vector<std::string> Errors = {};
};

/// One call of launch(), and what the kernel found.
struct Seen {
  size_t Candidate;
  bool Cold;
  Program Found;
};

class FakeDevice : public Device {
public:
  explicit FakeDevice(std::vector<Code> Candidates)
      : Candidates(std::move(Candidates)), Runs(this->Candidates.size()),
        ColdRuns(this->Candidates.size()) {}

  std::vector<Buffer> buffers() override {
    auto Of = [](Words &W) {
      return Buffer{addressOf(W.data()), W.size() * 4};
    };
    return {Of(Memory.In), Of(Memory.Out), Of(Memory.Other)};
  }
  std::optional<uint64_t> allocate(size_t Bytes) override {
    if (Allocations++ == FailingAllocation)
      return std::nullopt;
    auto New = std::make_unique<char[]>(Bytes);
    uint64_t Address = addressOf(New.get());
    Live.emplace(Address, std::move(New));
    return Address;
  }
  void release(uint64_t Address) override {
    EXPECT_EQ(Live.erase(Address), 1u) << "not the replayer's";
  }
  void copy(uint64_t To, uint64_t From, size_t Bytes) override {
    std::copy_n(bytesAt(From), Bytes, bytesAt(To));
  }
  uint64_t differing(uint64_t A, uint64_t B, size_t Bytes) override {
    uint64_t Count = 0;
    for (size_t I = 0; I < Bytes; I += 4)
      Count += !std::equal(bytesAt(A + I), bytesAt(A + I + 4), bytesAt(B + I));
    return Count;
  }
  Run launch(size_t Candidate, bool Cold) override {
    Log.push_back({Candidate, Cold, Memory});
    Code &C = Candidates[Candidate];
    C.Kernel(Memory);
    size_t Number = Runs[Candidate]++;
    if (Number < C.Errors.size() && !C.Errors[Number].empty())
      return {0, C.Errors[Number], 999};
    size_t Time = Cold ? ColdRuns[Candidate]++ : 0;
    return {C.Ms[std::min(Time, C.Ms.size() - 1)], "", 0};
  }

  /// Candidates in the order of their timed runs.
  std::vector<size_t> timed() const {
    std::vector<size_t> Order;
    for (const Seen &S : Log)
      if (S.Cold)
        Order.push_back(S.Candidate);
    return Order;
  }

  Program Memory;
  std::vector<Seen> Log;
  size_t Allocations = 0;
  size_t FailingAllocation = SIZE_MAX;
  std::map<uint64_t, std::unique_ptr<char[]>> Live;

private:
  static uint64_t addressOf(void *Host) {
    return reinterpret_cast<uint64_t>(Host);
  }
  static char *bytesAt(uint64_t Address) {
    return reinterpret_cast<char *>(Address);
  }

  std::vector<Code> Candidates;
  std::vector<size_t> Runs, ColdRuns;
};

/// Replays a launch with all candidates; the first is the base.
Replay replay(FakeDevice &GPU, size_t Candidates, Settings How = {}) {
  std::vector<size_t> All(Candidates);
  for (size_t C = 0; C < Candidates; ++C)
    All[C] = C;
  Replay R = replayLaunch(GPU, All, 0, How, [](size_t) {});
  EXPECT_TRUE(GPU.Live.empty()) << "memory of the replayer's own was not freed";
  return R;
}

/// The program's memory after a launch that nobody replayed.
Program afterTheBase() {
  Program P;
  update(P);
  return P;
}

//===--------------------------------------------------------------------===//
// What the program sees
//===--------------------------------------------------------------------===//

TEST(Replayer, LeavesWhatOneRunOfTheBaseLeaves) {
  FakeDevice GPU({Code(), Code(), {[](Program &P) { P.Out[0] = 0; }}});
  Replay R = replay(GPU, 3);
  EXPECT_TRUE(R.BaseRan);
  EXPECT_EQ(R.BaseStatus, 0);
  EXPECT_EQ(R.Skipped, "");
  EXPECT_EQ(R.WrittenBytes, 16u);
  EXPECT_EQ(R.UnstableBytes, 0u);
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

TEST(Replayer, EveryRunFindsWhatTheLaunchFound) {
  FakeDevice GPU({Code(), Code(), Code()});
  replay(GPU, 3);
  // The base twice, three candidates checked, seven rounds of three.
  ASSERT_EQ(GPU.Log.size(), 2u + 3u + 21u);
  for (const Seen &S : GPU.Log)
    EXPECT_EQ(S.Found, Program()) << "candidate " << S.Candidate;
}

TEST(Replayer, ABaseThatDoesNotRunIsTheProgramsAffair) {
  FakeDevice GPU({{update, {1}, {"out of resources"}}, Code()});
  Replay R = replay(GPU, 2);
  EXPECT_EQ(R.Skipped, "the base did not run: out of resources");
  EXPECT_TRUE(R.BaseRan) << "not to be tried again";
  EXPECT_EQ(R.BaseStatus, 999);
  EXPECT_EQ(GPU.Log.size(), 1u);
  EXPECT_TRUE(R.Measurements.empty());
}

TEST(Replayer, WithoutMemoryNothingIsDone) {
  // Three copies of what was there, one of what the base wrote.
  for (size_t Failing = 0; Failing < 4; ++Failing) {
    FakeDevice GPU({Code(), Code()});
    GPU.FailingAllocation = Failing;
    Replay R = replay(GPU, 2);
    EXPECT_EQ(R.Skipped,
              Failing < 3
                  ? "not enough device memory to set the program's aside"
                  : "not enough device memory for the results");
    EXPECT_FALSE(R.BaseRan);
    EXPECT_EQ(GPU.Memory, Program()) << "allocation " << Failing;
    EXPECT_TRUE(R.Measurements.empty());
    EXPECT_EQ(GPU.timed(), std::vector<size_t>());
  }
  FakeDevice GPU({Code(), Code()});
  GPU.FailingAllocation = 4;
  EXPECT_EQ(replay(GPU, 2).Skipped, "") << "there are four allocations";
}

// The second buffer's copy is the one that fails: the first must go back too.
TEST(Replayer, WithoutMemoryForTheResultsAllGoesBack) {
  auto Both = [](Program &P) {
    P.In[3] = 0;
    P.Out[2] = 0;
  };
  FakeDevice GPU({{Both}, {Both}});
  GPU.FailingAllocation = 4;
  Replay R = replay(GPU, 2);
  EXPECT_EQ(R.Skipped, "not enough device memory for the results");
  EXPECT_FALSE(R.BaseRan);
  EXPECT_EQ(GPU.Memory, Program());
}

//===--------------------------------------------------------------------===//
// Candidates that are wrong
//===--------------------------------------------------------------------===//

TEST(Replayer, AWrongCandidateIsCountedAndNotTimed) {
  auto Wrong = [](Program &P) {
    update(P);
    P.Out[1] += 1;
    P.Out[3] ^= 1;
  };
  FakeDevice GPU({Code(), {Wrong}, Code()});
  Replay R = replay(GPU, 3);
  ASSERT_EQ(R.Measurements.size(), 3u);
  EXPECT_EQ(R.Measurements[0].WrongWords, 0u);
  EXPECT_EQ(R.Measurements[1].WrongWords, 2u);
  EXPECT_EQ(R.Measurements[2].WrongWords, 0u);
  EXPECT_TRUE(R.Measurements[1].Ms.empty());
  EXPECT_EQ(R.Measurements[2].Ms.size(), 7u);
  std::vector<size_t> Timed = GPU.timed();
  EXPECT_EQ(std::count(Timed.begin(), Timed.end(), 1u), 0);
}

TEST(Replayer, ACandidateThatDoesNothingIsWrong) {
  FakeDevice GPU({Code(), {[](Program &) {}}});
  EXPECT_EQ(replay(GPU, 2).Measurements[1].WrongWords, 4u);
}

TEST(Replayer, WhatOnlyACandidateWritesIsFoundAndPutBack) {
  auto Stray = [](Program &P) {
    update(P);
    P.Other[1] = 99;
    P.In[7] = 99;
  };
  FakeDevice GPU({Code(), {Stray}, Code()});
  Replay R = replay(GPU, 3);
  EXPECT_EQ(R.Measurements[1].WrongWords, 2u);
  EXPECT_TRUE(R.Measurements[1].Ms.empty());
  EXPECT_EQ(R.Measurements[2].WrongWords, 0u) << "another's mistake";
  for (const Seen &S : GPU.Log)
    EXPECT_EQ(S.Found, Program()) << "candidate " << S.Candidate;
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

// A race may be lost after the check.
TEST(Replayer, WhatACandidateWritesWhileItIsTimedIsPutBack) {
  unsigned Runs = 0;
  auto Late = [&](Program &P) {
    update(P);
    if (++Runs > 1)
      P.Other[0] = P.Out[0] = 99;
  };
  FakeDevice GPU({Code(), {Late}});
  Replay R = replay(GPU, 2);
  EXPECT_GT(Runs, 1u);
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

TEST(Replayer, ACandidateThatDoesNotRunSaysWhy) {
  FakeDevice GPU({Code(), {update, {1}, {"too many resources"}}, Code()});
  Replay R = replay(GPU, 3);
  EXPECT_EQ(R.Measurements[1].Error, "too many resources");
  EXPECT_EQ(R.Measurements[1].WrongWords, 0u) << "there is nothing to compare";
  EXPECT_TRUE(R.Measurements[1].Ms.empty());
  EXPECT_EQ(R.Measurements[2].Error, "");
  EXPECT_EQ(R.Measurements[2].Ms.size(), 7u);
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

TEST(Replayer, AnErrorHalfwayIsNotTheNextCandidatesMistake) {
  auto Stray = [](Program &P) { P.Other[0] = 99; };
  FakeDevice GPU({Code(), {Stray, {1}, {"stopped"}}, Code()});
  Replay R = replay(GPU, 3);
  EXPECT_EQ(R.Measurements[2].WrongWords, 0u);
  EXPECT_EQ(R.Measurements[2].Ms.size(), 7u);
}

TEST(Replayer, ACandidateThatFailsLaterKeepsItsTimes) {
  FakeDevice GPU({Code(), {update, {5, 6, 7}, {"", "", "", "stopped"}}});
  Replay R = replay(GPU, 2);
  EXPECT_EQ(R.Measurements[1].Error, "stopped");
  EXPECT_EQ(R.Measurements[1].Ms, (std::vector<double>{5, 6}));
  EXPECT_EQ(R.Measurements[0].Ms.size(), 7u);
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

//===--------------------------------------------------------------------===//
// A base that is different each time
//===--------------------------------------------------------------------===//

TEST(Replayer, AnUnstableBufferIsExcludedAndCounted) {
  uint32_t Clock = 100;
  auto Stamp = [&](Program &P) {
    update(P);
    P.Other[0] = Clock++;
  };
  auto StampAndWrong = [&](Program &P) {
    Stamp(P);
    P.Out[0] = 0;
  };
  FakeDevice GPU({{Stamp}, {Stamp}, {StampAndWrong}});
  Replay R = replay(GPU, 3);
  EXPECT_EQ(R.WrittenBytes, 16u + 8u);
  EXPECT_EQ(R.UnstableBytes, 8u);
  EXPECT_EQ(R.Measurements[0].WrongWords, 0u);
  EXPECT_EQ(R.Measurements[1].WrongWords, 0u);
  EXPECT_EQ(R.Measurements[2].WrongWords, 1u) << "the others still count";
  for (const Seen &S : GPU.Log)
    EXPECT_EQ(S.Found, Program()) << "it is rewound all the same";
  Program First = afterTheBase();
  First.Other[0] = 100;
  EXPECT_EQ(GPU.Memory, First) << "the first run is the program's";
}

// Its first run writes what was there already.
TEST(Replayer, ABufferThatOnlyALaterRunOfTheBaseChangesIsUnstable) {
  unsigned Runs = 0;
  auto Sometimes = [&](Program &P) {
    update(P);
    P.Other[0] += Runs++ % 2;
  };
  FakeDevice GPU({{Sometimes}, {Sometimes}});
  Replay R = replay(GPU, 2);
  EXPECT_EQ(R.UnstableBytes, 8u);
  EXPECT_EQ(R.WrittenBytes, 16u + 8u);
  EXPECT_EQ(R.Measurements[1].WrongWords, 0u);
  for (const Seen &S : GPU.Log)
    EXPECT_EQ(S.Found, Program()) << "candidate " << S.Candidate;
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

//===--------------------------------------------------------------------===//
// Times
//===--------------------------------------------------------------------===//

TEST(Replayer, TimesAreTheDevicesInTheirOrder) {
  FakeDevice GPU({{update, {3, 1, 2}}, {update, {9, 8, 7}}});
  Replay R = replay(GPU, 2, {/*Rounds=*/3, /*StopLosers=*/0});
  ASSERT_EQ(R.Measurements.size(), 2u);
  EXPECT_EQ(R.Measurements[0].Candidate, 0u);
  EXPECT_EQ(R.Measurements[0].Ms, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(R.Measurements[1].Candidate, 1u);
  EXPECT_EQ(R.Measurements[1].Ms, (std::vector<double>{9, 8, 7}));
}

TEST(Replayer, OnlyTimedRunsAreCold) {
  FakeDevice GPU({Code(), Code()});
  replay(GPU, 2, {/*Rounds=*/2, /*StopLosers=*/0});
  std::vector<bool> Cold;
  for (const Seen &S : GPU.Log)
    Cold.push_back(S.Cold);
  EXPECT_EQ(Cold, (std::vector<bool>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Replayer, TheOrderRotates) {
  FakeDevice GPU({Code(), Code(), Code()});
  replay(GPU, 3, {/*Rounds=*/4, /*StopLosers=*/0});
  EXPECT_EQ(GPU.timed(),
            (std::vector<size_t>{0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2}));
}

TEST(Replayer, LosersAreStoppedAfterThreeRoundsAndTheBaseNever) {
  FakeDevice GPU({{update, {10}},
                  {update, {1.0, 1.0, 1.1}},
                  {update, {1.3}},
                  {update, {1.5, 1.1}},
                  {update, {1.15}}});
  Replay R = replay(GPU, 5, {/*Rounds=*/7, /*StopLosers=*/20});
  const struct {
    size_t Times;
    bool Stopped;
    const char *Why;
  } Expected[] = {{7, false, "the base"},
                  {7, false, "the best"},
                  {3, true, "30 % over the best median"},
                  {7, false, "slow once only"},
                  {7, false, "not slow enough"}};
  for (size_t I = 0; I < 5; ++I) {
    EXPECT_EQ(R.Measurements[I].Ms.size(), Expected[I].Times)
        << Expected[I].Why;
    EXPECT_EQ(R.Measurements[I].Stopped, Expected[I].Stopped)
        << Expected[I].Why;
  }
}

TEST(Replayer, LosersAreKeptIfNobodyAsks) {
  FakeDevice GPU({{update, {1}}, {update, {100}}});
  Replay R = replay(GPU, 2);
  EXPECT_FALSE(R.Measurements[1].Stopped);
  EXPECT_EQ(R.Measurements[1].Ms.size(), 7u);
}

/// What other runs have found, and what this one tells.
class FakeBest : public SharedBest {
public:
  explicit FakeBest(double Known) : Known(Known) {}
  double known() override { return Known; }
  void tell(double OverBase) override { Told.push_back(OverBase); }

  double Known;
  std::vector<double> Told;
};

// A small piece gives up what a large one would.
TEST(Replayer, LosersAreStoppedByWhatAnotherRunHasFound) {
  FakeBest Best(0.5);
  FakeDevice GPU({{update, {10}}, {update, {8}}, {update, {5.2}}});
  Replay R = replay(GPU, 3, {/*Rounds=*/20, /*StopLosers=*/10, false, &Best});
  EXPECT_TRUE(R.Measurements[1].Stopped) << "the best here would be 5.2";
  EXPECT_EQ(R.Measurements[1].Ms.size(), 3u);
  EXPECT_FALSE(R.Measurements[2].Stopped);
  EXPECT_EQ(R.Measurements[2].Ms.size(), 20u);
  EXPECT_EQ(Best.Told, (std::vector<double>{0.52, 0.52}))
      << "after seven rounds, and at the end";
  // Seven, and rounds 8, 12 and 16.
  EXPECT_EQ(R.Measurements[0].Ms.size(), 10u);
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

TEST(Replayer, WhereAllHaveLostTheReplayIsOver) {
  FakeBest Best(0.5);
  FakeDevice GPU({{update, {10}}, {update, {8}}, {update, {7}}});
  Replay R = replay(GPU, 3, {/*Rounds=*/20, /*StopLosers=*/10, false, &Best});
  for (const Measurement &M : R.Measurements)
    EXPECT_EQ(M.Ms.size(), 3u);
  EXPECT_EQ(Best.Told, std::vector<double>());
  EXPECT_EQ(GPU.Memory, afterTheBase());
}

// Another GPU that is slower in all it does finds the same times over the base.
TEST(Replayer, WhatAnotherRunHasFoundIsOverTheBase) {
  FakeBest Best(0.5);
  FakeDevice GPU({{update, {20}}, {update, {10.5}}, {update, {12}}});
  Replay R = replay(GPU, 3, {/*Rounds=*/7, /*StopLosers=*/10, false, &Best});
  EXPECT_FALSE(R.Measurements[1].Stopped);
  EXPECT_TRUE(R.Measurements[2].Stopped);
}

TEST(Replayer, AloneTheBaseRunsInEveryRound) {
  FakeDevice GPU({{update, {10}}, {update, {8}}});
  Replay R = replay(GPU, 2, {/*Rounds=*/20, /*StopLosers=*/10});
  EXPECT_EQ(R.Measurements[0].Ms.size(), 20u);
}

// It is not told as a time to beat, and does not keep the replay going.
TEST(Replayer, AWrongCandidateIsNotToldOf) {
  FakeBest Best(1);
  FakeDevice GPU({{update, {10}}, {[](Program &) {}, {1}}, {update, {9}}});
  replay(GPU, 3, {/*Rounds=*/3, /*StopLosers=*/10, false, &Best});
  EXPECT_EQ(Best.Told, std::vector<double>{0.9});
}

TEST(Replayer, AWrongCandidateIsNotTheBest) {
  FakeDevice GPU({{update, {10}}, {[](Program &) {}, {1}}, {update, {9}}});
  Replay R = replay(GPU, 3, {/*Rounds=*/7, /*StopLosers=*/10});
  EXPECT_FALSE(R.Measurements[2].Stopped);
}

TEST(Replayer, TryingIsToldBeforeTheFirstRunOfEach) {
  FakeDevice GPU({Code(), Code(), Code()});
  std::vector<size_t> Tried;
  std::vector<size_t> RunsBefore;
  replayLaunch(GPU, {2, 0, 1}, /*Base=*/0, Settings(), [&](size_t C) {
    Tried.push_back(C);
    RunsBefore.push_back(GPU.Log.size());
  });
  EXPECT_EQ(Tried, (std::vector<size_t>{2, 0, 1}));
  EXPECT_EQ(RunsBefore, (std::vector<size_t>{2, 3, 4}))
      << "after two runs of the base";
  for (size_t I = 0; I < 3; ++I)
    EXPECT_EQ(GPU.Log[RunsBefore[I]].Candidate, Tried[I]);
}

//===--------------------------------------------------------------------===//
// Which launches
//===--------------------------------------------------------------------===//

TEST(Replayer, LaunchesThatAreReplayed) {
  const struct {
    unsigned Most;
    std::vector<unsigned> Ordinals; ///< Of the first 40.
  } Cases[] = {
      {0, {}},
      {1, {0}},
      {2, {0, 1}},
      {4, {0, 1, 3, 7}},
      {6, {0, 1, 3, 7, 15, 31}},
      {1000000, {0, 1, 3, 7, 15, 31}},
  };
  for (const auto &C : Cases) {
    std::vector<unsigned> Replayed;
    for (unsigned Ordinal = 0; Ordinal < 40; ++Ordinal)
      if (isReplayed(Ordinal, C.Most))
        Replayed.push_back(Ordinal);
    EXPECT_EQ(Replayed, C.Ordinals) << "of " << C.Most;
  }
  EXPECT_TRUE(isReplayed(UINT32_MAX, 1000000));
  EXPECT_FALSE(isReplayed(UINT32_MAX, 32));
  EXPECT_FALSE(isReplayed(UINT32_MAX - 1, 1000000));
}

} // namespace
