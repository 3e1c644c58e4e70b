// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What of a project is running where, in a pool of workers: a bar with the
/// time left on a terminal, lines in a log.

#ifndef SLUICE_TOOLS_SLUICE_POOLPROGRESS_H
#define SLUICE_TOOLS_SLUICE_POOLPROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace sluice {

/// Any thread may call it. The bar changes at most five times a second; in a
/// log there is a line at most every ten seconds, but for what went wrong.
class PoolProgress {
public:
  /// \p Tool: "sluice tune"; \p Unit: what the pool runs, "pieces".
  PoolProgress(llvm::StringRef Tool, llvm::StringRef Unit)
      : Tool(Tool), Unit(Unit) {}
  /// \p What: "4 searches".
  void begin(const std::string &What,
             const std::map<std::string, unsigned> &Workers);
  /// A piece waits for a worker.
  void add();
  /// An event of the pool (pool/pool.py).
  void take(llvm::StringRef Event, llvm::StringRef Piece, llvm::StringRef Where,
            llvm::StringRef Why);
  void end();

private:
  void say();
  /// Of what runs, some.
  std::string running() const;
  /// Where a message goes, on a line of its own.
  llvm::raw_ostream &message();

  const std::string Tool, Unit;
  const bool OnTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  std::mutex Lock;
  unsigned Known = 0, Done = 0, Failed = 0;
  bool IsOver = false;
  std::map<std::string, std::string> Running; ///< Where, by piece.
  std::chrono::steady_clock::time_point Began =
                                            std::chrono::steady_clock::now(),
                                        Said = Began;
};

} // namespace sluice

#endif
