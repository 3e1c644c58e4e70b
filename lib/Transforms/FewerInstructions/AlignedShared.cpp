// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared arrays, of which neighbours are read or written at once:
//
//   extern __shared__ double rows[];
//   ... rows[16 * x + 2 * k] ... rows[16 * x + 2 * k + 1] ...
//   __shared__ half tile[64][64];
//   *(float4 *)&tile[y][8 * x] = ...
//
// It may begin wherever an element may, as far as LLVM knows, so each element
// is an instruction. Aligned to 16 bytes it has pairs that one instruction
// reads, and copies of several elements. nvcc aligns every array of unknown
// length so. Arrays of known length are aligned only where padding between them
// goes into what a block takes anyway: the kernel's memory does not grow.

#include "AccessSide.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/SharedMemory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include <optional>
#include <tuple>

using namespace llvm;
using namespace sluice;

/// What one instruction moves at most.
static constexpr Align Widest = Align::Constant<16>();
/// What a block's shared memory is a multiple of, on GPUs from sm_80; before,
/// twice that. And the most of arrays of known length.
static constexpr uint64_t Granule = 128, MostStaticBytes = 48 * 1024;

namespace {

/// A part of an address: a number that is known when the kernel runs, made
/// longer, and times what one step has of bytes.
struct Step {
  const Value *Number;
  unsigned Extension = 0; ///< The cast's opcode; 0: none.
  uint64_t Scale;

  bool operator==(const Step &B) const {
    return Number == B.Number && Extension == B.Extension && Scale == B.Scale;
  }
};

/// A load or a store of a shared array, or one side of a copy.
struct SharedAccess : AccessSide {
  SmallVector<Step, 4> Steps; ///< From the array's first byte,
  uint64_t Offset = 0;        ///< and a known distance.
  uint64_t Bytes;
  Align Known = Widest; ///< Of its address, where the array begins so.
};

} // namespace

static bool isShared(const GlobalVariable &G) {
  return G.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
}

/// Of a length that the launch says?
static bool isDynamic(const GlobalVariable &G, const DataLayout &Layout) {
  return G.isDeclaration() && G.hasExternalLinkage() &&
         Layout.getTypeAllocSize(G.getValueType()).isZero();
}

/// The functions that name \p V, or a constant made of it.
static void addUsers(const Value &V, SmallPtrSetImpl<const Function *> &Users) {
  for (const User *U : V.users())
    if (const auto *I = dyn_cast<Instruction>(U))
      Users.insert(I->getFunction());
    else
      addUsers(*U, Users);
}

namespace {

/// Which kernels have room for arrays that begin at multiples of 16 bytes, with
/// padding before them, in the shared memory that a block takes anyway.
class RoomForPadding {
  SmallVector<std::pair<SmallSetVector<const Function *, 8>, bool>, 8> Kernels;
  const bool IsWhole;

public:
  RoomForPadding(const Module &M, bool IsWhole) : IsWhole(IsWhole) {
    for (const Function &F : M)
      if (!F.isDeclaration() && isKernel(F))
        Kernels.emplace_back(calledFrom(F), isIn(F));
  }

  static bool isIn(const Function &Kernel) {
    const DeclaredShared Least = declaredShared(Kernel),
                         Most = declaredShared(Kernel, Widest);
    return Least.StaticBytes == Most.StaticBytes ||
           (!Least.IsDynamic && Most.StaticBytes <= MostStaticBytes &&
            alignTo(Least.StaticBytes, Granule) ==
                alignTo(Most.StaticBytes, Granule));
  }

  /// In all kernels that \p G is of?
  bool isFor(const GlobalVariable &G) const {
    SmallPtrSet<const Function *, 4> Users;
    addUsers(G, Users);
    return all_of(Users, [&](const Function *User) {
      if (!IsWhole && !isKernel(*User) && !User->hasLocalLinkage())
        return false;
      return all_of(Kernels, [&](const auto &Kernel) {
        return Kernel.second || !Kernel.first.contains(User);
      });
    });
  }
};

} // namespace

/// The arrays that may begin at other places than they do. \p IsWhole: nothing
/// else is linked to \p M, that might have another copy of a template's array.
static SmallVector<GlobalVariable *, 4> movableArrays(Module &M, bool IsWhole) {
  const DataLayout &Layout = M.getDataLayout();
  SmallVector<GlobalVariable *, 4> Arrays;
  std::optional<RoomForPadding> Room;
  for (GlobalVariable &G : M.globals()) {
    if (!isShared(G) || G.use_empty() || G.getAlign().valueOrOne() >= Widest)
      continue;
    if (isDynamic(G, Layout)) {
      Arrays.push_back(&G);
      continue;
    }
    const bool IsOwn = IsWhole && G.hasLinkOnceODRLinkage();
    if (!IsOwn && !G.canIncreaseAlignment())
      continue;
    if (!Room)
      Room.emplace(M, IsWhole);
    if (Room->isFor(G))
      Arrays.push_back(&G);
  }
  return Arrays;
}

