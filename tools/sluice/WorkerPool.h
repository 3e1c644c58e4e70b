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

/// A folder that a worker is to run.
struct PoolPiece {
  std::string Name, Folder, Kind;
  double Limit = 0; ///< Seconds.
  double First = 0; ///< Of those that wait, that with the largest goes first.
  /// What the runs of several pieces tell each other, for workers that see no
  /// other folder than theirs: there it is FOLDER/best. Empty: nothing.
  std::string Best;
};

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
  /// To be called by any thread.
  void add(const PoolPiece &Piece);
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
