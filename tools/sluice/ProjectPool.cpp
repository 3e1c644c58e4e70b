// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProjectPool.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace sluice;

Error ProjectPool::start(const std::string &Script, StringRef Engine,
                         ArrayRef<ProjectWorkers> Kinds) {
  auto Found = Pool.start(Script, Engine, Kinds);
  if (!Found)
    return Found.takeError();
  Counts = std::move(*Found);
  for (const auto &[Kind, Count] : Counts)
    if (Count == 0)
      return createStringError("there are no workers of '" + Kind + "'");
  return Error::success();
}

void ProjectPool::open(size_t Number) {
  std::lock_guard<std::mutex> Guard(Lock);
  Open += Number;
}

void ProjectPool::over(size_t Number) {
  std::lock_guard<std::mutex> Guard(Lock);
  Open -= Number;
  Changed.notify_all();
}

void ProjectPool::run(const std::string &What, TakeBack Take, Watcher Watch) {
  Progress.begin(What, Counts);
  Reader = std::thread([this, Take = std::move(Take),
                        Watch = std::move(Watch)] { readEvents(Take, Watch); });
}

void ProjectPool::readEvents(const TakeBack &Take, const Watcher &Watch) {
  while (std::optional<json::Object> Event = Pool.next()) {
    const std::string Kind = Event->getString("event").value_or("").str();
    const std::string Name = Event->getString("piece").value_or("").str();
    const std::string Why = Event->getString("why").value_or("").str();
    const StringRef Where = Event->getString("where").value_or("");
    Progress.take(Kind, Name, Where, Why);
    if (Watch)
      Watch(Kind, Name, Where);
    if (Kind == "ended" || Kind == "failed")
      Take(Name, Why, Event->getNumber("seconds").value_or(0));
  }
  std::lock_guard<std::mutex> Guard(Lock);
  HasEnded = true;
  Changed.notify_all();
}

void ProjectPool::wait() {
  {
    std::unique_lock<std::mutex> Guard(Lock);
    while (Open != 0 && !HasEnded && !Interrupted)
      Changed.wait_for(Guard, std::chrono::milliseconds(200));
    if (Open != 0 && !Interrupted.exchange(true))
      errs() << Tool << ": error: the process with the workers has ended\n";
  }
  Pool.closeInput();
  Reader.join();
}

void ProjectPool::end() {
  Pool.end();
  Progress.end();
}
