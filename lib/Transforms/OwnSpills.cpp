// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values go to slots: of the order in which an allocator would take them
// the first 4, 8, ..., 64, of these what Algorithm 1 finds room for, and of all
// that what the assembler makes the cheapest code of, by the paper's Spill_cost
// (section 6).

#include "SharedSpills.h"
#include "SpillCandidates.h"
#include "SpillSlots.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/CratChoice.h"
#include "sluice/Target/SharedSpills.h"
#include "sluice/Target/SpillChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumSlots, "Number of values in slots of shared memory");

/// How many values are tried.
static constexpr unsigned Prefixes[] = {4, 8, 12, 16, 24, 32, 48, 64};

namespace {

/// Values of a kernel, by their numbers in its text.
struct SlotVariant {
  std::vector<unsigned> Numbers;
  unsigned Accesses = 0;
};

} // namespace

static std::vector<Instruction *> valuesOf(Function &F,
                                           ArrayRef<unsigned> Numbers) {
  std::vector<Instruction *> All;
  for (Instruction &I : instructions(F))
    All.push_back(&I);
  std::vector<Instruction *> Values;
  for (unsigned Number : Numbers)
    Values.push_back(All[Number]);
  return Values;
}

/// Each with other values than the one before.
static std::vector<SlotVariant> variantsOf(ArrayRef<SpillCandidate> Order,
                                           const InstructionNumbers &Numbers,
                                           unsigned Threads, uint64_t Spare) {
  std::vector<SlotVariant> Variants;
  for (unsigned Size : Prefixes) {
    auto First = Order.take_front(Size);
    std::vector<SpillStack> Stacks;
    for (const SpillCandidate &C : First) // sixteenths of an access
      Stacks.push_back({uint64_t(C.Bytes) * Threads,
                        1 + uint64_t(std::min(C.Executed, 1e9) * 16)});
    SlotVariant V;
    for (auto [C, IsChosen] : zip_equal(First, chooseSpills(Stacks, Spare)))
      if (IsChosen) {
        V.Numbers.push_back(Numbers.lookup(C.Value));
        V.Accesses += C.Accesses;
      }
    if (!V.Numbers.empty() &&
        (Variants.empty() || Variants.back().Numbers != V.Numbers))
      Variants.push_back(std::move(V));
    if (Size >= Order.size())
      break;
  }
  return Variants;
}

/// The module's PTX with \p Variant, as if no other blocks could come.
static Expected<std::string>
ptxWith(const LimitedKernel &K, const SlotVariant &Variant, SlotThreads Who) {
  Who.AreAll = true;
  auto Copy = CloneModule(*K.F->getParent());
  Function &F = *Copy->getFunction(K.F->getName());
  spillToSlots(F, valuesOf(F, Variant.Numbers), Who, WrongRewrite::None);
  return ptxOf(*Copy, F);
}

/// Of its first launch: only which code costs less counts.
static double costOf(const LimitedKernel &K, const GPUModel &GPU,
                     const AssembledKernel &Code, unsigned SharedAccesses) {
  DesignPoint Point = designPoint(/*Registers=*/0, /*Blocks=*/1, Code);
  Point.SharedSpills = SharedAccesses;
  return tpsc(GPU, K.Launches.front().Threads, Point);
}

static SlotThreads slotsFor(const LimitedKernel &K) {
  SlotThreads Who;
  for (const LaunchShape &Shape : K.Launches)
    Who.Threads = std::max(Who.Threads, Shape.Threads);
  if (auto Most = mostThreads(*K.F); Most && *Most <= Who.Threads) {
    Who.AreAll = true;
    return Who;
  }
  Who.IsLine = all_of(K.Plan->Launches, [](const LaunchPlan &Launch) {
    return Launch.Block.Sizes[1] == 1 && Launch.Block.Sizes[2] == 1;
  });
  return Who;
}

