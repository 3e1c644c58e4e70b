// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lines that say what of a project is running where.

#ifndef SLUICE_TOOLS_SLUICE_TUNEPROGRESS_H
#define SLUICE_TOOLS_SLUICE_TUNEPROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace sluice {

/// Any thread may call it. A line at most every second, but for what went
/// wrong.
class TuneProgress {
public:
  void begin(size_t Cases, const std::map<std::string, unsigned> &Workers);
  /// A piece waits for a worker.
  void add();
  /// An event of the pool (pool/pool.py).
  void take(llvm::StringRef Event, llvm::StringRef Piece, llvm::StringRef Where,
            llvm::StringRef Why);
  void end();

private:
  void say();

  std::mutex Lock;
  unsigned Known = 0, Done = 0, Failed = 0;
  std::map<std::string, std::string> Running; ///< Where, by piece.
  std::chrono::steady_clock::time_point Began, Said;
};

} // namespace sluice

#endif
