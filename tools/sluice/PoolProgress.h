// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lines that say what of a project is running where, in a pool of workers.

#ifndef SLUICE_TOOLS_SLUICE_POOLPROGRESS_H
#define SLUICE_TOOLS_SLUICE_POOLPROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace sluice {

/// Any thread may call it. A line at most every second, but for what went
/// wrong.
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

  const std::string Tool, Unit;
  std::mutex Lock;
  unsigned Known = 0, Done = 0, Failed = 0;
  std::map<std::string, std::string> Running; ///< Where, by piece.
  std::chrono::steady_clock::time_point Began, Said;
};

} // namespace sluice

#endif
