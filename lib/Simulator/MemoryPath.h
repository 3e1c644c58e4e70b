// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The way of one SM's misses and stores to the L2 and to DRAM: servers with
/// rates of this SM's share of the chip. benchmarks/micro/loaded.cu measured
/// them (docs/internals/gpu-model.md, "Under load").

#ifndef SLUICE_LIB_SIMULATOR_MEMORYPATH_H
#define SLUICE_LIB_SIMULATOR_MEMORYPATH_H

#include "L1Cache.h"
#include "sluice/Simulator/Simulator.h"
#include <vector>

namespace sluice {

/// Serves one request after another, each for some cycles.
class Server {
public:
  /// When what comes at \p Now is begun, if it takes \p Cycles.
  double serve(double Now, double Cycles) {
    double Start = std::max(Now, Free);
    Free = Start + Cycles;
    Busy += Cycles;
    return Start;
  }
  double Free = 0;
  double Busy = 0;
};

class MemoryPath {
public:
  MemoryPath(const LaunchTrace &Trace, const SimulationOptions &Options);

  /// Asks for \p Sectors of the line that access \p Site of the trace misses,
  /// with \p Hint, and adds them to \p Traffic. When the last of them is there.
  double fetch(unsigned Site, L1Hint Hint, uint64_t Line, uint8_t Sectors,
               double When, SiteTraffic &Traffic);
  /// Stores a request's sectors. \returns until when the SM sends no other:
  /// stores wait for nothing, but the way holds only so many.
  double store(unsigned Site, const LineAccess &Access, double When);
  /// Fetches what fetch will look at into the host's cache.
  void prefetch(uint64_t Line) const { L2.prefetch(Line); }

  uint64_t writtenSectors() const { return Written; } ///< To DRAM.
  double l2BusyCycles() const { return std::max(L2Port.Busy, Requests.Busy); }
  double dramBusyCycles() const;

private:
  SharedCache::Line &lineFor(unsigned Site, uint64_t Line,
                             L1Hint Hint = L1Hint::Normal);
  void write(SharedCache::Line &L, uint8_t Sectors, double When);
  double waitForDRAM(double When, double Cycles);
  uint32_t random();
  double spread(double Mean);

  const MemoryModel &Memory;
  /// For each access, how many SMs use the lines it touches, in the mean.
  std::vector<double> Users;
  double SMs;
  SharedCache L2;
  Server Requests, L2Port;
  std::vector<Server> DRAM;
  double L2CyclesPerSector, L2CyclesPerLine, StoreCyclesPerSector;
  double DRAMCyclesPerSector;
  uint64_t DirtySectorsLeft; ///< That the L2 keeps before it writes any.
  uint64_t Written = 0;
  uint32_t RandomState = 0x9E3779B9;
};

} // namespace sluice

#endif
