// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ratios of counts. Who knows the counts best is asked first: the lanes, then a
// profile, then the program's mean.

#include "sluice/Plan/LoadEfficiency.h"
#include <cmath>

using namespace sluice;

static constexpr uint64_t LineBytes = 128, SectorBytes = 32;

RequestCounts &RequestCounts::operator+=(const RequestCounts &Other) {
  UsefulBytes += Other.UsefulBytes;
  Lines += Other.Lines;
  Sectors += Other.Sectors;
  return *this;
}

std::optional<FetchEfficiency> sluice::efficiencyOf(const RequestCounts &Of) {
  if (Of.UsefulBytes == 0 || Of.Lines == 0 || Of.Sectors == 0)
    return std::nullopt;
  auto Useful = double(Of.UsefulBytes);
  return FetchEfficiency{Useful / double(Of.Lines) / LineBytes,
                         Useful / double(Of.Sectors) / SectorBytes};
}

std::optional<RequestCounts> sluice::requestsOf(const AccessFootprint &Of) {
  if (Of.UsefulBytesPerWarp == 0 || Of.InnerIterations != 1)
    return std::nullopt;
  return RequestCounts{Of.UsefulBytesPerWarp, Of.LinesPerWarp,
                       Of.SectorsPerWarp};
}

std::optional<RequestCounts> sluice::requestsOf(const AccessCounts &Of) {
  RequestCounts All{Of.UsefulBytes, Of.Lines, Of.Sectors};
  if (!efficiencyOf(All))
    return std::nullopt;
  return All;
}

RequestCounts sluice::requestsOfLoads(const Profile &Of) {
  RequestCounts All;
  for (const KernelProfile &K : Of.Kernels)
    for (const AccessProfile &A : K.Accesses)
      if (A.Kind == "load")
        All += requestsOf(A.Counts).value_or(RequestCounts());
  return All;
}

FetchEfficiency
sluice::loadEfficiency(const std::optional<RequestCounts> &Enumerated,
                       const std::optional<RequestCounts> &Measured,
                       const RequestCounts &Program) {
  for (const std::optional<RequestCounts> *Known : {&Enumerated, &Measured})
    if (*Known)
      if (std::optional<FetchEfficiency> E = efficiencyOf(**Known))
        return *E;
  return efficiencyOf(Program).value_or(FetchEfficiency());
}

L2Traffic sluice::trafficOfLines(uint64_t Lines, uint64_t Hits,
                                 const FetchEfficiency &Efficiency) {
  double Off = double(Lines) * LineBytes * Efficiency.On / Efficiency.Off;
  return {(Lines - Hits) * LineBytes, uint64_t(std::llround(Off))};
}

L2Traffic sluice::trafficOfSectors(uint64_t Sectors, uint64_t Hits) {
  return {(Sectors - Hits) * SectorBytes, Sectors * SectorBytes};
}