/// Adds \p Index times \p Scale to the address of \p A.
static void addStep(SharedAccess &A, const Value *Index, uint64_t Scale,
                    const DataLayout &Layout) {
  const unsigned Zeros =
      countr_zero(Scale) +
      computeKnownBits(Index, Layout).countMinTrailingZeros();
  A.Known = std::min(A.Known, Align(1ULL << std::min(Zeros, Log2(Widest))));
  Step S{Index, 0, Scale};
  if (isa<ZExtInst, SExtInst>(Index)) {
    S.Extension = cast<CastInst>(Index)->getOpcode();
    S.Number = cast<CastInst>(Index)->getOperand(0);
  }
  // What is added before it is made longer, if that is the same as behind.
  const auto *Sum = dyn_cast<BinaryOperator>(S.Number);
  const auto *More = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
  const bool IsOr = Sum && isa<PossiblyDisjointInst>(Sum) &&
                    cast<PossiblyDisjointInst>(Sum)->isDisjoint();
  const bool IsAdd = Sum && Sum->getOpcode() == Instruction::Add &&
                     (!S.Extension || (S.Extension == Instruction::ZExt
                                           ? Sum->hasNoUnsignedWrap()
                                           : Sum->hasNoSignedWrap()));
  if (More && More->getBitWidth() <= 64 && !More->isNegative() &&
      (IsOr || IsAdd)) {
    S.Number = Sum->getOperand(0);
    A.Offset += More->getZExtValue() * Scale;
  }
  A.Steps.push_back(S);
}

/// What \p Side reads or writes at \p Pointer, \p Bytes of \p Array; none: its
/// place is not known so far.
static std::optional<SharedAccess>
accessOf(const AccessSide &Side, const Value *Pointer, uint64_t Bytes,
         const GlobalVariable *Array, const DataLayout &Layout) {
  SharedAccess A{Side, {}, 0, Bytes};
  while (Pointer != Array) {
    if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
      continue;
    }
    const auto *GEP = dyn_cast<GEPOperator>(Pointer);
    if (!GEP)
      return std::nullopt;
    const unsigned Bits = Layout.getIndexTypeSizeInBits(GEP->getType());
    SmallMapVector<Value *, APInt, 4> Steps;
    APInt Constant(Bits, 0);
    if (!GEP->collectOffset(Layout, Bits, Steps, Constant))
      return std::nullopt;
    A.Known = commonAlignment(A.Known, Constant.getZExtValue());
    A.Offset += Constant.getSExtValue();
    for (const auto &[Index, Scale] : Steps)
      addStep(A, Index, Scale.getZExtValue(), Layout);
    Pointer = GEP->getPointerOperand();
  }
  llvm::sort(A.Steps, [](const Step &X, const Step &Y) {
    return std::tie(X.Number, X.Scale) < std::tie(Y.Number, Y.Scale);
  });
  return A;
}

/// Calls \p Found with each side of \p I that may be joined or widened.
static void
sidesOf(Instruction &I, const DataLayout &Layout,
        function_ref<void(AccessSide, const Value *, uint64_t)> Found) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Store = dyn_cast<StoreInst>(&I);
  if ((Load && Load->isSimple()) || (Store && Store->isSimple()))
    return Found({&I}, getLoadStorePointerOperand(&I),
                 Layout.getTypeStoreSize(getLoadStoreType(&I)));
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  const auto *Length =
      Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
  if (!Length || Copy->isVolatile())
    return;
  Found({&I}, Copy->getRawDest(), Length->getZExtValue());
  Found({&I, /*IsSource=*/true}, Copy->getRawSource(), Length->getZExtValue());
}

/// Would \p A be fewer instructions, or join a neighbour behind it, and does
/// it not without?
static bool gains(const SharedAccess &A, ArrayRef<SharedAccess> All) {
  const Align Now = A.alignment();
  if (A.Bytes > Now.value() && A.Known > Now)
    return true;
  return has_single_bit(A.Bytes) && A.Known.value() >= 2 * A.Bytes &&
         Now.value() < 2 * A.Bytes &&
         any_of(
             All,
             [&](const SharedAccess &B) {
               return B.Offset == A.Offset + A.Bytes && B.Bytes == A.Bytes &&
                      B.Steps == A.Steps &&
                      B.I->getOpcode() == A.I->getOpcode() &&
                      B.I->getParent() == A.I->getParent();
             });
}

SmallVector<Instruction *, 4> sluice::alignSharedArrays(Module &M, bool IsWhole,
                                                        ChangeTest MayChange,
                                                        bool IsWrong) {
  SmallVector<Instruction *, 4> Done;
  SmallVector<GlobalVariable *, 4> Arrays = movableArrays(M, IsWhole);
  if (Arrays.empty())
    return Done;
  const DataLayout &Layout = M.getDataLayout();
  DenseMap<const Value *, SmallVector<SharedAccess, 8>> Accesses;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      sidesOf(I, Layout,
              [&](AccessSide Side, const Value *Pointer, uint64_t Bytes) {
                const Value *Object = getUnderlyingObject(Pointer);
                if (!is_contained(Arrays, Object))
                  return;
                if (auto Access =
                        accessOf(Side, Pointer, Bytes,
                                 cast<GlobalVariable>(Object), Layout))
                  Accesses[Object].push_back(*Access);
              });
  for (GlobalVariable *Array : Arrays) {
    SmallVectorImpl<SharedAccess> &All = Accesses[Array];
    const auto *First =
        find_if(All, [&](const SharedAccess &A) { return gains(A, All); });
    if (First == All.end() ||
        !all_of(All, [&](const SharedAccess &A) { return MayChange(*A.I); }))
      continue;
    Array->setAlignment(Widest);
    for (SharedAccess &A : All)
      A.align(IsWrong ? Widest : A.Known);
    Done.push_back(First->I);
  }
  return Done;
}
