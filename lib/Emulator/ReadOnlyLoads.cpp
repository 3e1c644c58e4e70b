// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that say of their memory that nobody writes it while the kernel runs
// (`ld.global.nc`, `!invariant.load`), where some thread of the launch does,
// before or after: whatever orders the two, the load may give what was there
// before the launch, and compilers may move it. No race, since the writer may
// be the reader itself.
//
// For each 4 bytes the last such load and the last write are remembered; an
// error names these, perhaps of the neighbouring byte.

#include "Launch.h"
#include "Observers.h"
#include <unordered_map>

using namespace sluice::emulator;

namespace {

struct Touch {
  const char *File = "";
  uint32_t Line = 0;
  uint32_t Block = 0;
  uint16_t Thread = 0;
  uint8_t Bytes = 0; ///< Mask within the 4, of all touches so far.
};

struct Cell {
  Touch Load, Write;
};

constexpr uint64_t PageCells = 1024;
struct Page {
  Cell Cells[PageCells];
};

class ReadOnlyLoadChecker : public Observer {
public:
  void launch(const LaunchFacts &L) override {
    Shape = L.Shape;
    HasReadOnlyLoads = L.HasReadOnlyLoads;
  }
  void launchEnded() override {
    Pages.clear();
    LastPage = nullptr;
  }
  void access(const MemoryAccess &A, WarpThreads Who) override;

private:
  Cell &cell(uint64_t Granule) {
    uint64_t Number = Granule / PageCells;
    if (!LastPage || LastNumber != Number) {
      std::unique_ptr<Page> &P = Pages[Number];
      if (!P)
        P = std::make_unique<Page>();
      LastPage = P.get();
      LastNumber = Number;
    }
    return LastPage->Cells[Granule % PageCells];
  }
  void report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
              const Touch &Other);

  LaunchShape Shape;
  bool HasReadOnlyLoads = false;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  Page *LastPage = nullptr;
  uint64_t LastNumber = 0;
};

} // namespace

void ReadOnlyLoadChecker::report(const MemoryAccess &A, WarpThreads Who,
                                 unsigned Lane, const Touch &Other) {
  auto *C = static_cast<Context *>(const_cast<void *>(Who.Context));
  std::string Where =
      *Other.File ? std::string(Other.File) + ":" + std::to_string(Other.Line)
                  : "an unknown line";
  std::string By =
      " by " + nameOfThread(Shape, Other.Block, Other.Thread) + " at " + Where;
  if (A.IsWrite)
    reportLane(C, C->Observed, Lane,
               "write to memory that is loaded as read-only",
               {"loaded" + By +
                ", as what no thread writes while the kernel "
                "runs (ld.global.nc, !invariant.load)"},
               &A.Addresses[Lane]);
  else
    reportLane(C, C->Observed, Lane,
               "read-only load of memory that the kernel writes",
               {"written" + By +
                "; the load says that no thread writes it "
                "while the kernel runs (ld.global.nc, "
                "!invariant.load)"},
               &A.Addresses[Lane]);
  C->Run->fail(LaunchStatus::CheckFailed);
}

void ReadOnlyLoadChecker::access(const MemoryAccess &A, WarpThreads Who) {
  if (!HasReadOnlyLoads || !(A.IsWrite || A.SaysReadOnly))
    return;
  for (uint32_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (A.Space[L] != AccessSpace::Global)
      continue;
    uint64_t Begin = A.Addresses[L], End = Begin + A.Bytes;
    for (uint64_t G = Begin / 4; G * 4 < End; ++G) {
      unsigned From = Begin > G * 4 ? Begin - G * 4 : 0,
               To = End < G * 4 + 4 ? End - G * 4 : 4;
      uint8_t Bytes = (1u << To) - (1u << From);
      Cell &X = cell(G);
      Touch &Mine = A.IsWrite ? X.Write : X.Load;
      const Touch &Other = A.IsWrite ? X.Load : X.Write;
      if (Other.Bytes & Bytes)
        report(A, Who, L, Other);
      Mine = {A.Place.File, A.Place.Line, uint32_t(A.Place.Block),
              uint16_t(A.Place.Warp * WarpLanes + L),
              uint8_t(Mine.Bytes | Bytes)};
    }
  }
}

std::unique_ptr<Observer> sluice::emulator::makeReadOnlyLoadChecker() {
  return std::make_unique<ReadOnlyLoadChecker>();
}
