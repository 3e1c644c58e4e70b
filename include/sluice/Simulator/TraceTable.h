// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the numbers in an instrumented program's records mean: the parts of its
/// device code. The pass sluice-trace keeps it in the device image.

#ifndef SLUICE_SIMULATOR_TRACETABLE_H
#define SLUICE_SIMULATOR_TRACETABLE_H

#include "sluice/Simulator/CodePart.h"
#include "sluice/Simulator/Trace.h"

namespace sluice {

struct TracedPart : CodePart {
  struct Access {
    uint32_t Site = 0;
    /// Which of a record's addresses, and what is added to it. NoAddress: to
    /// shared memory, whose addresses are not recorded.
    uint32_t Address = NoAddress;
    int64_t Offset = 0;
  };
  static constexpr uint32_t NoAddress = ~0u;
  std::vector<Access> Accesses; ///< In the order of the code.
  uint32_t Addresses = 0;       ///< Of each lane in a record.
  bool EndsInBarrier = false;   ///< Of the thread block.
};

struct TraceTable {
  struct Kernel {
    std::string Name;       ///< Mangled.
    unsigned Registers = 0; ///< Without the instrumentation.
  };
  std::string Source;
  std::string GPU;
  CodeSites Sites;
  std::vector<TracedPart> Parts;
  std::vector<Kernel> Kernels;
};

/// As bytes, for the device image.
std::string writeTraceTable(const TraceTable &T);
llvm::Expected<TraceTable> readTraceTable(llvm::StringRef Bytes);

} // namespace sluice

#endif
