// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How far long work is, for who waits for it: a bar on a terminal, a line now
/// and then in a log.

#ifndef SLUICE_EMULATOR_PROGRESS_H
#define SLUICE_EMULATOR_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace sluice {

/// "rows: [######--------------] 31 % of 1056 blocks, 12 s left". \p Seconds
/// have passed. With \p Width 0 there is no bar.
std::string describeProgress(llvm::StringRef What, uint64_t Done,
                             uint64_t Total, llvm::StringRef Unit,
                             double Seconds, unsigned Width);

/// ", 12 s left": if the rest takes as long as what is done. Empty: nothing is.
std::string timeLeft(uint64_t Done, uint64_t Total, double Seconds);

/// What stands in place of what a terminal's line has: nothing. ECMA-48, CR and
/// EL.
inline constexpr llvm::StringLiteral ClearLine = "\r\x1b[K";
/// Signs of a bar.
inline constexpr unsigned BarWidth = 20;

/// One piece of work. On a terminal, standard error has a bar from the second
/// second on, which goes away with this; elsewhere a line a minute, so that
/// what is short leaves nothing in a log.
class Progress {
public:
  Progress(std::string What, uint64_t Total, std::string Unit);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// \p Done of Total are. Thread-safe, and cheap where nothing is printed.
  void update(uint64_t Done);

private:
  using Clock = std::chrono::steady_clock;

  const std::string What, Unit;
  const uint64_t Total;
  const bool OnTerminal;
  const Clock::time_point Begin;
  /// When to print next, in Clock's ticks.
  std::atomic<Clock::rep> Next;
  std::mutex Lock;
  bool HasBar = false;
};

} // namespace sluice

#endif
