// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Who waits for whom in `sluice tune --project`: what each worker and each
/// compile slot does, and where searches and their pieces are.

#ifndef SLUICE_TOOLS_SLUICE_TUNETIMELINE_H
#define SLUICE_TOOLS_SLUICE_TUNETIMELINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sluice {

/// Any thread may call it.
class TuneTimeline {
public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// CompileSlots::Watcher.
  void compiled(unsigned Slot, const std::string &What, Time Began, Time Ended);
  /// A search did \p What since \p Began.
  void searched(llvm::StringRef Search, llvm::StringRef What, Time Began);
  /// A piece is with the pool; what it needs was compiled since \p Asked.
  void sent(llvm::StringRef Piece, Time Asked);
  /// An event of the pool (pool/pool.py).
  void take(llvm::StringRef Event, llvm::StringRef Piece,
            llvm::StringRef Where);

  /// Writes Chrome's trace events. How much of the time since \p Began each
  /// worker was busy, and the \p Slots slots together.
  llvm::Expected<std::string> write(const std::string &File, Time Began,
                                    unsigned Slots);

private:
  /// Chrome shows the lanes of a group together.
  enum Group { Workers, Compiles, Searches, Pieces };
  struct Span {
    Group In;
    std::string Lane, What;
    Time Began, Ended;
  };
  /// Where a piece is.
  struct Place {
    Time Since;
    std::string Where; ///< Empty: it waits for a worker.
  };

  std::mutex Lock; ///< For all below.
  std::vector<Span> Spans;
  std::map<std::string, Place> Places;
};

} // namespace sluice

#endif
