// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a warp alone waits for its loads, read from its machine code. From
// Volta to Hopper the upper bits of an instruction say what the assembler has
// decided about time:
//
//   bits 105 to 108  cycles until the next instruction may be issued
//   bits 110 to 112  the counter (of six) that falls when the result is there;
//                    7: none
//   bits 116 to 121  the counters that must be 0 before it is issued
//
// So loads that are waited for one after the other are told from loads that are
// on their way together. NVIDIA does not document that; it is as in Jia et al.,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (2018),
// section 2.1, and `nvdisasm -hex` shows the bits.

#include "sluice/Target/LoadWaits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <functional>

using namespace llvm;
using namespace sluice;

namespace {

enum Opcode : unsigned { Bra = 0x147, Ld = 0x180, Ldg = 0x181 };

struct TimedInstruction {
  unsigned Stall = 1;    ///< Cycles.
  unsigned Counter = 7;  ///< Less than Counters: that it counts down.
  unsigned WaitMask = 0; ///< A bit for each counter.
  bool IsLoad = false;   ///< Of global memory, or of memory of any kind.
  int64_t JumpsTo = -1;  ///< The number of an instruction; less: nowhere.
};

struct CodeLoop {
  size_t First, Last; ///< Instructions, both in it.
  unsigned Loads;
  uint64_t Cycles; ///< Of an iteration.
};

} // namespace

static constexpr unsigned Bytes = 16, Counters = 6;
/// Of a load, and of all else that is waited for.
static constexpr uint64_t LoadCycles = LoadWaitCycles, OtherCycles = 30;
/// Shorter loops wait for a lock, or for nothing.
static constexpr size_t FewestInLoop = 5;
/// Until the iterations of a loop are alike.
static constexpr unsigned Rounds = 4;

/// Of a branch, in bytes from the instruction behind it.
static int64_t distanceOf(uint64_t Low, bool IsHopper) {
  const int64_t Upper = SignExtend64<32>(Low >> 32);
  if (!IsHopper)
    return Upper;
  return ((Upper >> 2 << 8) | int64_t(Low >> 16 & 0xff)) * 4;
}

static SmallVector<TimedInstruction, 0> decode(ArrayRef<uint8_t> Code,
                                               bool IsHopper) {
  SmallVector<TimedInstruction, 0> All;
  for (; Code.size() >= Bytes; Code = Code.drop_front(Bytes)) {
    const uint64_t Low = support::endian::read64le(Code.data()),
                   High = support::endian::read64le(Code.data() + 8);
    const unsigned Op = Low & 0x1ff;
    TimedInstruction I;
    I.Stall = std::max(1u, unsigned(High >> 41 & 15));
    I.Counter = High >> 46 & 7;
    I.WaitMask = High >> 52 & 63;
    I.IsLoad = Op == Ldg || Op == Ld;
    if (Op == Bra)
      I.JumpsTo = int64_t(All.size()) + 1 + distanceOf(Low, IsHopper) / Bytes;
    All.push_back(I);
  }
  return All;
}

/// Of the last of \p Times.
static uint64_t cyclesOf(ArrayRef<TimedInstruction> Part, unsigned Times) {
  std::array<uint64_t, Counters> Ready = {};
  uint64_t Now = 0, Before = 0;
  for (unsigned I = 0; I < Times; ++I) {
    Before = Now;
    for (const TimedInstruction &Each : Part) {
      for (unsigned C = 0; C < Counters; ++C)
        if (Each.WaitMask >> C & 1)
          Now = std::max(Now, Ready[C]);
      if (Each.Counter < Counters)
        Ready[Each.Counter] =
            std::max(Ready[Each.Counter],
                     Now + (Each.IsLoad ? LoadCycles : OtherCycles));
      Now += Each.Stall;
    }
  }
  return Now - Before;
}

static unsigned loadsOf(ArrayRef<TimedInstruction> Part) {
  return count_if(Part, [](const TimedInstruction &I) { return I.IsLoad; });
}

/// Without others in them, with loads.
static SmallVector<CodeLoop, 8> innermostLoops(ArrayRef<TimedInstruction> All) {
  SmallVector<CodeLoop, 8> Loops;
  // By where they end, so that those within others come before these.
  for (auto [Last, I] : enumerate(All)) {
    if (I.JumpsTo < 0 || size_t(I.JumpsTo) + FewestInLoop > Last + 1)
      continue;
    const size_t First = size_t(I.JumpsTo);
    if (any_of(Loops, [&](const CodeLoop &L) { return L.First >= First; }))
      continue;
    const auto Body = All.slice(First, Last + 1 - First);
    Loops.push_back({First, Last, loadsOf(Body), cyclesOf(Body, Rounds)});
  }
  erase_if(Loops, [](const CodeLoop &L) { return L.Loads == 0; });
  return Loops;
}

void sluice::findLoadWaits(ArrayRef<uint8_t> Code, bool IsHopper,
                           AssembledKernel &Kernel) {
  const auto All = decode(Code, IsHopper);
  auto Loops = innermostLoops(All);
  if (Loops.empty()) {
    Kernel.WaitCycles = cyclesOf(All, 1);
    Kernel.WaitInstructions = All.size();
    Kernel.WaitLoads = loadsOf(All);
    return;
  }
  auto ByLoads = [](const CodeLoop &A, const CodeLoop &B) {
    return A.Loads < B.Loads;
  };
  // Those of rests are shorter.
  const unsigned Most = max_element(Loops, ByLoads)->Loads;
  erase_if(Loops, [&](const CodeLoop &L) { return L.Loads * 2 < Most; });
  // What is there for arrays that overlap waits for each load, or for two.
  auto IsTogether = [](const CodeLoop &L) {
    return L.Loads * LoadCycles > 2 * L.Cycles;
  };
  if (any_of(Loops, IsTogether))
    erase_if(Loops, std::not_fn(IsTogether));
  for (const CodeLoop &L : Loops) {
    Kernel.WaitCycles += L.Cycles;
    Kernel.WaitInstructions += L.Last + 1 - L.First;
    Kernel.WaitLoads += L.Loads;
  }
}
