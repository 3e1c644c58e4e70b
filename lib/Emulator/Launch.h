// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// One launch: its blocks, spread over the CPU's cores, and the scheduling of
/// their warps.
///
/// A core works on one block at a time, and its warps take turns only where
/// they must: at barriers, at warp operations that name lanes which are
/// elsewhere, and when a warp has made many atomic or volatile accesses and may
/// be waiting for another. If all warps of a block wait so, the core starts
/// another block beside it, up to what the GPU would keep resident. So code
/// that is legal under independent thread scheduling gets on, and what cannot
/// is a deadlock.

#ifndef SLUICE_LIB_EMULATOR_LAUNCH_H
#define SLUICE_LIB_EMULATOR_LAUNCH_H

#include "Program.h"
#include "Report.h"
#include "sluice/Emulator/Observer.h"
#include "sluice/Emulator/Progress.h"
#include <atomic>

namespace sluice::emulator {

/// What a core has for itself.
struct Worker {
  std::vector<Site> Sites;
  std::vector<std::unique_ptr<BlockState>> FreeBlocks;
  std::vector<std::unique_ptr<Context>> FreeContexts;
  uint64_t LaneInstructions = 0;
  unsigned Index = 0;
};

class LaunchRun {
public:
  struct Environment {
    DeviceMemory *Memory;
    Reporter *Reports;
    const EmulatorOptions *Options;
    const GPUModel *GPU;
    const Program *Code;
    const Function *Kernel;
    LoadedKernel *Facts;
    LaunchShape Shape;
    uint64_t SharedBytes; ///< Static and dynamic, without what is reserved.
    uint64_t Parameters;  ///< Device address of the parameter buffer.
    std::vector<AddressRange> ReadOnly; ///< See Observer::launch.
    uint64_t GridWorkspace;
    uint64_t Number;         ///< Of this launch.
    unsigned BlocksResident; ///< On the whole GPU.
    HostPlace Where;
    llvm::ArrayRef<Observer *> Observers;
  };

  explicit LaunchRun(Environment E) : E(std::move(E)) {}
  LaunchStatus run();

  /// Ends the launch as soon as every warp has noticed.
  void stop(LaunchStatus Why);
  /// An error that hardware has too: the launch goes on, to find more.
  void fail(LaunchStatus Why);
  bool stopping() const { return Stop.load(std::memory_order_relaxed); }
  uint64_t laneInstructions() const { return Total; }

  const Environment E;

private:
  void work(Worker &W);
  std::unique_ptr<BlockState> startBlock(Worker &W, uint64_t Number);
  void finishBlock(Worker &W, std::unique_ptr<BlockState> B);
  enum class Turn { Finished, Stuck };
  Turn runBlock(BlockState &B);
  void reportDeadlock(BlockState &B);

  Progress *Bar = nullptr; ///< Of this run, while it lasts.
  std::atomic<uint64_t> NextBlock{0};
  std::atomic<uint64_t> BlocksDone{0};
  std::atomic<bool> Stop{false};
  std::atomic<int> Status{int(LaunchStatus::Success)};
  std::atomic<uint64_t> Total{0};
  std::atomic<uint64_t> Spent{0}; ///< Counted against the limit.
  unsigned NumWorkers = 1;
};

Context *newContext(Worker &W, BlockState &B, WarpState &Warp);
/// Lets lanes that wait at a warp operation go on where all have come.
bool releaseWarp(WarpState &Warp);
/// Lets threads go on from barriers that are complete.
bool releaseBarriers(BlockState &B);
/// Makes contexts of a warp that stand at the same place one again.
void mergeContexts(WarpState &Warp);

} // namespace sluice::emulator

#endif
