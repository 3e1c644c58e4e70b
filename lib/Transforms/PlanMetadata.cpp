// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As text, and not a node for each number: the formats of plans and of options
// have one parser each, which checks all that it reads.

#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/SfuVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace sluice;

static constexpr char PlanName[] = "sluice.plan";
static constexpr char OptionsName[] = "sluice.options";
static constexpr char OffName[] = "sluice.off";
static constexpr char WholeName[] = "sluice.whole";

static void erase(Module &M, StringRef Name) {
  if (NamedMDNode *Node = M.getNamedMetadata(Name))
    Node->eraseFromParent();
}

void sluice::detachPlan(Module &M) {
  for (StringRef Name : {PlanName, OptionsName, OffName, WholeName})
    erase(M, Name);
  forgetUnrollLevel(M);
}

/// Appends a node of \p Texts.
static void addTexts(Module &M, StringRef Name, ArrayRef<std::string> Texts) {
  SmallVector<Metadata *> Strings;
  for (const std::string &Text : Texts)
    Strings.push_back(MDString::get(M.getContext(), Text));
  M.getOrInsertNamedMetadata(Name)->addOperand(
      MDNode::get(M.getContext(), Strings));
}

static void addPlan(Module &M, const Plan &Decisions) {
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(Decisions, OS);
  addTexts(M, PlanName, {Text});
}

void sluice::attachPlan(Module &M, const PlanInModule &P) {
  detachPlan(M);
  addPlan(M, P.Decisions);
  if (!P.Args.empty())
    addTexts(M, OptionsName, P.Args);
  for (const PlaceRange &Range : P.Off)
    addTexts(M, OffName, {Range.Begin.str(), Range.End.str()});
  if (P.IsWhole)
    M.getOrInsertNamedMetadata(WholeName);
}

/// The texts of each node of \p Name; none where one is something else.
static std::optional<std::vector<std::vector<std::string>>>
textsOf(const Module &M, StringRef Name) {
  std::vector<std::vector<std::string>> Result;
  const NamedMDNode *Node = M.getNamedMetadata(Name);
  if (!Node)
    return Result;
  for (const MDNode *Operand : Node->operands()) {
    Result.emplace_back();
    for (const MDOperand &Text : Operand->operands()) {
      const auto *String = dyn_cast_or_null<MDString>(Text);
      if (!String)
        return std::nullopt;
      Result.back().push_back(String->getString().str());
    }
  }
  return Result;
}

static Error malformed(StringRef Name, StringRef Form) {
  return createStringError("!" + Name + " is not " + Form +
                           "; run sluice-plan again");
}

static Expected<std::vector<PlaceRange>> offOf(const Module &M) {
  std::vector<PlaceRange> Off;
  auto Texts = textsOf(M, OffName);
  if (!Texts)
    return malformed(OffName, "pairs of places");
  for (const std::vector<std::string> &Pair : *Texts) {
    PlaceRange Range;
    if (Pair.size() != 2 || !parseSourcePlace(Pair[0], Range.Begin) ||
        !parseSourcePlace(Pair[1], Range.End))
      return malformed(OffName, "pairs of places");
    Off.push_back(std::move(Range));
  }
  return Off;
}

/// What \p Text says. Some fifteen passes ask one after the other, and YAML
/// takes longer to read than most of them take.
static Expected<Plan> parsedPlan(StringRef Text) {
  static thread_local std::optional<std::pair<std::string, Plan>> Last;
  if (Last && Last->first == Text)
    return Last->second;
  TimeTraceScope Scope("ParseSluicePlan");
  auto Plans = parsePlans(Text, "!sluice.plan");
  if (!Plans)
    return Plans.takeError();
  if (Plans->size() != 1)
    return createStringError("!sluice.plan has " + Twine(Plans->size()) +
                             " plans; one is possible");
  Last.emplace(Text.str(), std::move(Plans->front()));
  return Last->second;
}

