// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To be deleted when Sluice moves to an LLVM that lowers `!mem.cache_hint`.
//
// Between the metadata and the machine instruction are passes that join, split
// and rebuild loads, and drop metadata that they do not know. So the hint
// travels as what they do know:
//
//  * As the first pass of code generation TagHints puts it into `!mmra`. The
//    load/store vectoriser and GVN give a joined load the tags of both, and
//    no alias analysis looks at them: the code stays what it was.
//  * Behind the IR passes ScopeHints copies the tags to `!alias.scope`, of a
//    domain that no `!noalias` names. The memory operands carry them through
//    the splitting of loads in instruction selection, which loses `!mmra`;
//    `ld.global.nc` has no memory operand there, and keeps `!mmra`.
//  * A copy of memory gets `!alias.scope` at once: nothing joins it with
//    another, and only AA metadata is kept where its pointers' address spaces
//    change.
//  * What lost both (`nc` that is split, what GVN makes of partially redundant
//    loads) gets the hint that all loads of its place had in the beginning.
//  * Behind the last machine pass that moves code LowerHints replaces the load
//    by inline assembly on the same registers.
//
// A load in a function with hints that has none is tagged as well, or joining
// would drop the others' tags.
//
//   %y = load float, ptr addrspace(1) %p, !mem.cache_hint !0
//   !0 = !{i32 0, !{!"sluice.l2_policy", !"evict_last"}}
//
// is ld.global.b32 %r6, [%rd9]; for LLVM 22. With these passes it is
//
//   createpolicy.fractional.L2::evict_last.b64 %rd11, 1.0;  // at the entry
//   ...
//   ld.global.L2::cache_hint.b32 %r6, [%rd9], %rd11;
//
// on the same registers, and no other instruction is a different one.

#include "sluice/Transforms/CacheHintLowering.h"
#include "HintedLoad.h"
#include "MachineAsm.h"
#include "WarpPartition.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/StackProtector.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <set>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-cache-hints"

STATISTIC(NumLowered, "Load instructions with a cache hint in PTX");
STATISTIC(NumDropped, "Cache hints, or parts of one, that were dropped");

/// Of alias scopes, and of the functions' notes.
static constexpr StringLiteral TagPrefix = CacheHintTag;

//===- Carrying -----------------------------------------------------------===//

static void sayMissed(const Function &F, const Twine &Name, const DebugLoc &At,
                      const BasicBlock *Block, const Twine &Message) {
  ++NumDropped;
  OptimizationRemarkEmitter Remarks(&F);
  std::string NameText = Name.str(), Text = Message.str();
  emitPlaced(Remarks, At, [&](const DebugLoc &Place) {
    return OptimizationRemarkMissed(DEBUG_TYPE, NameText, Place,
                                    Block ? Block : &F.getEntryBlock())
           << Text;
  });
  // llc shows no remark that is not asked for.
  static const Function *Warned = nullptr;
  if (!warnsOfDroppedHints() || Warned == &F ||
      Remarks.allowExtraAnalysis(DEBUG_TYPE))
    return;
  Warned = &F;
  F.getContext().diagnose(DiagnosticInfoGeneric(
      "in '" + F.getName() + "': " + Text +
          " (-pass-remarks-missed=sluice-cache-hints has all)",
      DS_Warning));
}

bool &sluice::warnsOfDroppedHints() {
  static bool Warns = false;
  return Warns;
}

/// The hint that \p I, a load or a copy, has and can have.
static CacheHint hintFor(const Instruction &I) {
  SmallVector<std::string, 2> Problems;
  CacheHint Hint = readCacheHint(I, Problems);
  for (const std::string &Problem : Problems)
    sayMissed(*I.getFunction(), "Malformed", I.getDebugLoc(), I.getParent(),
              "cache hint ignored: !mem.cache_hint is malformed: " + Problem);
  if (Hint.empty() || !(I.isVolatile() || I.isAtomic()))
    return Hint;
  sayMissed(*I.getFunction(), "NotSimple", I.getDebugLoc(), I.getParent(),
            Twine("cache hint ") + Hint.str() + " dropped: the load is " +
                (I.isVolatile() ? "volatile" : "atomic"));
  return {};
}