static void remarkSlots(const LimitedKernel &K, const SlotVariant &Variant,
                        uint64_t Bytes, const AssembledKernel &Local,
                        const AssembledKernel &Shared) {
  OptimizationRemarkEmitter(K.F).emit(
      OptimizationRemark(DEBUG_TYPE, "SpillsShared", K.F->getSubprogram(),
                         &K.F->front())
      << formatv("{0} values of a thread wait in {1} bytes of shared memory, "
                 "with {2} accesses, and {3} bytes are spilled to local memory "
                 "in place of {4}",
                 Variant.Numbers.size(), Bytes, Variant.Accesses,
                 Shared.spilledBytes(), Local.spilledBytes())
             .str());
}

Expected<std::string> sluice::spillValues(const LimitedKernel &K,
                                          const AssembledKernel &Local,
                                          const ModuleAssembly &Code,
                                          const AttachedPlan &Attached) {
  const SlotThreads Who = slotsFor(K);
  if (std::string WhyNot = whyNoSlots(*K.F); !WhyNot.empty())
    return WhyNot;
  const unsigned SMs = Attached.Decisions.SMs;
  const uint64_t Spare = spareSharedBytes(Code.GPU, SMs, K.Launches, Local);
  const auto Variants =
      variantsOf(orderSpills(*K.F, Prefixes[std::size(Prefixes) - 1]),
                 numberInstructions(*K.F), Who.Threads, Spare);
  if (Variants.empty())
    return Spare < 4 * Who.Threads ? "no shared memory is to spare"
                                   : "no value can wait in memory";
  std::vector<AssemblyRequest> Requests;
  for (const SlotVariant &V : Variants) {
    auto PTX = ptxWith(K, V, Who);
    if (!PTX)
      return PTX.takeError();
    Requests.push_back({std::move(*PTX), Code.Arch});
  }
  auto Assembled = Code.Cache.assembleAll(Requests);
  if (!Assembled)
    return Assembled.takeError();
  double Least = costOf(K, Code.GPU, Local, 0);
  std::optional<std::pair<const SlotVariant *, AssembledKernel>> Best;
  for (auto [Variant, Kernels] : zip_equal(Variants, *Assembled)) {
    const AssembledKernel After = Kernels.lookup(K.F->getName());
    const double Cost = costOf(K, Code.GPU, After, Variant.Accesses);
    if (Cost < Least &&
        whyNotShared(Code.GPU, SMs, K.Launches, Local, After).empty()) {
      Least = Cost;
      Best.emplace(&Variant, After);
    }
  }
  if (!Best)
    return "with values there the assembler's code costs more";
  const uint64_t Bytes = spillToSlots(
      *K.F, valuesOf(*K.F, Best->first->Numbers), Who, Attached.Opts.Wrong);
  NumSlots += Best->first->Numbers.size();
  remarkSlots(K, *Best->first, Bytes, Local, Best->second);
  return "";
}

bool sluice::spillForTest(Module &M, const AttachedPlan &Attached) {
  bool Changed = false;
  for (Function &F : M) {
    if (F.isDeclaration() || !isKernel(F) || !Attached.kernel(F) ||
        !whyNoSlots(F).empty())
      continue;
    const SlotThreads Who = {/*Threads=*/64};
    const InstructionNumbers Numbers = numberInstructions(F);
    std::vector<Instruction *> All, Values;
    for (Instruction &I : instructions(F))
      if (!loadsFor(I, Numbers).empty())
        All.push_back(&I);
    // From all of the kernel.
    const size_t Wanted = Attached.Opts.ForcedSpills;
    const size_t Step = std::max<size_t>(1, All.size() / Wanted);
    for (size_t I = 0; I < All.size() && Values.size() < Wanted; I += Step)
      Values.push_back(All[I]);
    if (Values.empty() ||
        declaredShared(F).StaticBytes + 8 * Values.size() * Who.Threads >
            MostSharedWithoutOptIn)
      continue;
    spillToSlots(F, Values, Who, Attached.Opts.Wrong);
    Changed = true;
  }
  return Changed;
}
