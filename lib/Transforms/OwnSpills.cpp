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
#include "sluice/Analysis/ResidencyAnalysis.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Plan/LaunchShapes.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/CratChoice.h"
#include "sluice/Target/SharedSpills.h"
#include "sluice/Target/SpillChoice.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumSlots, "Number of values in slots of shared memory");

/// How many values are tried: of these, where the assembler stores N to local
/// memory, from a quarter of N to the first that is not less.
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

/// Each with other values than the one before. \p Stored: that the assembler
/// stores to local memory.
static std::vector<SlotVariant> variantsOf(ArrayRef<SpillCandidate> Order,
                                           const InstructionNumbers &Numbers,
                                           unsigned Threads, uint64_t Spare,
                                           unsigned Stored) {
  std::vector<SlotVariant> Variants;
  for (unsigned Size : Prefixes) {
    if (4 * Size < Stored && Size < Order.size())
      continue;
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
    if (Size >= Order.size() || Size >= Stored)
      break;
  }
  return Variants;
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

/// Of its first launch: only which code costs less counts.
static double costOf(const LimitedKernel &K, const GPUModel &GPU,
                     const AssembledKernel &Code, unsigned SharedAccesses) {
  return tpsc(GPU, K.Launches.front().Threads,
              designPoint({0, Code, Code, SharedAccesses}, /*Blocks=*/1));
}

//===- What the assembler makes of variants -------------------------------===//

namespace {

/// The one that costs the least, and its code.
struct ChosenVariant {
  std::optional<SlotVariant> Variant;
  AssembledKernel Code = {};
  bool NoneFit = false; ///< There was none to try.
};

/// A kernel's variants, and their PTX. Limits have most of them in common.
class VariantCode {
public:
  VariantCode(const LimitedKernel &K, const SpillSetup &Setup);

  /// Tries what could be done under each of \p Limits, on all cores. Without a
  /// variant: nothing costs less than spills to local memory.
  Expected<std::vector<ChosenVariant>>
  chooseFor(ArrayRef<const LimitedCode *> Limits);

private:
  std::vector<SlotVariant> variants(const LimitedCode &Limited) const;
  Expected<AssemblyRequest> request(const SlotVariant &Variant,
                                    const LimitedCode &Limited);
  ChosenVariant best(ArrayRef<SlotVariant> Variants,
                     ArrayRef<AssembledKernels> Assembled,
                     const LimitedCode &Limited) const;

  const LimitedKernel &K;
  const SpillSetup &Setup;
  const SlotThreads Who;
  const InstructionNumbers Numbers;
  const std::vector<SpillCandidate> Order;
  std::unique_ptr<Module> Alone; ///< The kernel without others and its limit.
  std::map<std::vector<unsigned>, std::string> PTX; ///< By Numbers.
};

} // namespace

/// A copy of the module of \p F with no other kernel, which would only take
/// time, and no limit: it is put into the PTX.
static std::unique_ptr<Module> moduleWith(const Function &F) {
  ValueToValueMapTy Map;
  auto IsOther = [&](const Function &G) {
    return &G != &F && isKernel(G) && G.use_empty();
  };
  auto Alone = CloneModule(*F.getParent(), Map, [&](const GlobalValue *G) {
    const auto *Other = dyn_cast<Function>(G);
    return !Other || !IsOther(*Other);
  });
  for (const Function &G : *F.getParent())
    if (IsOther(G))
      Alone->getFunction(G.getName())->eraseFromParent();
  Alone->getFunction(F.getName())->removeFnAttr("nvvm.maxnreg");
  return Alone;
}

VariantCode::VariantCode(const LimitedKernel &K, const SpillSetup &Setup)
    : K(K), Setup(Setup), Who(slotsFor(K)), Numbers(numberInstructions(*K.F)),
      Order(orderSpills(*K.F, Prefixes[std::size(Prefixes) - 1])) {
  if (!Order.empty())
    Alone = moduleWith(*K.F);
}

std::vector<SlotVariant>
VariantCode::variants(const LimitedCode &Limited) const {
  return variantsOf(
      Order, Numbers, Who.Threads,
      spareSharedBytes(Setup.GPU, Setup.SMs, K.Launches, Limited.Code),
      unsigned(Limited.Code.SpillStoreBytes / 4));
}

/// As if no other blocks could come.
Expected<AssemblyRequest> VariantCode::request(const SlotVariant &Variant,
                                               const LimitedCode &Limited) {
  std::string &Text = PTX[Variant.Numbers];
  if (Text.empty()) {
    auto Copy = CloneModule(*Alone);
    Function &F = *Copy->getFunction(K.F->getName());
    SlotThreads All = Who;
    All.AreAll = true;
    spillToSlots(F, valuesOf(F, Variant.Numbers), All, WrongRewrite::None);
    auto Emitted = ptxOf(*Copy, F);
    if (!Emitted)
      return Emitted.takeError();
    Text = std::move(*Emitted);
  }
  if (Limited.Limit == 0)
    return AssemblyRequest{Text, Setup.Arch};
  StringMap<unsigned> Limits;
  Limits[K.F->getName()] = Limited.Limit;
  return AssemblyRequest{limitRegisters(Text, Limits), Setup.Arch};
}

ChosenVariant VariantCode::best(ArrayRef<SlotVariant> Variants,
                                ArrayRef<AssembledKernels> Assembled,
                                const LimitedCode &Limited) const {
  double Least = costOf(K, Setup.GPU, Limited.Code, 0);
  ChosenVariant Best;
  Best.NoneFit = Variants.empty();
  for (auto [Variant, Kernels] : zip_equal(Variants, Assembled)) {
    const AssembledKernel After = Kernels.lookup(K.F->getName());
    const double Cost = costOf(K, Setup.GPU, After, Variant.Accesses);
    if (Cost < Least &&
        whyNotShared(Setup.GPU, Setup.SMs, K.Launches, Limited.Code, After)
            .empty()) {
      Least = Cost;
      Best.Variant = Variant;
      Best.Code = After;
    }
  }
  return Best;
}

Expected<std::vector<ChosenVariant>>
VariantCode::chooseFor(ArrayRef<const LimitedCode *> Limits) {
  std::vector<std::vector<SlotVariant>> Tried;
  std::vector<AssemblyRequest> Requests;
  for (const LimitedCode *Limited : Limits) {
    Tried.push_back(variants(*Limited));
    for (const SlotVariant &V : Tried.back()) {
      auto Request = request(V, *Limited);
      if (!Request)
        return Request.takeError();
      Requests.push_back(std::move(*Request));
    }
  }
  auto Assembled = Setup.Cache.assembleAll(Requests);
  if (!Assembled)
    return Assembled.takeError();
  std::vector<ChosenVariant> Chosen;
  ArrayRef<AssembledKernels> Rest = *Assembled;
  for (auto [Limited, OfThis] : zip_equal(Limits, Tried)) {
    Chosen.push_back(best(OfThis, Rest.take_front(OfThis.size()), *Limited));
    Rest = Rest.drop_front(OfThis.size());
  }
  return Chosen;
}

std::string sluice::whyNoOwnSpills(const Function &F, const KernelPlan &Plan) {
  if (std::string Why = whyNoSharedSpills(Plan); !Why.empty())
    return Why;
  if (std::string Why = findFixedResidency(F); !Why.empty())
    return "it " + Why;
  return whyNoSlots(F);
}

Error sluice::addOwnSpills(const LimitedKernel &K, const SpillSetup &Setup,
                           ArrayRef<LimitedCode *> Limits) {
  std::vector<LimitedCode *> Spilling(Limits.begin(), Limits.end());
  erase_if(Spilling,
           [](const LimitedCode *L) { return !L->Code.spilledBytes(); });
  if (Spilling.empty())
    return Error::success();
  auto Chosen =
      VariantCode(K, Setup).chooseFor(ArrayRef<LimitedCode *>(Spilling));
  if (!Chosen)
    return Chosen.takeError();
  for (auto [Limited, Own] : zip_equal(Spilling, *Chosen))
    if (Own.Variant) {
      Limited->Shared = Own.Code;
      Limited->SharedAccesses = Own.Variant->Accesses;
    }
  return Error::success();
}

//===- One limit ----------------------------------------------------------===//

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
                                          const SpillSetup &Setup,
                                          WrongRewrite Wrong) {
  if (std::string WhyNot = whyNoSlots(*K.F); !WhyNot.empty())
    return WhyNot;
  const LimitedCode Limited = {registerLimit(*K.F).value_or(0), Local};
  auto Chosen = VariantCode(K, Setup).chooseFor({&Limited});
  if (!Chosen)
    return Chosen.takeError();
  const SlotThreads Who = slotsFor(K);
  const auto &[Variant, After, NoneFit] = Chosen->front();
  if (NoneFit)
    return spareSharedBytes(Setup.GPU, Setup.SMs, K.Launches, Local) <
                   4 * Who.Threads
               ? "no shared memory is to spare"
               : "no value can wait in memory";
  if (!Variant)
    return "with values there the assembler's code costs more";
  const uint64_t Bytes =
      spillToSlots(*K.F, valuesOf(*K.F, Variant->Numbers), Who, Wrong);
  NumSlots += Variant->Numbers.size();
  remarkSlots(K, *Variant, Bytes, Local, After);
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