static void addScopes(Instruction &I, const std::set<std::string> &Hints) {
  LLVMContext &C = I.getContext();
  MDNode *Domain = MDNode::get(C, MDString::get(C, TagPrefix));
  SmallVector<Metadata *, 2> Scopes;
  for (const std::string &Hint : Hints)
    Scopes.push_back(MDNode::get(
        C, {MDString::get(C, (TagPrefix + " " + Hint).str()), Domain}));
  I.setMetadata(LLVMContext::MD_alias_scope,
                MDNode::concatenate(I.getMetadata(LLVMContext::MD_alias_scope),
                                    MDNode::get(C, Scopes)));
}

/// The hints of a function's loads, before code is generated, by their places.
/// As text, since no metadata but that of loops may have a location in it.
using HintsByPlace = std::map<std::string, std::set<std::string>>;

static std::string placeOf(const DebugLoc &At) {
  return codeIdOf(At.get()).str();
}

static void remember(Function &F, const HintsByPlace &Hints) {
  LLVMContext &C = F.getContext();
  SmallVector<Metadata *, 16> Pairs;
  for (const auto &[Place, Texts] : Hints)
    for (const std::string &Text : Texts)
      Pairs.append({MDString::get(C, Place), MDString::get(C, Text)});
  F.setMetadata(TagPrefix, MDNode::get(C, Pairs));
}

static HintsByPlace hintsByPlace(const Function &F) {
  auto TextOf = [](const MDOperand &Text) {
    return cast<MDString>(Text)->getString().str();
  };
  HintsByPlace Hints;
  if (const MDNode *Pairs = F.getMetadata(TagPrefix))
    for (unsigned I = 0; I + 1 < Pairs->getNumOperands(); I += 2)
      Hints[TextOf(Pairs->getOperand(I))].insert(
          TextOf(Pairs->getOperand(I + 1)));
  return Hints;
}

namespace {

class TagHints : public FunctionPass {
public:
  static char ID;
  explicit TagHints(bool IsOptimizing)
      : FunctionPass(ID), IsOptimizing(IsOptimizing) {}
  StringRef getPassName() const override { return "Sluice: tag cache hints"; }
  void getAnalysisUsage(AnalysisUsage &Uses) const override {
    Uses.setPreservesAll();
  }
  bool runOnFunction(Function &F) override;

private:
  const bool IsOptimizing;
};
char TagHints::ID = 0;

class ScopeHints : public FunctionPass {
public:
  static char ID;
  ScopeHints() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Sluice: keep cache hints"; }
  void getAnalysisUsage(AnalysisUsage &Uses) const override {
    Uses.setPreservesAll();
  }
  bool runOnFunction(Function &F) override;
};
char ScopeHints::ID = 0;

} // namespace

bool TagHints::runOnFunction(Function &F) {
  SmallVector<std::pair<Instruction *, CacheHint>, 16> Loads;
  bool HasHint = false;
  for (Instruction &I : instructions(F))
    if (readPointer(I)) {
      CacheHint Hint = hintFor(I);
      HasHint |= !Hint.empty();
      if (!I.isVolatile() && !I.isAtomic())
        Loads.push_back({&I, Hint});
    }
  if (!HasHint)
    return false;
  if (!IsOptimizing) {
    sayMissed(F, "NotOptimizing", DebugLoc(), nullptr,
              "cache hints dropped: there are none at -O0");
    return false;
  }
  HintsByPlace AtPlace;
  for (auto &[I, Hint] : Loads) {
    if (auto *Load = dyn_cast<LoadInst>(I))
      tagCacheHint(*Load, Hint);
    else
      addScopes(*I, {Hint.str()});
    AtPlace[placeOf(I->getDebugLoc())].insert(Hint.str());
  }
  remember(F, AtPlace);
  return true;
}

