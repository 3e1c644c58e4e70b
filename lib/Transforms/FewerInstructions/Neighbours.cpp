// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads come together where the first is, stores where the last is. So nothing
// between them may touch the same, order memory, or end the thread. Between the
// words of two threads are multiples of a word, as all that a thread's place
// hangs on is one: else neighbouring threads would access neighbours, and have
// them in few lines anyway.

#include "Neighbours.h"
#include "BlockRounding.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace sluice;

/// Of words, in bytes.
static constexpr unsigned Widest = 16, Narrowest = 8;
/// A test and its branches are about four instructions.
static constexpr unsigned FewestSaved = 4;
/// In a loop the test is made once, before it.
static constexpr unsigned FewestWritten = 3;
static constexpr unsigned SectorBytes = 32;
/// Loads that come together: they are in registers from then on, 40 of them.
static constexpr unsigned MostLoaded = 160;
/// Instructions beside addresses that stores move past: what they write is in
/// registers till then.
static constexpr unsigned MostPassed = 64;
/// Accesses that come together. Each pair is compared.
static constexpr unsigned MostTogether = 64;
/// Of a kernel: both ways are in its code.
static constexpr unsigned MostTests = 4;
/// How deep an address is looked into.
static constexpr unsigned MostDepth = 8;

namespace {

/// What of a kernel may come together.
class WordFinder {
public:
  WordFinder(Function &F, ChangeTest MayChange, FunctionAnalysisManager &FAM)
      : F(F), MayChange(MayChange),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        Aliases(FAM.getResult<AAManager>(F)) {}
  std::vector<Neighbours> find();

private:
  void visit(Instruction &I);
  const SCEV *distance(const Instruction &I) const;
  Argument *arrayOf(const Instruction &I) const;
  unsigned variableZeros(const SCEV *Distance) const;
  bool mayCome(Instruction &I);
  std::optional<int64_t> offsetIn(const NeighbourGroup &G,
                                  const Instruction &I) const;
  void add(Instruction &I, Neighbours &To);
  bool addAgain(LoadInst &Load);
  void addLoad(LoadInst &Load);
  void addStore(StoreInst &Store);
  bool touches(const Instruction &I, const Instruction &Member);
  bool mayMeet(const Instruction &Store, const Instruction &Other);
  bool isDense(const NeighbourGroup &G) const;
  void end(Neighbours &Of);

  Function &F;
  ChangeTest MayChange;
  ScalarEvolution &SE;
  const LoopInfo &LI;
  BatchAAResults Aliases;
  std::optional<ThreadUniformity> Uniformity;
  Neighbours Loads, Stores; ///< Of the block so far.
  std::vector<Neighbours> Found;
};

} // namespace

//===- What comes together ------------------------------------------------===//

static unsigned bytesOf(const Instruction &I) {
  return unsigned(getLoadStoreType(&I)->getPrimitiveSizeInBits() / 8);
}

/// The wide access says the same as each.
static bool isKeptMetadata(unsigned Kind, LLVMContext &Context) {
  switch (Kind) {
  case LLVMContext::MD_tbaa:
  case LLVMContext::MD_alias_scope:
  case LLVMContext::MD_noalias:
  case LLVMContext::MD_nontemporal:
  case LLVMContext::MD_invariant_load:
  case LLVMContext::MD_access_group:
  case LLVMContext::MD_noundef:
  case LLVMContext::MD_mmra:
    return true;
  default:
    return Kind == Context.getMDKindID("mem.cache_hint");
  }
}

using Marks = SmallVector<std::pair<unsigned, MDNode *>, 4>;

/// All but what differs from member to member of a struct.
static Marks marksOf(const Instruction &I) {
  Marks All;
  I.getAllMetadataOtherThanDebugLoc(All);
  erase_if(All, [](const auto &M) { return M.first == LLVMContext::MD_tbaa; });
  return All;
}

/// May nothing move past \p I?
static bool keepsOrder(const Instruction &I) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
    return false;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (Call && isArithmeticPTX(*Call))
    return false;
  return I.isTerminator() || I.isAtomic() || I.isVolatile() ||
         (Call && Call->isConvergent()) ||
         (Call && Call->mayReadOrWriteMemory()) ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

Value *sluice::pointerOf(const Instruction &I) {
  return const_cast<Value *>(getLoadStorePointerOperand(&I));
}

