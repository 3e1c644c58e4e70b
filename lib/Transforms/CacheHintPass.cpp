// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads are known by their debug locations, so a copy that the optimiser made
// of one gets its hint too. What is set is metadata; CacheHintLowering.cpp
// makes instructions of it. `nc` alone says something about the program, so it
// is proven (KernelWrites.h) or left out.
//
// z[i] = x[i] + y[i], where the plan has L1::no_allocate for x and
// L2::evict_last for y:
//
//   %x = load float, ptr %px, align 4, !mem.cache_hint !0              // added
//   %y = load float, ptr %py, align 4, !mem.cache_hint !1              // added
//   !0 = !{i32 0, !{!"nvvm.l1_eviction", !"no_allocate"}}
//   !1 = !{i32 0, !{!"sluice.l2_policy", !"evict_last"}}
//
// and in PTX
//
//   ld.global.b32 %r5, [%rd8];
//   ld.global.b32 %r6, [%rd9];
// becomes
//   ld.global.L1::no_allocate.b32 %r5, [%rd8];
//   ld.global.L2::cache_hint.b32  %r6, [%rd9], %rd11;

#include "sluice/Transforms/CacheHintPass.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/SfuVersions.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/xxhash.h"
#include <random>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-cache-hints"

STATISTIC(NumHinted, "Loads and copies that were given a cache hint");
STATISTIC(NumReadOnly, "Loads shown to read what their kernel does not write");

namespace {

/// Sets the hints of one kernel.
class KernelHints {
public:
  KernelHints(Function &F, const KernelPlan *Plan,
              const CacheHintRequest &Request, AAResults &Aliases)
      : F(F), Plan(Plan), Request(Request), Aliases(Aliases), Remarks(&F) {}
  void set();

private:
  /// The number of the plan's entry for \p I, a load or a copy.
  std::optional<size_t> entryFor(const Instruction &I) const;
  void set(Instruction &I, CacheHint Hint);
  bool isReadOnly(const LoadInst &Load);
  void sayMissed(const Instruction &I, StringRef Name, const Twine &Message);
  CacheHint randomHintFor(unsigned Load) const;

  Function &F;
  const KernelPlan *Plan;
  const CacheHintRequest &Request;
  AAResults &Aliases;
  OptimizationRemarkEmitter Remarks;
  std::optional<KernelWrites> Writes; ///< When first asked for.
};

} // namespace

void KernelHints::sayMissed(const Instruction &I, StringRef Name,
                            const Twine &Message) {
  std::string Text = Message.str();
  emitPlaced(Remarks, I.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, Name, At, I.getParent())
           << Text;
  });
}

std::optional<size_t> KernelHints::entryFor(const Instruction &I) const {
  if (!Plan || !I.getDebugLoc())
    return std::nullopt;
  CodeId Id = codeIdOf(I.getDebugLoc().get());
  if (!Id.Place.isKnown()) // LLVM's line 0, of which there may be several
    return std::nullopt;
  std::optional<size_t> Found;
  for (const auto &[Number, Entry] : enumerate(Plan->Loads))
    if (Entry.isFor(Id) && (!Found || !Entry.Id.InlinedAt.empty()))
      Found = Number;
  return Found;
}

bool KernelHints::isReadOnly(const LoadInst &Load) {
  if (Load.hasMetadata(LLVMContext::MD_invariant_load) || Request.SkipsProof)
    return true;
  if (!Writes)
    Writes.emplace(F);
  std::string Why = Writes->whyWritten(Load, Aliases);
  if (!Why.empty())
    sayMissed(Load, "MayBeWritten",
              "no nc: the memory that is read is not known to be read-only, " +
                  Why);
  return Why.empty();
}

void KernelHints::set(Instruction &I, CacheHint Hint) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (I.isVolatile() || I.isAtomic()) {
    sayMissed(I, "NotSimple",
              Twine("no cache hint: the load is ") +
                  (I.isVolatile() ? "volatile" : "atomic"));
    return;
  }
  if (Hint.ReadOnly && !Load)
    sayMissed(I, "Copy", "no nc: what copies memory has none");
  if (Hint.ReadOnly) {
    Hint.ReadOnly = Load && isReadOnly(*Load);
    NumReadOnly += Hint.ReadOnly;
    if (Hint.ReadOnly)
      Load->setMetadata(LLVMContext::MD_invariant_load,
                        MDNode::get(F.getContext(), {}));
  }
  setCacheHint(I, Hint);
  ++NumHinted;
  emitPlaced(Remarks, I.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Hinted", At, I.getParent())
           << "the load's cache hint is " << ore::NV("Hint", Hint.str())
           << (Request.LinkMakesCode
                   ? " if the link loads SluicePasses.so, which makes the code"
                   : "");
  });
}

/// By the kernel's name without what a test that is shrunk may lose: template
/// arguments and parameters.
CacheHint KernelHints::randomHintFor(unsigned Load) const {
  std::string Name = demangle(F.getName());
  StringRef Stem =
      StringRef(Name).take_until([](char C) { return C == '(' || C == '<'; });
  std::seed_seq Seed{*Request.RandomSeed, *Request.RandomSeed >> 32,
                     xxh3_64bits(Stem), uint64_t(Load)};
  std::mt19937_64 Generator(Seed);
  return randomHint(Generator);
}