bool ScopeHints::runOnFunction(Function &F) {
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    std::set<std::string> Hints =
        taggedCacheHints(I.getMetadata(LLVMContext::MD_mmra));
    if (Hints.empty())
      continue;
    addScopes(I, Hints);
    Changed = true;
  }
  return Changed;
}

/// The hints of all loads that \p MI stands for.
static std::set<std::string> hintsOf(const MachineInstr &MI) {
  std::set<std::string> Hints;
  for (const MachineMemOperand *Memory : MI.memoperands()) {
    const MDNode *Scopes = Memory->getAAInfo().Scope;
    if (!Scopes)
      continue;
    for (const MDOperand &Scope : Scopes->operands()) {
      const auto *Node = dyn_cast_or_null<MDNode>(Scope);
      const auto *Name =
          Node ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
      StringRef Text = Name ? Name->getString() : "";
      if (Text.consume_front(TagPrefix) && Text.consume_front(" "))
        Hints.insert(Text.str());
    }
  }
  return Hints.empty() ? taggedCacheHints(MI.getMMRAMetadata()) : Hints;
}

//===- Lowering -----------------------------------------------------------===//

namespace {

class LowerHints : public MachineFunctionPass {
public:
  static char ID;
  LowerHints() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Sluice: lower cache hints"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool lower(MachineInstr &MI, const PTXLoad &Load, StringRef HintText);
  Register policyFor(const CacheHint &Hint, MachineFunction &MF);
  std::string whyNotByWarp(const CacheHint &Hint) const;
  void addVotes(MachineFunction &MF);
  Register atEntry(const std::string &Text, StringRef Class,
                   MachineFunction &MF);

  const TargetInstrInfo *TII = nullptr;
  PTXTarget Target;
  std::map<std::string, Register> MadeAtEntry; ///< By what makes them.
  std::optional<CachedWarps> Warps;            ///< That use the cache.
};
char LowerHints::ID = 0;

} // namespace

/// A register of \p Class that \p Text makes at the function's entry; not valid
/// where there is no such class.
Register LowerHints::atEntry(const std::string &Text, StringRef Class,
                             MachineFunction &MF) {
  Register &Known = MadeAtEntry[Text];
  if (Known)
    return Known;
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  for (const TargetRegisterClass *Other : TRI->regclasses())
    if (TRI->getRegClassName(Other) == Class)
      Known = MF.getRegInfo().createVirtualRegister(Other);
  if (!Known)
    return Known;
  MachineBasicBlock &Entry = MF.front();
  MachineInstrBuilder Asm =
      buildAsm(Entry, Entry.begin(), DebugLoc(), *TII, Text, 0);
  addDef(Asm, Known);
  return Known;
}

/// A register with the policy.
Register LowerHints::policyFor(const CacheHint &Hint, MachineFunction &MF) {
  auto Create = [](StringRef Priority, StringRef Into) {
    return formatv("createpolicy.fractional.{0}.b64 \t{1}, 1.0;", Priority,
                   Into)
        .str();
  };
  if (Hint.ByWarp == CacheHint::WarpBypass::L2)
    return atEntry("{\n\t.reg .pred \tfirst;\n\t.reg .b64 \tstays, "
                   "leaves;\n\t" +
                       firstWarpsText(*Warps, "first") + "\n\t" +
                       Create("L2::evict_normal", "stays") + "\n\t" +
                       Create("L2::evict_first", "leaves") +
                       "\n\tselp.b64 \t$0, stays, leaves, first;\n\t}",
                   "B64", MF);
  CacheHint Policy;
  Policy.L2 = Hint.L2;
  return atEntry(
      Hint.L2Policy != 0
          ? formatv("mov.b64 \t$0, {0};", int64_t(Hint.L2Policy)).str()
          : Create(Policy.str(), "$0"),
      "B64", MF);
}
/// Why the warps of this kernel are not told apart; empty: they are.
std::string LowerHints::whyNotByWarp(const CacheHint &Hint) const {
  if (!Warps)
    return "the kernel does not say how many warps use the cache";
  if (Warps->Votes.empty())
    return "";
  if (Hint.ByWarp == CacheHint::WarpBypass::L2)
    return "warps vote on the L1 alone";
  if (Target.SM < 70 || Target.Version < 62)
    return "a vote needs sm_70 and PTX 6.2";
  return "";
}