/// The array that a kernel is passed, if \p I is in one that nobody says the
/// alignment of.
Argument *WordFinder::arrayOf(const Instruction &I) const {
  const auto *Base =
      dyn_cast<SCEVUnknown>(SE.getPointerBase(SE.getSCEV(pointerOf(I))));
  auto *Array = Base ? dyn_cast<Argument>(Base->getValue()) : nullptr;
  return Array && !Array->hasByValAttr() &&
                 Array->getPointerAlignment(F.getDataLayout()) < Widest
             ? Array
             : nullptr;
}

/// From its array's begin, in bytes.
const SCEV *WordFinder::distance(const Instruction &I) const {
  return SE.removePointerBase(SE.getSCEV(pointerOf(I)));
}

/// Bits at the end of \p Distance that no variable changes.
unsigned WordFinder::variableZeros(const SCEV *Distance) const {
  if (isa<SCEVConstant>(Distance))
    return Log2_32(Widest);
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(Distance)) {
    unsigned Least = Log2_32(Widest);
    for (const SCEV *Summand : Sum->operands())
      Least = std::min(Least, variableZeros(Summand));
    return Least;
  }
  if (const auto *Sum = dyn_cast<SCEVAddRecExpr>(Distance);
      Sum && Sum->isAffine())
    return std::min(variableZeros(Sum->getStart()),
                    SE.getMinTrailingZeros(Sum->getStepRecurrence(SE)));
  return std::min(Log2_32(Widest), SE.getMinTrailingZeros(Distance));
}

/// May \p I be a part of a word that other threads access none of?
bool WordFinder::mayCome(Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!(Load && Load->isSimple()) && !(Store && Store->isSimple()))
    return false;
  const Type *T = getLoadStoreType(&I);
  if (!(T->isIntegerTy(32) || T->isIntegerTy(64) || T->isFloatTy() ||
        T->isDoubleTy()) ||
      // What is aligned LLVM sees to.
      getLoadStoreAlignment(&I) != bytesOf(I) || !arrayOf(I) ||
      variableZeros(distance(I)) < Log2_32(Narrowest) || !MayChange(I))
    return false;
  Marks All;
  I.getAllMetadataOtherThanDebugLoc(All);
  if (!all_of(All, [&](const auto &M) {
        return isKeptMetadata(M.first, I.getContext());
      }))
    return false;
  if (!Uniformity)
    Uniformity.emplace(F);
  return !Uniformity->isUniform(pointerOf(I)) && mayDifferByLane(*pointerOf(I));
}

/// If \p I is alike.
std::optional<int64_t> WordFinder::offsetIn(const NeighbourGroup &G,
                                            const Instruction &I) const {
  if (G.Array != arrayOf(I) || G.element() != getLoadStoreType(&I) ||
      marksOf(*G.Accesses.front().I) != marksOf(I))
    return std::nullopt;
  const auto Offset = SE.computeConstantDifference(distance(I), G.First);
  return Offset && Offset->isSignedIntN(32)
             ? std::optional(Offset->getSExtValue())
             : std::nullopt;
}

/// To the group that it is in, or to a new one.
void WordFinder::add(Instruction &I, Neighbours &To) {
  const unsigned Multiple =
      1u << std::min(Log2_32(Widest), SE.getMinTrailingZeros(distance(I)));
  To.Bytes += bytesOf(I);
  To.All.push_back(&I);
  for (NeighbourGroup &G : To.Groups)
    if (const auto Offset = offsetIn(G, I)) {
      G.Accesses.push_back({&I, *Offset, Multiple});
      return;
    }
  To.Groups.push_back({arrayOf(I), distance(I), {{&I, 0, Multiple}}});
}

/// False: \p Load loads something else.
bool WordFinder::addAgain(LoadInst &Load) {
  for (const NeighbourGroup &G : Loads.Groups)
    if (const auto Offset = offsetIn(G, Load))
      for (const NeighbourAccess &A : G.Accesses)
        if (A.Offset == *Offset) {
          Loads.Again.emplace_back(A.I, &Load);
          return true;
        }
  return false;
}

