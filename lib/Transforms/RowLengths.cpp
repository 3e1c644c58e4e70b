// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   __global__ void f(const float *a, int rows, int n, ...)
//     for (int j = 0; j < n; ++j)  s += a[i * n + j];
//
// Rows are short below 64 elements, of which two chunks are made: where the
// third parameter is less than 64. The loop may have other bounds, such as
// n / 4 or n - 1; so it is tried from which n on its iterations are enough.
// Nothing hangs on it but time: both kernels do the same.

#include "RowLengths.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

/// Values of a parameter that are tried: a row of more gains by its length.
static constexpr uint64_t MostTried = 4096;

/// The only value that \p S hangs on, if it is a parameter of 32 or 64 bits.
static const SCEVUnknown *onlyParameter(const SCEV *S) {
  SmallPtrSet<const SCEVUnknown *, 2> Unknowns;
  const bool HasOther = SCEVExprContains(S, [&](const SCEV *Part) {
    if (const auto *U = dyn_cast<SCEVUnknown>(Part)) {
      Unknowns.insert(U);
      return !isa<Argument>(U->getValue());
    }
    return isa<SCEVAddRecExpr>(Part);
  });
  if (HasOther || Unknowns.size() != 1)
    return nullptr;
  const SCEVUnknown *Only = *Unknowns.begin();
  return Only->getType()->isIntegerTy(32) || Only->getType()->isIntegerTy(64)
             ? Only
             : nullptr;
}

std::optional<RowLength> sluice::lengthOfRows(const LoopStreams &Loop,
                                              uint64_t LeastTrips,
                                              ScalarEvolution &SE) {
  const SCEVUnknown *Parameter =
      Loop.Taken ? onlyParameter(Loop.Taken) : nullptr;
  if (!Parameter || LeastTrips == 0)
    return std::nullopt;
  Type *Ty = Parameter->getType();
  for (uint64_t Value = 1; Value <= MostTried; ++Value) {
    ValueToSCEVMapTy Map;
    Map[Parameter->getValue()] = SE.getConstant(Ty, Value);
    const auto *Taken = dyn_cast<SCEVConstant>(
        SCEVParameterRewriter::rewrite(Loop.Taken, SE, Map));
    if (!Taken)
      return std::nullopt;
    // What is negative would not get to the loop.
    const APInt &Number = Taken->getAPInt();
    if (!Number.isNegative() && Number.uge(LeastTrips - 1))
      return RowLength{cast<Argument>(Parameter->getValue())->getArgNo(),
                       unsigned(Ty->getIntegerBitWidth() / 8), Value};
  }
  return std::nullopt;
}

void RowLengths::note(const LoopStreams &Loop, uint64_t LeastTrips,
                      ScalarEvolution &SE) {
  const auto Length = lengthOfRows(Loop, LeastTrips, SE);
  if (!Length) {
    AreKnown = false;
    return;
  }
  const auto Known = find_if(Lengths, [&](const RowLength &L) {
    return L.Parameter == Length->Parameter;
  });
  if (Known == Lengths.end())
    Lengths.push_back(*Length);
  else
    Known->Below = std::min(Known->Below, Length->Below);
}

void sluice::makeKernelForShortRows(Function &Copy, const Function &F,
                                    ArrayRef<RowLength> Lengths,
                                    const KernelPlan &Plan) {
  const uint64_t Declared = declaredShared(Copy).StaticBytes;
  const ShortRowsForm Form = {
      unsigned(F.arg_size()),
      MostSharedWithoutOptIn -
          std::min<uint64_t>(MostSharedWithoutOptIn, Declared),
      Lengths.vec()};
  Copy.setName(shortRowsName(F.getName().str(), Form));
  KernelPlan Own = Plan;
  Own.Name = Copy.getName().str();
  Own.OwnRegisters = 0;
  Own.CarveoutPercent.reset(); // of the program's kernel
  for (LoopPlan &L : Own.Loops) {
    static_cast<StagingPlan &>(L) = {};
    static_cast<LinesPlan &>(L) = {};
  }
  addKernelPlan(*Copy.getParent(), std::move(Own));
  OptimizationRemarkEmitter(&Copy).emit([&] {
    OptimizationRemark R("sluice-software-l1", "ShortRows",
                         Copy.getSubprogram(), &Copy.getEntryBlock());
    R << "launches with short rows take a kernel that has its loops as they "
         "were: where ";
    for (auto [Number, L] : enumerate(Lengths)) {
      const StringRef Name = F.getArg(L.Parameter)->getName();
      R << (Number ? " and " : "")
        << (Name.empty() ? "parameter " + std::to_string(L.Parameter + 1)
                         : "'" + Name.str() + "'")
        << " is less than " << ore::NV("Below", L.Below);
    }
    return R;
  });
}