/// Has threads that return vote, where they began to.
void LowerHints::addVotes(MachineFunction &MF) {
  const std::string Text = voteText();
  for (MachineBasicBlock &Block : MF)
    if (auto Return = Block.getFirstTerminator();
        Return != Block.end() && Return->isReturn())
      buildAsm(Block, Return, DebugLoc(), *TII, Text,
               InlineAsm::Extra_HasSideEffects | InlineAsm::Extra_IsConvergent);
}

bool LowerHints::lower(MachineInstr &MI, const PTXLoad &Load,
                       StringRef HintText) {
  MachineFunction &MF = *MI.getMF();
  auto Refuse = [&](StringRef Name, const Twine &Why) {
    sayMissed(MF.getFunction(), Name, MI.getDebugLoc(),
              MI.getParent()->getBasicBlock(),
              "cache hint " + HintText + " dropped: " + Why);
    return false;
  };
  if (Load.Space == PTXLoad::Generic)
    return Refuse("Generic", "the address is not known to be global");
  if (Load.Space != PTXLoad::Global)
    return Refuse("NotGlobal", "the load is not of global memory");
  CacheHint Hint = cantFail(parseCacheHint(HintText)); // ours
  for (const std::string &Why : dropUnsupported(Hint, Target))
    Refuse("Unsupported", Why);
  CacheHint AsRead = Hint;
  AsRead.ReadOnly = Load.IsReadOnly;
  if (std::string Fault = faultOf(AsRead); !Fault.empty())
    return Refuse("Excluded", Fault);
  if (Hint.ByWarp != CacheHint::WarpBypass::None)
    if (std::string Why = whyNotByWarp(Hint); !Why.empty()) {
      Refuse("NoWarps", Why);
      Hint.ByWarp = CacheHint::WarpBypass::None;
    }
  const bool IsPair = Hint.ByWarp == CacheHint::WarpBypass::L1;
  const unsigned Count = MI.getNumExplicitDefs();
  AsmOperands Numbers;
  Numbers.Address = Count;
  SmallVector<Register, 2> AtEntry; // behind the address
  if (Hint.hasPolicy() || Hint.ByWarp == CacheHint::WarpBypass::L2) {
    if (Register Policy = policyFor(Hint, MF)) {
      AtEntry.push_back(Policy);
      Numbers.Policy = Count + AtEntry.size();
    } else {
      Refuse("NoRegister", "there is no register for the policy");
      Hint.L2 = CacheHint::L2Eviction::None;
      Hint.L2Policy = 0;
      Hint.ByWarp = CacheHint::WarpBypass::None;
    }
  }
  if (IsPair) {
    if (Register First = atEntry(firstWarpsText(*Warps, "$0"), "B1", MF)) {
      AtEntry.push_back(First);
      Numbers.FirstWarps = Count + AtEntry.size();
    } else {
      Refuse("NoRegister", "there is no register for a predicate");
      Hint.ByWarp = CacheHint::WarpBypass::None;
    }
  }
  if (Hint.empty())
    return false;

  ++NumLowered;
  LLVM_DEBUG(dbgs() << "with " << Hint.str() << ": " << MI);
  MachineInstrBuilder Asm =
      buildAsm(*MI.getParent(), MI, MI.getDebugLoc(), *TII,
               textOf(Load, Hint, Numbers), InlineAsm::Extra_MayLoad);
  for (unsigned I = 0; I < Count; ++I)
    addDef(Asm, MI.getOperand(I).getReg());
  if (Load.Address->isReg())
    addUse(Asm, Load.Address->getReg());
  else
    Asm.addImm(InlineAsm::Flag(InlineAsm::Kind::Imm, 1)).add(*Load.Address);
  for (Register R : AtEntry)
    addUse(Asm, R);
  Asm.setMemRefs(MI.memoperands());
  MI.eraseFromParent();
  return true;
}

