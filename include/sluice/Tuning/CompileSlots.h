// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The compiles of all searches share the cores: so many run at a time, and who
/// is next is said by the search that it is for.

#ifndef SLUICE_TUNING_COMPILESLOTS_H
#define SLUICE_TUNING_COMPILESLOTS_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sluice {

/// Of those that wait the greatest First is next; of equal ones the least
/// Order, then who came first.
struct CompileTurn {
  double First = 0;
  unsigned Order = 0;
};

struct CompileTask {
  std::string What; ///< For a timeline.
  std::function<llvm::Error()> Run;
};

class CompileSlots {
public:
  using Clock = std::chrono::steady_clock;
  /// Told of each task that is over, by several threads.
  using Watcher =
      std::function<void(unsigned Slot, const std::string &What,
                         Clock::time_point Began, Clock::time_point Ended)>;

  explicit CompileSlots(unsigned Count, Watcher Watch = {});
  CompileSlots(const CompileSlots &) = delete;
  CompileSlots &operator=(const CompileSlots &) = delete;
  ~CompileSlots();

  unsigned count() const { return unsigned(Threads.size()); }
  /// Tasks that have not begun.
  size_t waiting();

  /// Runs them side by side, as far as there are slots, and waits for all. The
  /// first error; what has not begun by then is left out. Not called by a task.
  llvm::Error run(CompileTurn Turn, std::vector<CompileTask> Tasks);

  /// What waits fails, and what will come.
  void stop();

private:
  /// The tasks of a call.
  struct Batch {
    std::vector<CompileTask> Tasks;
    size_t Left = 0;
    llvm::Error Problem = llvm::Error::success();
    std::condition_variable Done;
  };
  struct Place {
    double First;
    unsigned Order;
    uint64_t Number;
    bool operator<(const Place &Other) const;
  };
  using Waiting = std::pair<Batch *, size_t>;

  void work(unsigned Slot);
  void carryOut(Waiting Next, unsigned Slot,
                std::unique_lock<std::mutex> &Guard);
  /// With the lock released.
  llvm::Error carryOut(const CompileTask &Task, unsigned Slot,
                       std::unique_lock<std::mutex> &Guard);

  const Watcher Watch;
  std::mutex Lock; ///< For all below, and for the batches.
  std::condition_variable Changed;
  std::map<Place, Waiting> Queue;
  uint64_t Came = 0;
  bool IsStopped = false, IsOver = false;
  std::vector<std::thread> Threads;
};

} // namespace sluice

#endif
