// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No CUDA in here: a Device does what needs a GPU, and a test has one without.

#include "Replayer.h"
#include <algorithm>

using namespace sluice::replay;

bool sluice::replay::isReplayed(unsigned Ordinal, unsigned Most) {
  unsigned Number = 0;
  for (uint64_t At = 0; Number < Most; At = 2 * At + 1, ++Number)
    if (At == Ordinal)
      return true;
    else if (At > Ordinal)
      return false;
  return false;
}

namespace {

/// A buffer of the program and its copies.
struct Saved {
  Buffer Of;
  std::optional<uint64_t> Before;   ///< As the launch found it.
  std::optional<uint64_t> Expected; ///< As the base left it, if it wrote to it.
  bool Unstable = false;            ///< The base leaves it different each time.
};

/// The program's memory around one launch.
class Memory {
public:
  explicit Memory(Device &GPU) : GPU(GPU) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() {
    for (Saved &S : All) {
      drop(S.Before);
      drop(S.Expected);
    }
  }

  /// False: there is not enough memory.
  bool save() {
    for (const Buffer &B : GPU.buffers()) {
      All.push_back({B, GPU.allocate(B.Bytes), std::nullopt});
      if (!All.back().Before)
        return false;
      GPU.copy(*All.back().Before, B.Address, B.Bytes);
    }
    return true;
  }

  /// After the base has run: finds what it wrote and keeps it. On false there
  /// is not enough memory, and all is as it was before the launch.
  bool keepWritten() {
    for (Saved &S : All) {
      if (!changed(S, *S.Before))
        continue;
      S.Expected = GPU.allocate(S.Of.Bytes);
      if (!S.Expected) {
        for (Saved &Other : All)
          GPU.copy(Other.Of.Address, *Other.Before, Other.Of.Bytes);
        return false;
      }
      GPU.copy(*S.Expected, S.Of.Address, S.Of.Bytes);
    }
    return true;
  }

  /// After the base has run once more, which may have written to what it had
  /// left alone the first time.
  void findUnstable() {
    for (Saved &S : All)
      S.Unstable = changed(S, asTheBaseLeft(S));
  }

  /// Words that are not as they should be after a candidate; what a candidate
  /// should not have touched is put back.
  uint64_t wrongWords() {
    uint64_t Sum = 0;
    for (Saved &S : All) {
      if (S.Unstable)
        continue;
      uint64_t Words =
          GPU.differing(S.Of.Address, asTheBaseLeft(S), S.Of.Bytes);
      Sum += Words;
      if (Words && !S.Expected)
        GPU.copy(S.Of.Address, *S.Before, S.Of.Bytes);
    }
    return Sum;
  }

  /// As the launch found it.
  void rewind() {
    for (Saved &S : All)
      if (isWritten(S))
        GPU.copy(S.Of.Address, *S.Before, S.Of.Bytes);
  }
  /// As the base left it. Also where it did not write: a candidate that was
  /// right when it was checked may have gone astray in a later run.
  void finish() {
    for (Saved &S : All)
      if (S.Expected || changed(S, *S.Before))
        GPU.copy(S.Of.Address, asTheBaseLeft(S), S.Of.Bytes);
  }

  uint64_t writtenBytes() const {
    uint64_t Sum = 0;
    for (const Saved &S : All)
      Sum += isWritten(S) ? S.Of.Bytes : 0;
    return Sum;
  }
  uint64_t unstableBytes() const {
    uint64_t Sum = 0;
    for (const Saved &S : All)
      Sum += S.Unstable ? S.Of.Bytes : 0;
    return Sum;
  }

private:
  /// By some run of the base.
  static bool isWritten(const Saved &S) { return S.Expected || S.Unstable; }
  static uint64_t asTheBaseLeft(const Saved &S) {
    return S.Expected ? *S.Expected : *S.Before;
  }
  bool changed(const Saved &S, uint64_t Copy) {
    return GPU.differing(S.Of.Address, Copy, S.Of.Bytes) != 0;
  }
  void drop(std::optional<uint64_t> Copy) {
    if (Copy)
      GPU.release(*Copy);
  }

