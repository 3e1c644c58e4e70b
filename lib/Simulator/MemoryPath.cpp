// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage is busy until some cycle and serves what comes in order. Latencies
// spread, by random numbers that are the same in each run: one trace has one
// time.

#include "MemoryPath.h"
#include <array>
#include <cmath>

using namespace sluice;

static constexpr unsigned SectorBytes = 32;
static constexpr double MostStoreWait = 1000; ///< Cycles: a guess.

static double smsOf(const SimulationOptions &O) {
  return std::max(1u, O.ActiveSMs);
}

static std::vector<double> usersOfLines(const LaunchTrace &T,
                                        const SimulationOptions &O) {
  std::vector<double> Users;
  for (size_t I = 0; I < T.Sites.Accesses.size(); ++I) {
    double Others = T.SharedByOtherSM.empty() ? 0 : T.SharedByOtherSM[I];
    Users.push_back(1 + Others * (smsOf(O) - 1));
  }
  return Users;
}

static double most(const std::vector<double> &Users) {
  return Users.empty() ? 1 : *std::max_element(Users.begin(), Users.end());
}

MemoryPath::MemoryPath(const LaunchTrace &T, const SimulationOptions &O)
    : Memory(O.Memory), Users(usersOfLines(T, O)), SMs(smsOf(O)),
      L2(O.Memory.L2Bytes, O.Memory.L2FirstBytes, SMs / most(Users)),
      DRAM(std::max(1u, O.Memory.DRAMQueues)),
      L2CyclesPerSector(SectorBytes / std::min(O.Memory.L2BytesPerCyclePerSM,
                                               O.Memory.L2BytesPerCycle / SMs)),
      L2CyclesPerLine(std::max(1.0, SMs / O.Memory.L2LinesPerCycle)),
      StoreCyclesPerSector(SectorBytes / (O.Memory.L2StoreBytesPerCycle / SMs)),
      DRAMCyclesPerSector(SectorBytes / (O.Memory.DRAMBytesPerCycle / SMs)) {
  // Of a sampled launch its share.
  const double AllBlocks =
      std::max(1.0, std::ceil(double(T.gridBlocks()) / SMs));
  DirtySectorsLeft =
      uint64_t(double(O.Memory.L2DirtyBytes) / SMs / SectorBytes *
               std::min(1.0, double(T.Blocks.size()) / AllBlocks));
}

double MemoryPath::dramBusyCycles() const {
  double Busy = 0;
  for (const Server &Queue : DRAM)
    Busy += Queue.Busy;
  return Busy / double(DRAM.size());
}

uint32_t MemoryPath::random() { // xorshift: the same in each run
  RandomState ^= RandomState << 13;
  RandomState ^= RandomState >> 17;
  return RandomState ^= RandomState << 5;
}

// How much longer or shorter this access takes than the mean: an exponential,
// its quantiles from a table.
double MemoryPath::spread(double Mean) {
  static const std::array<float, 256> Quantiles = [] {
    std::array<float, 256> Q;
    for (unsigned I = 0; I < Q.size(); ++I)
      Q[I] = -std::log((float(I) + 0.5f) / float(Q.size())) - 1;
    return Q;
  }();
  return Mean * double(Quantiles[random() >> 24]);
}

// One of the queues serves it for that many cycles of all of them. How long it
// waits before.
double MemoryPath::waitForDRAM(double When, double Cycles) {
  Server &Queue = DRAM[uint64_t(random()) * DRAM.size() >> 32];
  return Queue.serve(When, Cycles * double(DRAM.size())) - When;
}

// The line in the L2; if it was not there it is now, with no valid sector.
SharedCache::Line &MemoryPath::lineFor(unsigned Site, uint64_t Line,
                                       L1Hint Hint) {
  const double Weight = SMs / Users[Site];
  if (SharedCache::Line *L = L2.find(Line, Weight, leavesL2First(Hint)))
    return *L;
  return L2.allocate(Line, Weight, leavesL2First(Hint));
}

// Sectors of a line in the L2 are written. Those that were not dirty go to DRAM
// sometime, once the L2 has as many as it keeps.
void MemoryPath::write(SharedCache::Line &L, uint8_t Sectors, double When) {
  uint64_t New = countSectors(Sectors & ~L.Dirty & 0xF);
  L.Valid |= Sectors;
  L.Dirty |= Sectors;
  const uint64_t Kept = std::min(New, DirtySectorsLeft);
  DirtySectorsLeft -= Kept;
  New -= Kept;
  Written += New;
  if (!New)
    return;
  const double Wait = waitForDRAM(When, double(New) * DRAMCyclesPerSector *
                                            Memory.DRAMWriteFactor);
  Requests.Free = std::max(Requests.Free, When + Wait - MostStoreWait);
}

double MemoryPath::store(unsigned Site, const LineAccess &A, double When) {
  Requests.serve(When, std::max(A.Count * L2CyclesPerLine,
                                A.NumSectors * StoreCyclesPerSector));
  for (unsigned I = 0; I < A.Count; ++I)
    L2.prefetch(A.Line[I]);
  for (unsigned I = 0; I < A.Count; ++I)
    write(lineFor(Site, A.Line[I]), A.Sectors[I], When);
  return Requests.Free - MostStoreWait;
}

double MemoryPath::fetch(unsigned Site, L1Hint Hint, uint64_t Line,
                         uint8_t Sectors, double When, SiteTraffic &Traffic) {
  const unsigned Count = countSectors(Sectors);
  When = Requests.serve(When, Memory.L2RequestCycles);
  const double AtL2 =
      L2Port.serve(When, std::max(L2CyclesPerLine, Count * L2CyclesPerSector));
  Traffic.L2Sectors += Count;
  double Arrives = AtL2 + Memory.L2HitCycles + spread(Memory.L2SpreadCycles);
  SharedCache::Line &L = lineFor(Site, Line, Hint);
  uint8_t Missing = Sectors & ~L.Valid;
  if (Sectors & L.Pending)
    Arrives = std::max(Arrives, double(L.Arrives));
  if (!Missing)
    return Arrives;
  // Of a line that D SMs use, one of D brings it.
  auto Hash = uint32_t((Line * 0xD1B54A32D192ED03u) >> 32);
  if (double(Hash) * Users[Site] < 4294967296.0) {
    // DRAM gives 64 bytes at a time.
    if (Missing & 3)
      Missing |= 3;
    if (Missing & 12)
      Missing |= 12;
    Missing &= ~L.Valid;
    const unsigned FromDRAM = countSectors(Missing);
    double Cycles = FromDRAM * DRAMCyclesPerSector;
    if (FromDRAM < 4)
      Cycles *= Memory.DRAMPartialLineFactor;
    Traffic.DRAMSectors += FromDRAM;
    const double Wait = waitForDRAM(AtL2, Cycles);
    Arrives = std::max(Arrives, AtL2 + Wait + Memory.DRAMCycles +
                                    spread(Memory.DRAMSpreadCycles));
  }
  if (double(L.Arrives) <= AtL2)
    L.Pending = 0;
  L.Pending |= Missing;
  L.Arrives = uint32_t(Arrives);
  L.Valid |= Missing;
  return Arrives;
}
