// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterNeed.h"
#include "SpillCandidates.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

/// Shorter kernels have registers enough, and so have those whose values need
/// fewer by our count: the assembler takes up to half as many more, and 14 more
/// for what it makes of a division or a root of `double`.
static constexpr unsigned FewestInstructions = 64, FewestNeeded = 21,
                          FewestWithRoutines = 14;
/// Of longer ones the assembler's answer takes as long as all of a compile.
static constexpr unsigned MostInstructions = 1000, MostWithLoads = 3000,
                          MostOfLong = 5000;
/// Of a block, or of all together, as the assembler joins short blocks. Of
/// fewer, and of their addresses, 32 registers hold all. Of a short block some
/// are not the same for all lanes, as the L1 has these.
static constexpr unsigned FewestOfBlock = 8, FewestLoads = 24, FewestOwn = 4;

/// To functions whose registers are its own, too.
static bool hasCalls(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && !Callee->isDeclaration();
  });
}

/// Those that the assembler has for divisions and roots of `double`.
static bool needsRoutines(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return I.getType()->isDoubleTy() &&
           (I.getOpcode() == Instruction::FDiv ||
            (Call && Call->getCalledFunction()->getName().contains(".sqrt")));
  });
}

unsigned sluice::registersOfBlock(const Function &F, const KernelPlan *Plan) {
  static constexpr uint64_t OfBlock = 65536, MostOfThread = 255, Together = 8,
                            MostLaunched = 1024;
  uint64_t Threads = 1;
  if (!Plan || Plan->Launches.empty())
    Threads = MostLaunched;
  else
    for (const LaunchPlan &L : Plan->Launches)
      Threads =
          std::max(Threads, std::min(L.Block.total().value_or(MostLaunched),
                                     MostLaunched));
  return unsigned(
      std::min(alignDown(OfBlock / Threads, Together), MostOfThread));
}

bool sluice::fillsBlock(Function &F, const KernelPlan *Plan) {
  return !mostThreads(F) && !registerLimit(F) &&
         mostRegistersNeeded(F) >= registersOfBlock(F, Plan);
}

bool sluice::mayNeedManyRegisters(Function &F, bool MayBeLong) {
  const unsigned Instructions = F.getInstructionCount();
  if (Instructions > (MayBeLong ? MostOfLong : MostInstructions))
    return false;
  return hasCalls(F) ||
         (Instructions >= FewestInstructions &&
          mostRegistersNeeded(F) >=
              (needsRoutines(F) ? FewestWithRoutines : FewestNeeded));
}

static bool isGlobalLoad(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  return Load && !Load->isVolatile() &&
         mayBeGlobal(Load->getPointerOperand()) &&
         !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand()));
}

/// Do threads ask for another index in their block than the first?
static bool hasRowsOfThreads(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call &&
           (Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_y ||
            Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_z);
  });
}

static bool isOwnLoad(const Instruction &I) {
  return isGlobalLoad(I) &&
         mayDifferByLane(*cast<LoadInst>(I).getPointerOperand());
}

bool sluice::mayHaveManyLoads(const Function &F) {
  if (F.getInstructionCount() > MostWithLoads || hasRowsOfThreads(F))
    return false;
  return unsigned(count_if(instructions(F), isGlobalLoad)) >= FewestLoads ||
         any_of(F, [](const BasicBlock &BB) {
           return unsigned(count_if(BB, isGlobalLoad)) >= FewestOfBlock &&
                  unsigned(count_if(BB, isOwnLoad)) >= FewestOwn;
         });
}

bool sluice::doLanesShareLoads(const Function &F) {
  return count_if(instructions(F), isOwnLoad) * 4 <=
         count_if(instructions(F), isGlobalLoad);
}