void KernelHints::set() {
  SmallVector<bool> IsUsed(Plan ? Plan->Loads.size() : 0, false);
  unsigned Number = 0;
  for (Instruction &I : instructions(F)) {
    const Value *Pointer = readPointer(I);
    if (!Pointer || !isGlobalPointer(Pointer))
      continue;
    if (std::optional<size_t> Entry = entryFor(I)) {
      IsUsed[*Entry] = true;
      set(I, Plan->Loads[*Entry].Hint);
    } else if (Request.All) {
      set(I, *Request.All);
    } else if (Request.RandomSeed) {
      set(I, randomHintFor(Number));
    } else {
      LLVM_DEBUG(dbgs() << "the plan says nothing of the load at "
                        << codeIdOf(I.getDebugLoc().get()).str() << "\n");
    }
    ++Number;
  }
  if (!Request.WarnsOfUnmatched)
    return;
  for (size_t I = 0; I < IsUsed.size(); ++I)
    if (!IsUsed[I])
      F.getContext().diagnose(DiagnosticInfoGeneric(
          "sluice: the plan's load at " + Plan->Loads[I].Id.str() +
              " matches none in kernel '" + demangle(F.getName()) + "'",
          DS_Warning));
}

/// Of \p Plans the one for \p Kernel; null: there is none.
static const KernelPlan *kernelPlanFor(const Function &Kernel,
                                       ArrayRef<Plan> Plans) {
  StringRef GPU = Kernel.getFnAttribute("target-cpu").getValueAsString();
  for (const Plan &P : Plans)
    if (GPU.empty() || P.GPU == GPU)
      if (const KernelPlan *Found =
              P.kernel(withoutSfuEnding(Kernel.getName())))
        return Found;
  return nullptr;
}

/// What is asked for by the plan in the module and the options that it was made
/// with.
static CacheHintRequest requestIn(Module &M) {
  CacheHintRequest Request;
  auto Attached = attachedPlanOrWarning(M, "no cache hints are set");
  if (!Attached)
    return Request;
  for (KernelPlan &Kernel : Attached->Decisions.Kernels)
    erase_if(Kernel.Loads, [&](const LoadPlan &Load) {
      return isIn(Attached->Off, Load.Id);
    });
  const Options &Opts = Attached->Opts;
  if (Opts.Hints)
    Request.Plans = {std::move(Attached->Decisions)};
  Request.RandomSeed = Opts.RandomHints;
  Request.SkipsProof = Opts.Wrong == WrongRewrite::UnprovenNC;
  Request.WarnsOfUnmatched = !Opts.PlanFile.empty(); // somebody wrote it
  return Request;
}

PreservedAnalyses CacheHintPass::run(Module &M,
                                     ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  CacheHintRequest InModule;
  if (Request.empty()) {
    InModule = requestIn(M);
    InModule.WarnsOfUnmatched |= Request.WarnsOfUnmatched;
    InModule.LinkMakesCode = Request.LinkMakesCode;
  }
  const CacheHintRequest &Asked = Request.empty() ? InModule : Request;
  for (Function &F : M) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    const KernelPlan *Plan = kernelPlanFor(F, Asked.Plans);
    LLVM_DEBUG(dbgs() << "kernel '" << F.getName() << "': "
                      << (Plan ? "a plan of its own" : "no plan") << "\n");
    if (Plan || Asked.All || Asked.RandomSeed)
      KernelHints(F, Plan, Asked, FAM.getResult<AAManager>(F)).set();
  }
  return PreservedAnalyses::all(); // no analysis looks at a hint
}

static Expected<CacheHintRequest> parseRequest(StringRef Parameters) {
  CacheHintRequest Request;
  SmallVector<StringRef, 2> Items;
  Parameters.split(Items, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    if (Item.consume_front("plan=")) {
      auto Plans = readPlanFile(Item);
      if (!Plans)
        return Plans.takeError();
      Request.Plans = std::move(*Plans);
    } else if (Item.consume_front("all=")) {
      auto Hint = parseCacheHint(Item);
      if (!Hint)
        return Hint.takeError();
      Request.All = *Hint;
    } else if (Item == "quiet") { // these two are for the clang plugin
      Request.WarnsOfUnmatched = false;
    } else if (Item == "link-makes-code") {
      Request.LinkMakesCode = true;
    } else {
      return createStringError("invalid parameter '" + Item +
                               "'; valid are plan=FILE and all=HINT");
    }
  }
  return Request;
}

void sluice::registerCacheHintPass(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (!Name.consume_front(DEBUG_TYPE))
          return false;
        if (Name.consume_front("<") && !Name.consume_back(">"))
          return false;
        auto Request = parseRequest(Name);
        if (!Request) {
          errs() << DEBUG_TYPE << ": " << toString(Request.takeError()) << "\n";
          return false;
        }
        MPM.addPass(CacheHintPass(std::move(*Request)));
        return true;
      });
}
