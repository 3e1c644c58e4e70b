// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A project's pool of workers: how much is not over, who reads the pool's
/// events, and who waits until all is over.

#ifndef SLUICE_TOOLS_SLUICE_PROJECTPOOL_H
#define SLUICE_TOOLS_SLUICE_PROJECTPOOL_H

#include "PoolProgress.h"
#include "WorkerPool.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <thread>

namespace sluice {

class ProjectPool {
public:
  /// \p Interrupted: the user has ended it. See PoolProgress for the others.
  ProjectPool(llvm::StringRef Tool, llvm::StringRef Unit,
              std::atomic<bool> &Interrupted)
      : Tool(Tool), Interrupted(Interrupted), Progress(Tool, Unit) {}

  /// WorkerPool::start. An error too where a kind has no workers.
  llvm::Error start(const std::string &Script, llvm::StringRef Engine,
                    llvm::ArrayRef<ProjectWorkers> Kinds);
  /// Workers by kind.
  const std::map<std::string, unsigned> &workers() const { return Counts; }
  PoolProgress &progress() { return Progress; }

  /// Something to wait for is open, or over. Any thread may call them.
  void open(size_t Number = 1);
  void over(size_t Number = 1);
  /// WorkerPool::add.
  void add(const PoolPiece &Piece) { Pool.add(Piece); }

  /// A piece is back; \p Why it failed, or "".
  using TakeBack = std::function<void(const std::string &Piece,
                                      const std::string &Why, double Seconds)>;
  /// Told of all that the pool says of a piece.
  using Watcher = std::function<void(
      llvm::StringRef Event, llvm::StringRef Piece, llvm::StringRef Where)>;
  /// From now on pieces are taken back, in a thread of its own. \p What: "4
  /// searches".
  void run(const std::string &What, TakeBack Take, Watcher Watch = {});
  /// Until nothing is open, the user has ended it or the pool has come to its
  /// end, after which Interrupted is set too. What runs is ended, and taken
  /// back.
  void wait();
  /// Waits until the process has ended.
  void end();

private:
  void readEvents(const TakeBack &Take, const Watcher &Watch);

  const std::string Tool;
  std::atomic<bool> &Interrupted;
  std::map<std::string, unsigned> Counts;
  WorkerPool Pool;
  PoolProgress Progress;
  std::thread Reader;

  std::mutex Lock; ///< For what is below.
  std::condition_variable Changed;
  size_t Open = 0;
  bool HasEnded = false;
};

} // namespace sluice

#endif
