// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way through a function: its frame, its blocks in order, and which file
// decodes each instruction; and the emission of Instructions with the source
// places they come from.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice::emulator;

FunctionDecoder::FunctionDecoder(llvm::Function &F, Function &Out,
                                 const DecodeContext &DC,
                                 const UniformityInfo &Uniformity,
                                 const LoopInfo &Loops)
    : F(F), Out(Out), DC(DC), Uniformity(Uniformity), Loops(Loops),
      PostDominators(F), H(*DC.Handlers), DL(F.getParent()->getDataLayout()) {}

void FunctionDecoder::run() {
  Out.Places.push_back({});
  if (const DISubprogram *S = F.getSubprogram())
    Out.Places[0] = {S->getFilename().str(), S->getLine(),
                     S->getDirectory().str()};
  reserveFrame();
  orderBlocks();

  for (Argument &A : F.args()) {
    allocate(&A, Out.IsKernel);
    Slots S = Values[&A];
    Out.Parameters.push_back(S);
  }
  Out.LocalBase = newSlot(8, true);
  for (BasicBlock *B : Blocks)
    for (llvm::Instruction &I : *B)
      if (!Values.count(&I)) {
        bool Uniform = Uniformity.isUniform(&I) &&
                       (!isa<CallInst>(I) || isa<IntrinsicInst>(I)) &&
                       !isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
        allocate(&I, Uniform);
      }
  if (!F.getReturnType()->isVoidTy()) {
    SmallVector<uint8_t, 4> Bytes;
    flatten(F.getReturnType(), Bytes);
    for (uint8_t B : Bytes)
      Out.Result.push_back(newSlot(B, false));
  }
  for (BasicBlock *B : Blocks)
    decodeBlock(*B);
  // A frame that was reserved too small would be silent corruption.
  if (Failed) {
    Out.Code.clear();
    Fixes.clear();
    Heads.clear();
    unsupported("this function (too many constants: please report it)");
  }
  patch();
  Out.ConstantBytes = ConstantTop;
  Out.FrameBytes = alignTo(VaryingTop, 64);
  Out.LocalBytes = alignTo(LocalTop, 16);
}

void FunctionDecoder::decode(llvm::Instruction &I) {
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    return decodeBinary(*B);
  if (auto *C = dyn_cast<CmpInst>(&I))
    return decodeCompare(*C);
  if (auto *A = dyn_cast<AddrSpaceCastInst>(&I))
    return decodeAddressSpaceCast(*A);
  if (auto *C = dyn_cast<CastInst>(&I))
    return decodeCast(*C);
  if (auto *S = dyn_cast<SelectInst>(&I))
    return decodeSelect(*S);
  if (auto *G = dyn_cast<GetElementPtrInst>(&I))
    return decodeGEP(*G);
  if (auto *L = dyn_cast<LoadInst>(&I))
    return decodeLoad(I, L->getPointerOperand(),
                      L->isVolatile() || L->isAtomic());
  if (auto *S = dyn_cast<StoreInst>(&I))
    return decodeStore(*S);
  if (auto *C = dyn_cast<CallInst>(&I))
    return decodeCall(*C);
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return decodeAlloca(*A);
  if (auto *A = dyn_cast<AtomicRMWInst>(&I))
    return decodeAtomicRMW(*A);
  if (auto *A = dyn_cast<AtomicCmpXchgInst>(&I))
    return decodeCompareExchange(*A);
  if (auto *Fence = dyn_cast<FenceInst>(&I)) {
    if (Fence->getSyncScopeID() == SyncScope::SingleThread)
      emit(GenericOp::Nothing); // a barrier for the compiler
    else
      decodeFence();
    return;
  }
  if (isa<FreezeInst>(I)) {
    const Slots From = slots(I.getOperand(0));
    for (auto [D, S] : zip(slots(&I), From))
      copy(D, S, false);
    return;
  }
  if (auto *U = dyn_cast<UnaryOperator>(&I))
    return decodeNegation(*U); // the only one there is
  if (auto *E = dyn_cast<ExtractValueInst>(&I))
    return decodeExtractValue(*E);
  if (auto *V = dyn_cast<InsertValueInst>(&I))
    return decodeInsertValue(*V);
  if (auto *E = dyn_cast<ExtractElementInst>(&I))
    return decodeExtractElement(*E);
  if (auto *V = dyn_cast<InsertElementInst>(&I))
    return decodeInsertElement(*V);
  if (auto *S = dyn_cast<ShuffleVectorInst>(&I))
    return decodeShuffle(*S);
  unsupported(Twine("the instruction ") + I.getOpcodeName());
}

sluice::emulator::Instruction &FunctionDecoder::emit(Handler Run, uint32_t D,
                                                     uint32_t A, uint32_t B) {
  assert(Run && "no handler for this operation");
  Out.Code.emplace_back();
  Instruction &I = Out.Code.back();
  I.Run = Run;
  I.D = D;
  I.A = A;
  I.B = B;
  I.Place = Place;
  return I;
}

void FunctionDecoder::unsupported(const Twine &What) {
  emit(H.Trap).Extra = keep(std::string(What.str()));
}

// Is it one of the headers that users include, <sluice/channel.h> and others?
static bool isOwnHeader(StringRef File) {
  return sys::path::extension(File) == ".h" &&
         sys::path::filename(sys::path::parent_path(File)) == "sluice";
}

// The innermost position that is not in a header of clang's, the toolkit's or
// ours.
static const DILocation *userLocation(const DILocation *L) {
  auto IsSystem = [](StringRef File) {
    return File.contains("__clang_") || File.contains("/lib/clang/") ||
           isOwnHeader(File) || File.contains("cuda/") ||
           File.contains("/cccl/") ||
           (File.contains("sm_") && File.ends_with(".hpp")) ||
           File.contains("cooperative_groups") || File.contains("cuda_fp16") ||
           File.contains("cuda_bf16") || File.contains("cuda_runtime") ||
           File.contains("cuda_pipeline_") || File.contains("cuda_awbarrier_");
  };
  for (const DILocation *At = L; At; At = At->getInlinedAt())
    if (At->getLine() && !IsSystem(At->getFilename()) &&
        !IsSystem((At->getDirectory() + "/" + At->getFilename()).str()))
      return At;
  return L;
}

uint32_t FunctionDecoder::placeOf(const llvm::Instruction &I) {
  const DILocation *L = I.getDebugLoc().get();
  if (!L)
    return Place; // what was before it is near enough
  auto [It, New] = PlaceOfLocation.try_emplace(L, Out.Places.size());
  if (New) {
    const DILocation *User = userLocation(L);
    Out.Places.push_back({User->getFilename().str(), User->getLine(),
                          User->getDirectory().str()});
  }
  return It->second;
}

void FunctionDecoder::laneCall(const LaneFunction &Fn, ArrayRef<Slot> Operands,
                               ArrayRef<Slot> Results) {
  LaneCall L;
  L.Evaluate = Fn.Evaluate;
  L.Operands.append(Operands.begin(), Operands.end());
  L.Results.append(Results.begin(), Results.end());
  emit(GenericOp::LaneCall).Extra = keep(std::move(L));
}

bool FunctionDecoder::laneCallByName(const LaneFunction *Fn,
                                     ArrayRef<Slot> Operands,
                                     ArrayRef<Slot> Results) {
  if (!Fn || Fn->Operands != Operands.size() || Fn->Results < Results.size())
    return false;
  laneCall(*Fn, Operands, Results);
  return true;
}