Expected<std::optional<AttachedPlan>> sluice::attachedPlan(const Module &M) {
  if (!M.getNamedMetadata(PlanName))
    return std::nullopt;
  AttachedPlan Result;
  // Linking modules appends: a plan for each.
  auto Texts = textsOf(M, PlanName);
  if (!Texts || Texts->size() != 1 || Texts->front().size() != 1)
    return malformed(PlanName, "one plan");
  auto Decisions = parsedPlan(Texts->front().front());
  if (!Decisions)
    return Decisions.takeError();
  Result.Decisions = std::move(*Decisions);

  auto Args = textsOf(M, OptionsName);
  if (!Args || Args->size() > 1)
    return malformed(OptionsName, "one list of options");
  if (!Args->empty()) {
    auto Opts = parseOptions(Args->front());
    if (!Opts)
      return Opts.takeError();
    Result.Opts = std::move(*Opts);
  }
  auto Off = offOf(M);
  if (!Off)
    return Off.takeError();
  Result.Off = std::move(*Off);
  Result.IsWhole = M.getNamedMetadata(WholeName);
  return Result;
}

std::optional<AttachedPlan> sluice::attachedPlanOrWarning(Module &M,
                                                          StringRef Effect) {
  auto P = attachedPlan(M);
  if (P)
    return std::move(*P);
  M.getContext().diagnose(DiagnosticInfoGeneric(
      Effect + ": " + toString(P.takeError()), DS_Warning));
  return std::nullopt;
}

/// Plans are for sm_90 where code is for sm_90a.
static bool isOf(StringRef CPU, StringRef GPU) {
  if (CPU.empty() || CPU == GPU)
    return true;
  auto Model = findGPUModel(CPU);
  if (Model)
    return (*Model)->Name == GPU;
  consumeError(Model.takeError());
  return false;
}

void sluice::addKernelPlan(Module &M, KernelPlan Kernel) {
  auto Attached = attachedPlan(M);
  if (!Attached || !*Attached) {
    consumeError(Attached.takeError());
    return;
  }
  (*Attached)->Decisions.Kernels.push_back(std::move(Kernel));
  ::erase(M, StringRef(PlanName));
  addPlan(M, (*Attached)->Decisions);
}

const KernelPlan *AttachedPlan::kernel(const Function &Kernel) const {
  StringRef CPU = Kernel.getFnAttribute("target-cpu").getValueAsString();
  return isOf(CPU, Decisions.GPU)
             ? Decisions.kernel(withoutSfuEnding(Kernel.getName()))
             : nullptr;
}

bool sluice::isKeptFrom(const Function &F, const AttachedPlan &Attached,
                        function_ref<bool(const KernelPlan &)> IsKept) {
  if (!isKernel(F))
    return any_of(Attached.Decisions.Kernels, IsKept);
  const KernelPlan *Plan = Attached.kernel(F);
  return Plan && IsKept(*Plan);
}

bool sluice::isReachedFrom(const std::vector<PlaceRange> &Ranges,
                           const DILocation *At) {
  for (; At; At = At->getInlinedAt())
    if (isIn(Ranges, codeIdOf(At)))
      return true;
  return false;
}

/// May \p F call itself, or what calls it? Its stack is as large as the program
/// says (cudaLimitStackSize): nobody knows how many frames are on it, and one
/// that grows may be one too many.
static bool mayCallItself(const Function &F) {
  if (isKernel(F))
    return false;
  SmallPtrSet<const Function *, 8> Seen;
  SmallVector<const Function *, 8> Open = {&F};
  while (!Open.empty()) {
    const Function *Of = Open.pop_back_val();
    if (Of->doesNotRecurse())
      continue;
    for (const Instruction &I : instructions(*Of)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      const Function *Callee = Call->getCalledFunction();
      if (!Callee || Callee == &F)
        return true;
      if (!Callee->isDeclaration() && Seen.insert(Callee).second)
        Open.push_back(Callee);
    }
  }
  return false;
}

bool sluice::isSwitchedOff(const Instruction &I, const AttachedPlan &Attached) {
  if (mayCallItself(*I.getFunction()))
    return true;
  if (Attached.Off.empty())
    return false;
  SmallPtrSet<const BasicBlock *, 4> Seen;
  const Instruction *Next = &I;
  while (Next) {
    const DILocation *At = Next->getDebugLoc().get();
    if (At && At->getLine())
      return isReachedFrom(Attached.Off, At);
    const BasicBlock *BB = Next->getParent();
    if (Next->isTerminator())
      Next = succ_empty(BB) || !Seen.insert(BB).second
                 ? nullptr
                 : &(*succ_begin(BB))->front();
    else
      Next = Next->getNextNode();
  }
  return false;
}