/// The number in "sm_90a" or "ptx78", where \p Key is one of \p Prefix.
static unsigned numberIn(StringRef Key, StringRef Prefix) {
  unsigned Number = 0;
  if (Key.consume_front(Prefix) && Key.consumeInteger(10, Number))
    return 0;
  return Number;
}

/// The PTX version that NVPTX takes where none is asked for: the first with the
/// chip. From sm_87 on that has all hints.
static unsigned firstVersionWith(unsigned SM) {
  return SM >= 87 ? 74 : SM >= 80 ? 70 : SM >= 70 ? 60 : 32;
}

static PTXTarget targetOf(const MCSubtargetInfo &Subtarget) {
  PTXTarget Target;
  for (const SubtargetFeatureKV &Feature :
       Subtarget.getEnabledProcessorFeatures()) {
    Target.SM = std::max(Target.SM, numberIn(Feature.Key, "sm_"));
    Target.Version = std::max(Target.Version, numberIn(Feature.Key, "ptx"));
  }
  if (Target.Version == 0)
    Target.Version = firstVersionWith(Target.SM);
  return Target;
}

bool LowerHints::runOnMachineFunction(MachineFunction &MF) {
  HintsByPlace AtPlace = hintsByPlace(MF.getFunction());
  if (AtPlace.empty())
    return false; // no load had one
  TII = MF.getSubtarget().getInstrInfo();
  Target = targetOf(MF.getSubtarget());
  MadeAtEntry.clear();
  Warps = cachedWarps(MF.getFunction());
  SmallVector<std::pair<MachineInstr *, PTXLoad>, 32> Loads;
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block)
      if (std::optional<PTXLoad> Load = asLoad(MI, *TII))
        Loads.push_back({&MI, *Load});
  bool Changed = false;
  for (auto &[MI, Load] : Loads) {
    auto Say = [&, MI = MI](StringRef Name, const Twine &Message) {
      sayMissed(MF.getFunction(), Name, MI->getDebugLoc(),
                MI->getParent()->getBasicBlock(), Message);
    };
    std::set<std::string> Hints = hintsOf(*MI);
    if (Hints.empty() && Load.Space == PTXLoad::Global) {
      Hints = AtPlace[placeOf(MI->getDebugLoc())];
      if (Hints.size() != 1) {
        Say("Untagged", "no cache hint: the load was made by the code "
                        "generator, perhaps in place of one with a hint");
        continue;
      }
    }
    Hints.erase(CacheHint().str());
    if (Hints.size() > 1)
      Say("Joined", "cache hints " + join(Hints, " and ") +
                        " dropped: they are of loads that became one");
    else if (!Hints.empty())
      Changed |= lower(*MI, Load, *Hints.begin());
  }
  if (Warps && !Warps->Votes.empty() &&
      MadeAtEntry.count(firstWarpsText(*Warps, "$0")))
    addVotes(MF);
  return Changed;
}

void sluice::addCacheHintLowering(TargetMachine &TM,
                                  legacy::PassManagerBase &Passes,
                                  TargetPassConfig *Config) {
  if (!TM.getTargetTriple().isNVPTX())
    return;
  const bool IsOptimizing = TM.getOptLevel() != CodeGenOptLevel::None;
  Passes.add(new TagHints(IsOptimizing));
  if (!IsOptimizing)
    return;
  Config->insertPass(&StackProtector::ID, new ScopeHints());
  Config->insertPass(&MachineBlockPlacementID, new LowerHints());
}
