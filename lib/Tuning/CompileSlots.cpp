// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's thread pools are first come, first served.

#include "sluice/Tuning/CompileSlots.h"
#include <algorithm>
#include <tuple>
#ifdef __linux__
#include <sys/resource.h>
#endif

using namespace llvm;
using namespace sluice;

bool CompileSlots::Place::operator<(const Place &Other) const {
  return std::tuple(-First, Order, Number) <
         std::tuple(-Other.First, Other.Order, Other.Number);
}

CompileSlots::CompileSlots(unsigned Count, Watcher Watch)
    : Watch(std::move(Watch)) {
  for (unsigned Slot = 0; Slot < std::max(1u, Count); ++Slot)
    Threads.emplace_back([this, Slot] { work(Slot); });
}

CompileSlots::~CompileSlots() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    IsOver = true;
  }
  Changed.notify_all();
  for (std::thread &T : Threads)
    T.join();
}

Error CompileSlots::run(CompileTurn Turn, std::vector<CompileTask> Tasks) {
  if (Tasks.empty())
    return Error::success();
  Batch All;
  All.Tasks = std::move(Tasks);
  All.Left = All.Tasks.size();
  std::unique_lock<std::mutex> Guard(Lock);
  for (size_t I = 0; I < All.Tasks.size(); ++I)
    Queue[{Turn.First, Turn.Order, Came++}] = {&All, I};
  Changed.notify_all();
  All.Done.wait(Guard, [&] { return All.Left == 0; });
  return std::move(All.Problem);
}

size_t CompileSlots::waiting() {
  std::lock_guard<std::mutex> Guard(Lock);
  return Queue.size();
}

void CompileSlots::stop() {
  std::lock_guard<std::mutex> Guard(Lock);
  IsStopped = true;
}

/// Programs that are measured go before compiles. Of Linux a thread's own
/// niceness, which the compilers that it starts inherit.
static void giveWay() {
#ifdef __linux__
  setpriority(PRIO_PROCESS, /*this thread*/ 0, 5);
#endif
}

void CompileSlots::work(unsigned Slot) {
  giveWay();
  std::unique_lock<std::mutex> Guard(Lock);
  while (true) {
    Changed.wait(Guard, [&] { return IsOver || !Queue.empty(); });
    if (Queue.empty())
      return;
    Waiting Next = Queue.begin()->second;
    Queue.erase(Queue.begin());
    carryOut(Next, Slot, Guard);
  }
}

void CompileSlots::carryOut(Waiting Next, unsigned Slot,
                            std::unique_lock<std::mutex> &Guard) {
  Batch &Of = *Next.first;
  if (!Of.Problem) { // the others would fail for the same reason
    Error Problem = IsStopped ? createStringError("interrupted")
                              : carryOut(Of.Tasks[Next.second], Slot, Guard);
    if (Of.Problem)
      consumeError(std::move(Problem)); // another was faster
    else
      Of.Problem = std::move(Problem);
  }
  if (--Of.Left == 0)
    Of.Done.notify_one(); // under the lock: then the batch is gone
}

Error CompileSlots::carryOut(const CompileTask &Task, unsigned Slot,
                             std::unique_lock<std::mutex> &Guard) {
  Guard.unlock();
  const Clock::time_point Began = Clock::now();
  Error Problem = Task.Run();
  if (Watch)
    Watch(Slot, Task.What, Began, Clock::now());
  Guard.lock();
  return Problem;
}
