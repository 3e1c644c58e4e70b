// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The process that runs pieces of a tuner's work (pool/pool.py).

#ifndef SLUICE_TOOLS_SLUICE_WORKERPOOL_H
#define SLUICE_TOOLS_SLUICE_WORKERPOOL_H

#include "TuneProjectFile.h"
#include "llvm/Support/JSON.h"
#include <cstdio>
#include <functional>
#include <mutex>
#include <sys/types.h>

namespace sluice {

class WorkerPool {
public:
  WorkerPool() = default;
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;
  ~WorkerPool() { end(); }

  /// Starts python3 with the pool's text in \p Script, which is written.
  /// \p Engine: local, ray or slurm. Says how many workers of each kind there
  /// are, by name.
  llvm::Expected<std::map<std::string, unsigned>>
  start(const std::string &Script, llvm::StringRef Engine,
        llvm::ArrayRef<ProjectWorkers> Kinds);
  /// To be called by any thread. \p Limit is in seconds.
  void add(llvm::StringRef Piece, llvm::StringRef Folder, llvm::StringRef Kind,
           double Limit);
  /// The next event, as pool.py describes them; none: the pool has ended.
  std::optional<llvm::json::Object> next();
  /// Ends what runs. next() goes on until all has ended.
  void closeInput();
  /// Waits until it has ended.
  void end();

private:
  void send(llvm::json::Value Line);

  std::mutex InputLock;
  std::FILE *Input = nullptr, *Output = nullptr;
  pid_t Child = 0;
};

} // namespace sluice

#endif