  Device &GPU;
  std::vector<Saved> All;
};

double median(std::vector<double> Values) {
  auto Middle = Values.begin() + static_cast<ptrdiff_t>(Values.size() / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  return *Middle;
}

bool isAlive(const Measurement &M, const Settings &How) {
  bool Right = M.WrongWords == 0 || How.TimeWrong;
  return M.Error.empty() && Right && !M.Stopped;
}

const Measurement *find(const std::vector<Measurement> &All, size_t Candidate) {
  auto At = std::find_if(All.begin(), All.end(), [&](const Measurement &M) {
    return M.Candidate == Candidate;
  });
  return At == All.end() ? nullptr : &*At;
}

/// The least median; 0: none is alive.
double bestMedian(const std::vector<Measurement> &All, const Settings &How) {
  double Best = 0;
  for (const Measurement &M : All)
    if (isAlive(M, How) && (Best == 0 || median(M.Ms) < Best))
      Best = median(M.Ms);
  return Best;
}

/// The base's median; 0: it does not run any more.
double baseMedian(const std::vector<Measurement> &All, size_t Base,
                  const Settings &How) {
  const Measurement *M = find(All, Base);
  return M && isAlive(*M, How) ? median(M->Ms) : 0;
}

/// A candidate whose best time is beyond the best median is out: its median can
/// only be worse. The base stays: all others are compared with it.
void stopLosers(std::vector<Measurement> &All, size_t Base,
                const Settings &How) {
  double Best = bestMedian(All, How);
  if (How.Best)
    if (const double OfBase = baseMedian(All, Base, How); OfBase > 0)
      Best = std::min(Best, How.Best->known() * OfBase);
  for (Measurement &M : All)
    if (isAlive(M, How) && M.Candidate != Base &&
        *std::min_element(M.Ms.begin(), M.Ms.end()) >
            Best * (1 + How.StopLosers / 100))
      M.Stopped = true;
}

constexpr unsigned RoundsBeforeStopping = 3;
/// So few times are no surprise that others should be stopped by.
constexpr unsigned RoundsBeforeTelling = 7;
/// In how many rounds the base runs once after that, where its time is not what
/// is asked.
constexpr unsigned RoundsOfOneBase = 4;

bool hasTurn(const Measurement &M, unsigned Round, size_t Base,
             const Settings &How) {
  const bool IsSpared = How.Best && M.Candidate == Base &&
                        Round >= RoundsBeforeTelling &&
                        Round % RoundsOfOneBase != 0;
  return isAlive(M, How) && !IsSpared;
}

void tellBest(const std::vector<Measurement> &All, size_t Base,
              const Settings &How) {
  const double OfBase = baseMedian(All, Base, How);
  if (OfBase > 0)
    How.Best->tell(bestMedian(All, How) / OfBase);
}

/// Times what is alive, in turns.
void timeAll(Device &GPU, Memory &Around, std::vector<Measurement> &All,
             size_t Base, const Settings &How) {
  for (unsigned Round = 0; Round < How.Rounds; ++Round) {
    const bool IsLast = Round + 1 == How.Rounds;
    for (size_t Turn = 0; Turn < All.size(); ++Turn) {
      Measurement &M = All[(Turn + Round) % All.size()];
      if (!hasTurn(M, Round, Base, How))
        continue;
      Around.rewind();
      Run R = GPU.launch(M.Candidate, true);
      M.Error = R.Error;
      if (R.Error.empty())
        M.Ms.push_back(R.Ms);
      // Once more: a race may have gone well the first time.
      if (IsLast && R.Error.empty())
        M.WrongWords = Around.wrongWords();
    }
    if (How.StopLosers > 0 && Round + 1 >= RoundsBeforeStopping)
      stopLosers(All, Base, How);
    if (!How.Best)
      continue;
    if (IsLast || Round + 1 == RoundsBeforeTelling)
      tellBest(All, Base, How);
    if (std::none_of(All.begin(), All.end(), [&](const Measurement &M) {
          return M.Candidate != Base && isAlive(M, How);
        }))
      return;
  }
}

} // namespace

Replay sluice::replay::replayLaunch(Device &GPU,
                                    const std::vector<size_t> &Candidates,
                                    size_t Base, const Settings &How,
                                    const std::function<void(size_t)> &Trying,
                                    const std::function<void()> &AllTried) {
  Replay Result;
  Memory Around(GPU);
  if (!Around.save()) {
    Result.Skipped = "not enough device memory to set the program's aside";
    return Result;
  }
  Run First = GPU.launch(Base, false);
  if (!First.Error.empty()) {
    Result.BaseRan = true;
    Result.BaseStatus = First.Status;
    Result.Skipped = "the base did not run: " + First.Error;
    return Result;
  }
  if (!Around.keepWritten()) {
    Result.Skipped = "not enough device memory for the results";
    return Result;
  }
  Around.rewind();
  GPU.launch(Base, false);
  Around.findUnstable();
  Result.WrittenBytes = Around.writtenBytes();
  Result.UnstableBytes = Around.unstableBytes();

  for (size_t Candidate : Candidates) {
    Measurement M;
    M.Candidate = Candidate;
    Trying(Candidate);
    Around.rewind();
    M.Error = GPU.launch(Candidate, false).Error;
    // Also after an error, so that the next does not find what this one wrote.
    uint64_t WrongWords = Around.wrongWords();
    if (M.Error.empty())
      M.WrongWords = WrongWords;
    Result.Measurements.push_back(M);
  }

  AllTried();

  timeAll(GPU, Around, Result.Measurements, Base, How);
  Around.finish();
  Result.BaseRan = true;
  return Result;
}
