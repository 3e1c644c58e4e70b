// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The replays of one process: which launches are replayed, and the JSON lines
/// about them.

#ifndef SLUICE_TUNING_REPLAY_SESSION_H
#define SLUICE_TUNING_REPLAY_SESSION_H

#include "CudaDevice.h"
#include <chrono>
#include <fstream>
#include <set>

namespace sluice::replay {

class Session {
public:
  /// The session that the job in $SLUICE_REPLAY describes; null: there is none,
  /// or something is wrong with it, which has been said.
  static Session *get();

  void allocated(CUdeviceptr Address, size_t Bytes) {
    Allocations[Address] = Bytes;
  }
  void freed(CUdeviceptr Address) { Allocations.erase(Address); }
  /// Memory that cannot be put back was made: nothing is replayed from now on.
  void lose(const char *Why) { Lost = Why; }

  /// The program launches. Runs it, perhaps many times; the program's status.
  CUresult launch(const Launch &L);

private:
  /// What became of a kernel's launches.
  struct Count {
    unsigned Launches = 0;
    double Ms = 0; ///< Of those that were timed.
    unsigned Timed = 0;
    bool Reported = false; ///< Why it is not replayed was said.
  };

  Session(const Driver &CUDA, Job J);
  CUresult launchAndTime(const Launch &L);
  /// Writes the buffers that the job names.
  void dump(const Launch &L);
  void writeCounts();

  std::vector<size_t> candidatesFor(const Launch &L);
  CUresult runBase(const Launch &L, Count &Of);
  CUresult replay(const Launch &L, unsigned Ordinal,
                  const std::vector<size_t> &Candidates, Count &Of);
  /// Bytes of the allocations that the launch's arguments point into: what the
  /// kernel can reach, and at most what it must move once. 0: unknown.
  uint64_t argumentBytes(const Launch &L) const;
  void readEarlier();
  void writeDevice();
  void write(const std::string &Line);
  double secondsGone() const;

  const Driver &CUDA;
  Job TheJob;
  Images Code;
  std::map<CUdeviceptr, size_t> Allocations;
  std::map<std::string, Count> Counts;
  /// By the file of a dump: buffers written to it, in their order.
  std::map<std::string, std::vector<CUdeviceptr>> Dumped;
  std::set<std::string> Measured; ///< Keys of earlier runs of this job.
  std::set<std::string> Deadly; ///< Tried by an earlier run, which ended there.
  std::string Lost;
  std::ofstream Out;
  bool DeviceWritten = false;
  std::chrono::steady_clock::time_point Began =
      std::chrono::steady_clock::now();
};

} // namespace sluice::replay

#endif