/// Is \p V known where \p At is, or can be?
static bool canBeKnown(const Value *V, const Instruction &At,
                       unsigned Depth = 0) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != At.getParent() || I->comesBefore(&At))
    return true;
  return Depth < MostDepth &&
         isa<GetElementPtrInst, CastInst, BinaryOperator>(I) &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(
             I->operands(),
             [&](const Value *Operand) {
               return canBeKnown(Operand, At, Depth + 1);
             });
}

static void makeKnown(Value *V, Instruction &At) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != At.getParent() || I->comesBefore(&At))
    return;
  for (Value *Operand : I->operands())
    makeKnown(Operand, At);
  I->moveBefore(At.getIterator());
}

Value *sluice::rootOf(const Instruction &I, APInt &Offset) {
  Value *Pointer = pointerOf(I);
  const DataLayout &Layout = I.getDataLayout();
  Offset = APInt(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  return Pointer->stripAndAccumulateConstantOffsets(Layout, Offset,
                                                    /*AllowNonInbounds=*/true);
}

/// Does \p I keep \p Member, in global memory, from moving past it?
bool WordFinder::touches(const Instruction &I, const Instruction &Member) {
  if (const Value *Pointer = getLoadStorePointerOperand(&I);
      Pointer && sharedVariable(Pointer))
    return false;
  const ModRefInfo Does =
      Aliases.getModRefInfo(&I, MemoryLocation::get(&Member));
  return isa<LoadInst>(Member) ? isModSet(Does) : isModOrRefSet(Does);
}

/// Of two stores.
bool WordFinder::mayMeet(const Instruction &Store, const Instruction &Other) {
  const auto Between =
      arrayOf(Store) == arrayOf(Other)
          ? SE.computeConstantDifference(distance(Store), distance(Other))
          : std::nullopt;
  if (!Between)
    return touches(Store, Other);
  return Between->slt(bytesOf(Other)) && Between->sgt(-int64_t(bytesOf(Store)));
}

void WordFinder::addLoad(LoadInst &Load) {
  if (Loads.Writers.size() > MostTogether ||
      any_of(Loads.Writers,
             [&](const Instruction *W) { return touches(*W, Load); }))
    end(Loads);
  if (addAgain(Load))
    return;
  APInt Offset;
  if (!Loads.All.empty() &&
      (Loads.All.size() == MostTogether ||
       Loads.Bytes + bytesOf(Load) > MostLoaded ||
       !canBeKnown(rootOf(Load, Offset), *Loads.All.front())))
    end(Loads);
  // Those stores may move past the first load, but no load of what they write.
  if (Loads.All.empty())
    Loads.Writers = Stores.All;
  add(Load, Loads);
}

void WordFinder::addStore(StoreInst &Store) {
  if (Stores.All.size() == MostTogether ||
      any_of(Stores.All,
             [&](const Instruction *Other) { return mayMeet(Store, *Other); }))
    end(Stores);
  add(Store, Stores);
}

void WordFinder::visit(Instruction &I) {
  if (keepsOrder(I)) {
    end(Loads);
    end(Stores);
    return;
  }
  const bool MayCome = mayCome(I);
  if (MayCome && isa<StoreInst>(I))
    addStore(cast<StoreInst>(I));
  else if (any_of(Stores.All,
                  [&](const Instruction *Store) {
                    return I.mayReadOrWriteMemory() && touches(I, *Store);
                  }) ||
           (!isa<GetElementPtrInst>(I) && !Stores.All.empty() &&
            ++Stores.Passed > MostPassed))
    end(Stores);
  if (isa<StoreInst>(I))
    Loads.Writers.push_back(&I);
  if (MayCome && isa<LoadInst>(I))
    addLoad(cast<LoadInst>(I));
}

//===- Words --------------------------------------------------------------===//

unsigned NeighbourWord::bytes() const {
  return unsigned(Parts.size()) * bytesOf(*Parts.front());
}

/// The widest words, from the array's begin on.
static void addWords(const NeighbourGroup &G,
                     SmallVectorImpl<NeighbourWord> &To) {
  std::map<int64_t, const NeighbourAccess *> At;
  for (const NeighbourAccess &A : G.Accesses)
    At[A.Offset] = &A;
  const unsigned Bytes = bytesOf(*G.Accesses.front().I);
  const auto WordAt = [&](int64_t Begin, unsigned Wide) {
    NeighbourWord Found{G.Array};
    for (unsigned Offset = 0; Offset < Wide; Offset += Bytes)
      if (const auto Part = At.find(Begin + Offset); Part != At.end())
        Found.Parts.push_back(Part->second->I);
    return Found;
  };
  int64_t End = std::numeric_limits<int64_t>::min();
  for (const auto &[Begin, First] : At)
    for (unsigned Wide = Widest; Wide >= Narrowest && Begin >= End; Wide /= 2)
      if (Wide > Bytes && First->Multiple % Wide == 0)
        if (NeighbourWord Found = WordAt(Begin, Wide); Found.bytes() == Wide) {
          To.push_back(std::move(Found));
          End = Begin + Wide;
        }
}

void Neighbours::makeWords() {
  for (const NeighbourGroup &G : Groups)
    addWords(G, Words);
  for (const NeighbourWord &W : Words)
    Moved.insert(W.Parts.begin(), W.Parts.end());
}

Instruction &Neighbours::place() const {
  const auto IsMoved = [&](const Instruction *I) { return Moved.contains(I); };
  return areLoads() ? **find_if(All, IsMoved)
                    : **find_if(reverse(All), IsMoved);
}

bool Neighbours::isBehind(const Instruction &I) const {
  return areLoads() ? !I.comesBefore(&place())
                    : Moved.contains(&I) || place().comesBefore(&I);
}

/// Would a sum of the block, which becomes several, round in another way?
static bool roundsAnew(const Neighbours &Of) {
  return roundsAnewApart(
      *Of.All.front()->getParent(),
      [&](const Instruction &Product, const Instruction &User) {
        return !Of.isBehind(Product) && Of.isBehind(User);
      });
}

/// Bits at the end of \p Distance that are 0 in all threads, where loops begin.
static unsigned zerosAtStart(const SCEV *Distance, ScalarEvolution &SE) {
  if (const auto *Sum = dyn_cast<SCEVAddRecExpr>(Distance))
    return zerosAtStart(Sum->getStart(), SE);
  const auto *Sum = dyn_cast<SCEVAddExpr>(Distance);
  if (!Sum)
    return SE.getMinTrailingZeros(Distance);
  unsigned Least = 64;
  for (const SCEV *Summand : Sum->operands())
    Least = std::min(Least, zerosAtStart(Summand, SE));
  return Least;
}

/// May a sector be several threads', which have all of it together? Then the L1
/// has it for all but the first.
bool WordFinder::isDense(const NeighbourGroup &G) const {
  const uint64_t Bytes = G.Accesses.size() * bytesOf(*G.Accesses.front().I);
  unsigned Zeros = 0; // Of the address without the offset in a thread's part.
  for (const NeighbourAccess &A : G.Accesses)
    Zeros = std::max(Zeros, zerosAtStart(distance(*A.I), SE));
  return Bytes < SectorBytes && (Zeros >= 64 || Bytes >= uint64_t(1) << Zeros);
}

void WordFinder::end(Neighbours &Of) {
  if (!Of.All.empty()) {
    // The L1 passes each store on, whatever sector it is of.
    const bool IsWritten =
        !Of.areLoads() && LI.getLoopFor(Of.All.front()->getParent());
    if (!IsWritten)
      erase_if(Of.Groups, [&](const NeighbourGroup &G) { return isDense(G); });
    Of.makeWords();
    if (Of.Moved.size() >=
            Of.Words.size() + (IsWritten ? FewestWritten : FewestSaved) &&
        !roundsAnew(Of))
      Found.push_back(std::move(Of));
  }
  Of = Neighbours();
}

std::vector<Neighbours> WordFinder::find() {
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      visit(I);
  while (Found.size() > MostTests)
    Found.erase(
        min_element(Found, [](const Neighbours &A, const Neighbours &B) {
          return A.saved() < B.saved();
        }));
  // While blocks are whole.
  for (const Neighbours &Of : Found)
    for (const Instruction *I : Of.All)
      if (APInt Offset; Of.areLoads() && Of.Moved.contains(I))
        makeKnown(rootOf(*I, Offset), Of.place());
  return std::move(Found);
}

std::vector<Neighbours> sluice::findNeighbours(Function &F,
                                               ChangeTest MayChange,
                                               FunctionAnalysisManager &FAM) {
  return isKernel(F) ? WordFinder(F, MayChange, FAM).find()
                     : std::vector<Neighbours>();
}
