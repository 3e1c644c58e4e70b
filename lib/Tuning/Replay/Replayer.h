// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Measures every candidate for a kernel at one launch of a running program.
///
/// The memory that the launch may touch is set aside, the base candidate runs,
/// and what changed is what the kernel writes. Each candidate then runs from
/// the same memory and must leave the same bytes; then they are timed in turns,
/// in an order that rotates, each with the L2 emptied before. At the end memory
/// is as the base left it and the program goes on as if nothing had been.

#ifndef SLUICE_TUNING_REPLAY_REPLAYER_H
#define SLUICE_TUNING_REPLAY_REPLAYER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::replay {

/// A range of device memory.
struct Buffer {
  uint64_t Address = 0;
  size_t Bytes = 0;
};

/// One timed run of a candidate.
struct Run {
  double Ms = 0;
  std::string Error; ///< Empty: it ran.
  int Status = 0;    ///< The driver's, for the program; 0: it ran.
};

/// The GPU as the replayer sees it. Nothing is asynchronous.
class Device {
public:
  virtual ~Device() = default;
  /// All memory that a kernel of the program can reach.
  virtual std::vector<Buffer> buffers() = 0;
  /// Memory of the replayer's own; none: there is not enough.
  virtual std::optional<uint64_t> allocate(size_t Bytes) = 0;
  virtual void release(uint64_t Address) = 0;
  virtual void copy(uint64_t To, uint64_t From, size_t Bytes) = 0;
  /// Number of 4-byte words in which the two differ.
  virtual uint64_t differing(uint64_t A, uint64_t B, size_t Bytes) = 0;
  /// \p Cold: with nothing useful in the caches.
  virtual Run launch(size_t Candidate, bool Cold) = 0;
};

/// The best time so far of a launch, which several runs share: each measures
/// some of the candidates, perhaps on a GPU of its own. Times are a candidate's
/// over the base's beside it, as GPUs of one chip differ a little.
class SharedBest {
public:
  virtual ~SharedBest() = default;
  /// 1: nobody has found a better one than the base.
  virtual double known() = 0;
  virtual void tell(double OverBase) = 0;
};

struct Settings {
  unsigned Rounds = 7;
  double StopLosers = 0; ///< Per cent over the best; 0: measure all to the end.
  /// Time also candidates with other results: two compilers may round
  /// differently, and the program's own check decides.
  bool TimeWrong = false;
  /// Losers are stopped by it too, and when all are the replay is over. The
  /// base is then there to compare with only, and later runs less often. Null:
  /// what is measured here is all there is.
  SharedBest *Best = nullptr;
};

struct Measurement {
  size_t Candidate = 0;
  std::vector<double> Ms;
  uint64_t WrongWords = 0; ///< Words that are not as the base left them.
  std::string Error;       ///< Why it did not run.
  bool Stopped = false;    ///< A loser, given up early.
};

struct Replay {
  std::string Skipped; ///< Why nothing was measured; empty: it was.
  /// The program's launch is done. If not, memory is as it was before.
  bool BaseRan = false;
  int BaseStatus = 0;        ///< Of the base's run, if that failed.
  uint64_t WrittenBytes = 0; ///< Of buffers in which the base changed a word.
  uint64_t UnstableBytes =
      0; ///< Of those, what two runs of the base differ in.
  std::vector<Measurement> Measurements; ///< In the order of the candidates.
};

/// Replays one launch. \p Trying is told of each candidate just before its
/// first run, in case that run never ends; \p AllTried, when each has come
/// through that.
Replay replayLaunch(
    Device &GPU, const std::vector<size_t> &Candidates, size_t Base,
    const Settings &How, const std::function<void(size_t)> &Trying,
    const std::function<void()> &AllTried = [] {});

/// Whether launch number \p Ordinal (from 0) of a kernel is one of the \p Most
/// that are replayed: 0, 1, 3, 7, 15, ..., so that a kernel whose launches
/// differ is seen early and late.
bool isReplayed(unsigned Ordinal, unsigned Most);

} // namespace sluice::replay

#endif
