// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/CompileSlots.h"
#include "gtest/gtest.h"
#include <atomic>

using namespace llvm;
using namespace sluice;

namespace {

using Clock = std::chrono::steady_clock;

/// Waits for what other threads do: soon, unless they never will.
template <typename Condition> bool becomes(Condition Is) {
  const auto End = Clock::now() + std::chrono::seconds(60);
  while (!Is() && Clock::now() < End)
    std::this_thread::yield();
  return Is();
}

/// A slot that is taken, and calls that come meanwhile.
class TakenSlot {
public:
  CompileSlots Slots{1};
  std::string Said; ///< By the tasks.

  TakenSlot() {
    Calls.emplace_back([this] {
      cantFail(Slots.run({1e9, 0}, {{"", [this] {
                                       IsTaken = true;
                                       becomes(
                                           [this] { return IsFree.load(); });
                                       return Error::success();
                                     }}}));
    });
    EXPECT_TRUE(becomes([this] { return IsTaken.load(); }));
  }

  /// Two tasks that say \p Word, and fail if they are to.
  void call(CompileTurn Turn, const std::string &Word, bool Fails = false) {
    auto Say = [this, Word, Fails] {
      Said += Word + " ";
      return Fails ? createStringError(Word) : Error::success();
    };
    const size_t Before = Slots.waiting();
    Calls.emplace_back([this, Turn, Word, Say] {
      const std::string Why =
          toString(Slots.run(Turn, {{Word, Say}, {Word, Say}}));
      std::lock_guard<std::mutex> Guard(Lock);
      Problems += Why;
    });
    EXPECT_TRUE(becomes([&] { return Slots.waiting() == Before + 2; }));
  }

  /// What failed.
  std::string go() {
    IsFree = true;
    for (std::thread &T : Calls)
      T.join();
    return Problems;
  }

private:
  std::atomic<bool> IsTaken = false, IsFree = false;
  std::mutex Lock;
  std::string Problems; ///< Of the calls.
  std::vector<std::thread> Calls;
};

// The longest search first and its pieces in their order, whoever came first.
TEST(CompileSlots, TheGreatestIsFirst) {
  TakenSlot Taken;
  Taken.call({-1, 0}, "prepare");
  Taken.call({5, 1}, "short");
  Taken.call({20, 3}, "long#3");
  Taken.call({20, 1}, "long#1");
  Taken.call({8, 0}, "middle");
  EXPECT_EQ(Taken.go(), "");
  EXPECT_EQ(Taken.Said, "long#1 long#1 long#3 long#3 middle middle short short "
                        "prepare prepare ");
}

// Each of the tasks waits until all have begun.
TEST(CompileSlots, TheyAreCarriedOutSideBySide) {
  CompileSlots Slots(3);
  std::atomic<unsigned> Begun = 0;
  auto Meet = [&] {
    ++Begun;
    return becomes([&] { return Begun == 3; }) ? Error::success()
                                               : createStringError("alone");
  };
  EXPECT_EQ(toString(Slots.run({}, {{"", Meet}, {"", Meet}, {"", Meet}})), "");
}

TEST(CompileSlots, WhatFailsLeavesOutTheRestOfItsCall) {
  TakenSlot Taken;
  Taken.call({2, 0}, "bad", /*Fails=*/true);
  Taken.call({1, 0}, "good");
  EXPECT_EQ(Taken.go(), "bad");
  EXPECT_EQ(Taken.Said, "bad good good ");
}

TEST(CompileSlots, NothingBeginsAfterTheEnd) {
  TakenSlot Taken;
  Taken.call({}, "late");
  Taken.Slots.stop();
  EXPECT_EQ(Taken.go(), "interrupted");
  EXPECT_EQ(Taken.Said, "");
}

TEST(CompileSlots, TellsWhatWasWhere) {
  std::string Said;
  CompileSlots Slots(1, [&](unsigned Slot, const std::string &What,
                            Clock::time_point Began, Clock::time_point Ended) {
    EXPECT_LE(Began, Ended);
    Said += What + " in " + std::to_string(Slot) + "; ";
  });
  auto Nothing = [] { return Error::success(); };
  cantFail(Slots.run({}, {{"a", Nothing}, {"b", Nothing}}));
  cantFail(Slots.run({}, {}));
  EXPECT_EQ(Said, "a in 0; b in 0; ");
}

} // namespace
