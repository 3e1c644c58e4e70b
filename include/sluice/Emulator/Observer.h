// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Sees what an emulated kernel does. The race checks, the histogram, the trace
/// and the annotated listing are observers.

#ifndef SLUICE_EMULATOR_OBSERVER_H
#define SLUICE_EMULATOR_OBSERVER_H

#include "sluice/Emulator/Device.h"
#include "sluice/Simulator/CodePart.h"
#include "sluice/Simulator/Trace.h"
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::emulator {

/// The address space an access goes to, found for each lane.
enum class AccessSpace : uint8_t { Global, Shared, Local };

/// Where a warp stands.
struct WarpPlace {
  uint64_t Block = 0; ///< Linear number of the block in its grid.
  unsigned Warp = 0;  ///< Number of the warp in its block.
  const char *File = "";
  unsigned Line = 0;
};

/// What a part of a basic block consists of.
struct BlockSummary : CodePart {
  struct OfLine {
    std::string File; ///< With its folder.
    unsigned Line;
    unsigned Instructions;
  };
  struct OfOpcode {
    std::string Opcode; ///< LLVM's, or the intrinsic's name.
    unsigned Instructions;
  };
  std::vector<OfLine> Lines;
  std::vector<OfOpcode> Opcodes;
  unsigned Instructions = 0;
};

/// One access of a warp.
struct MemoryAccess {
  WarpPlace Place;
  uint32_t Lanes = 0; ///< Mask of those that take part.
  unsigned Bytes = 0; ///< Of each lane.
  bool IsWrite = false;
  bool IsAtomic = false;
  bool IsVolatile = false;
  bool Acquires = false; ///< `.acquire`, or a wait at an mbarrier that is over.
  bool Releases = false; ///< `.release`, or an arrival at an mbarrier.
  bool IsReadWrite = false; ///< An atomic operation that reads what it changes.
  /// A load of memory that, it says, nobody writes while the kernel runs:
  /// `!invariant.load`, `ld.global.nc`.
  bool SaysReadOnly = false;
  /// A load of a line of which the program asks for some bytes only; nobody
  /// looks at the others.
  bool IsLine = false;
  uint32_t Site = NoSite; ///< Of CodeSites.
  static constexpr uint32_t NoSite = ~0u;
  AccessSpace Space[32];  ///< Of each lane.
  uint64_t Addresses[32]; ///< Global: device address. Shared, local: offset.
  /// What a store writes, the low 8 bytes of each lane; null if not known.
  const uint64_t *Values = nullptr;
};

/// The threads of a warp, to name them.
struct WarpThreads {
  const uint32_t (*Tid)[32]; ///< x, y, z of each lane.
  Dim3 Block;                ///< Index of the block.
  const void *Context;       ///< The emulator's.
};

/// Device addresses [Begin, End).
struct AddressRange {
  uint64_t Begin = 0, End = 0;
  bool holds(uint64_t First, uint64_t Last) const {
    return First >= Begin && Last < End;
  }
};

/// What is launched.
struct LaunchFacts {
  const LoadedKernel &Kernel;
  const LaunchShape &Shape;
  /// Buffers that the kernel does not write through any pointer that it is
  /// given. (One that it finds in memory might.)
  llvm::ArrayRef<AddressRange> ReadOnly;
  const CodeSites &Code; ///< Of the whole image.
  bool HasReadOnlyLoads; ///< Some access of the image SaysReadOnly.
};

/// Calls come from the thread that runs the block. An observer that is not
/// threadSafe() makes the launch use one thread and a fixed order.
class Observer {
public:
  virtual ~Observer();
  virtual bool threadSafe() const { return false; }
  virtual void launch(const LaunchFacts &) {}
  /// Shall blocks of this launch be reported of? Asked when one starts.
  virtual bool wants(uint64_t /*Block*/) const { return true; }
  /// Shall a block not run at all? If one observer says so, it does not.
  virtual bool skips(uint64_t /*Block*/) const { return false; }
  virtual void blockStarted(uint64_t Block, unsigned Threads) {}
  virtual void blockEnded(uint64_t Block) {}
  /// A basic block, or the rest of one behind a call or barrier, is entered by
  /// \p Lanes.
  virtual void blockEntered(const WarpPlace &, uint32_t Lanes,
                            const BlockSummary &) {}
  virtual void access(const MemoryAccess &, WarpThreads) {}
  /// Lanes have passed a fence (`__threadfence_block()` or a stronger one).
  virtual void fence(const WarpPlace &, uint32_t Lanes) {}
  /// An asynchronous copy whose write access() has told of was waited for by
  /// the lanes that issued it.
  virtual void copyLanded(const MemoryAccess &) {}
  /// Lanes have met: at a block's barrier (\p Warp is ~0u) or within a warp.
  virtual void barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) {}
  /// Lanes have come to barrier \p Id of their block, and wait or go on.
  virtual void cameToBarrier(const WarpPlace &, uint32_t Lanes, unsigned Id,
                             bool Waits) {}
  /// All who were to come to the barrier have come; those who wait go on.
  virtual void barrierOver(uint64_t Block, unsigned Id) {}
  /// Who wrote to shared memory at \p Offset last, for a report; else empty.
  virtual std::string lastWriter(uint64_t Block, uint64_t Offset) const {
    return "";
  }
  /// The program has ended.
  virtual void finish() {}
  /// The launch has ended.
  virtual void launchEnded() {}
};

} // namespace sluice::emulator

#endif
