// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Turns one prepared IR function into Instructions. The work is divided by
/// what is decoded: Decoder.cpp goes through the function, DecodeSlots.cpp has
/// its frame and constants, DecodeControl.cpp blocks and phis,
/// DecodeArithmetic.cpp and DecodeCasts.cpp what computes, DecodeVectors.cpp
/// vectors and aggregates, DecodeMemory.cpp accesses, DecodeAtomics.cpp
/// atomics, DecodeCalls.cpp calls and intrinsics, DecodeWarp.cpp those
/// of several lanes, DecodeMBarrier.cpp those on
/// mbarriers, DecodeAsyncCopies.cpp cp.async, DecodeAsm.cpp inline PTX.

#ifndef SLUICE_LIB_EMULATOR_DECODER_H
#define SLUICE_LIB_EMULATOR_DECODER_H

#include "Handlers.h"
#include "Program.h"
#include "ReadUse.h"
#include "sluice/Emulator/Observer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class InlineAsm;
}

namespace sluice {
class SiteTable;
} // namespace sluice

namespace sluice::emulator {

struct PTXSnippet;
struct PTXInstruction;
struct PTXOperand;

/// What decoding needs to know of the program around a function.
struct DecodeContext {
  const HandlerTable *Handlers;
  /// Device address of a variable, or offset of a shared one.
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> Addresses;
  llvm::DenseMap<const llvm::Function *, Function *> Functions;
  Program *Out = nullptr;
  /// Emit Observe before each access, with its number. Null: do not.
  SiteTable *Sites = nullptr;
};

class FunctionDecoder {
public:
  FunctionDecoder(llvm::Function &F, Function &Out, const DecodeContext &DC,
                  const llvm::UniformityInfo &Uniformity,
                  const llvm::LoopInfo &Loops);
  void run();

  using Slots = llvm::SmallVector<Slot, 1>;

private:
  // DecodeSlots.cpp
  void reserveFrame();
  Slot newSlot(uint8_t Bytes, bool Uniform);
  Slot constant(uint64_t Word, uint8_t Bytes);
  const Slots &slots(const llvm::Value *V);
  Slot slot(const llvm::Value *V) { return slots(V)[0]; }
  bool constantWords(const llvm::Constant *C,
                     llvm::SmallVectorImpl<std::pair<uint64_t, uint8_t>> &Out);
  bool flatten(llvm::Type *T, llvm::SmallVectorImpl<uint8_t> &Bytes) const;
  void allocate(const llvm::Value *V, bool Uniform);
  uint64_t constantAddress(const llvm::Constant *C, bool &Known);
  /// The slot as a varying one of its size, copied if it is uniform.
  Slot varying(Slot S);
  void copy(Slot To, Slot From, bool Masked);

  // Decoder.cpp
  void decode(llvm::Instruction &I);
  Instruction &emit(Handler Run, uint32_t D = 0, uint32_t A = 0,
                    uint32_t B = 0);
  Instruction &emit(GenericOp Op) { return emit(H.Generic[unsigned(Op)]); }
  template <class T> const T *keep(T Extra) {
    auto P = std::make_shared<T>(std::move(Extra));
    const T *Raw = P.get();
    Out.Extras.push_back(std::move(P));
    return Raw;
  }
  void unsupported(const llvm::Twine &What);
  uint32_t placeOf(const llvm::Instruction &I);
  void laneCall(const LaneFunction &F, llvm::ArrayRef<Slot> Operands,
                llvm::ArrayRef<Slot> Results);
  bool laneCallByName(const LaneFunction *F, llvm::ArrayRef<Slot> Operands,
                      llvm::ArrayRef<Slot> Results);

  // DecodeControl.cpp
  void orderBlocks();
  BlockSummary summarise(llvm::ArrayRef<llvm::Instruction *> Part);
  void observePart(llvm::Instruction &First, bool IsHead);
  void decodeBlock(llvm::BasicBlock &B);
  void decodeTerminator(llvm::Instruction &I);
  uint32_t emitEdge(llvm::BasicBlock &From, llvm::BasicBlock &To);
  void patch();

  // DecodeArithmetic.cpp
  void decodeBinary(llvm::BinaryOperator &I);
  bool decodeBinaryComponent(unsigned Opcode, llvm::Type *T, Slot D, Slot A,
                             Slot B, bool Flush);
  void decodeMaskBinary(unsigned Opcode, Slot D, Slot A, Slot B);
  bool decodeFloatBinary(unsigned Opcode, llvm::Type *T, Slot D, Slot A, Slot B,
                         bool Flush);
  bool decodeHalfBinary(unsigned Opcode, llvm::Type *T, Slot D, Slot A, Slot B);
  bool decodeIntegerBinary(unsigned Opcode, llvm::Type *T, Slot D, Slot A,
                           Slot B);
  void emitArithmetic(Arithmetic Op, unsigned Size, Slot D, Slot A, Slot B);
  Slot signExtended(Slot X, unsigned Bits, bool Uniform);
  void clearAbove(Slot D, unsigned Bits);
  void decodeCompare(llvm::CmpInst &I);
  void compareMasks(llvm::CmpInst::Predicate Predicate, Slot D, Slot A, Slot B);
  void select(Slot D, Slot Condition, Slot A, Slot B);
  void decodeSelect(llvm::SelectInst &I);
  void decodeNegation(llvm::UnaryOperator &I);

  // DecodeCasts.cpp
  void decodeCast(llvm::CastInst &I);
  bool decodeCastComponent(unsigned Opcode, llvm::Type *From, llvm::Type *To,
                           Slot D, Slot X);
  bool decodeExtension(unsigned Opcode, llvm::Type *From, llvm::Type *To,
                       Slot D, Slot X);
  void decodeReinterpretation(const Slots &D, const Slots &A);
  void convert(Conversion Op, Slot D, Slot X);

  // DecodeVectors.cpp
  unsigned scalarsBefore(llvm::Type *T, llvm::ArrayRef<unsigned> Indices) const;
  Slot indexIs(Slot Index, unsigned Element, bool Uniform);
  void decodeExtractValue(llvm::ExtractValueInst &I);
  void decodeInsertValue(llvm::InsertValueInst &I);
  void decodeExtractElement(llvm::ExtractElementInst &I);
  void decodeInsertElement(llvm::InsertElementInst &I);
  void decodeShuffle(llvm::ShuffleVectorInst &I);

  // DecodeMemory.cpp
  struct Address {
    Slot Base;
    int64_t Offset;
    Space Where;
  };
  Address address(llvm::Value *Pointer);
  static bool isFolded(const llvm::GetElementPtrInst &G);
  static Space spaceOf(const llvm::Type *Pointer);
  void decodeGEP(llvm::GetElementPtrInst &I);
  void decodeAlloca(llvm::AllocaInst &I);
  void decodeAddressSpaceCast(llvm::AddrSpaceCastInst &I);
  void decodeLoad(llvm::Instruction &I, llvm::Value *Pointer, bool Volatile);
  void decodeStore(llvm::StoreInst &I);
  void emitLoad(const Address &A, llvm::ArrayRef<Slot> Results,
                llvm::ArrayRef<uint64_t> Offsets, unsigned Total, ReadUse Use);
  void decodeMaskedLoad(llvm::CallInst &I);
  void decodeMaskedStore(llvm::CallInst &I);
  /// Observers are to see \p Op, whose address is \p A.
  void observe(const Address &A, AccessOp Op);
  void observe(const Address &A, unsigned Bytes, bool Write,
               llvm::AtomicOrdering Order, bool Volatile,
               const Slot *Value = nullptr, bool SaysReadOnly = false);
  void decodeFence(bool HasGuard = false, bool GuardNegated = false,
                   Slot Guard = {});

  // DecodeAtomics.cpp
  void decodeAtomicRMW(llvm::AtomicRMWInst &I);
  void decodeCompareExchange(llvm::AtomicCmpXchgInst &I);
  bool decodeAtomicIntrinsic(llvm::CallInst &I, llvm::StringRef Name);
  void emitAtomic(AtomicOp Op);

  // DecodeCalls.cpp
  void decodeCall(llvm::CallInst &I);
  void decodeIntrinsic(llvm::CallInst &I, llvm::StringRef Name);
  bool decodeFast(llvm::CallInst &I, llvm::StringRef Name);
  bool decodeSpecialRegister(llvm::StringRef PTXName, Slot D);
  bool decodeByComponents(llvm::CallInst &I, llvm::StringRef Name);

  // DecodeWarp.cpp
  bool decodeWarp(llvm::CallInst &I, llvm::StringRef Name);
  bool decodeBarrier(llvm::CallInst &I, llvm::StringRef Name);

  // DecodeMBarrier.cpp
  bool decodeMBarrier(llvm::CallInst &I, llvm::StringRef Name);
  void emitMBarrier(MBarrierOp Op);

  // DecodeAsyncCopies.cpp
  void decodeAsyncStore(llvm::StoreInst &I);
  bool decodeAsyncGroup(llvm::CallInst &I, llvm::StringRef Name);

  // DecodeAsm.cpp
  friend class AsmDecoder;
  void decodeAsm(llvm::CallInst &I, const llvm::InlineAsm &Asm);

  llvm::Function &F;
  Function &Out;
  const DecodeContext &DC;
  const llvm::UniformityInfo &Uniformity;
  const llvm::LoopInfo &Loops;
  const llvm::PostDominatorTree PostDominators;
  const HandlerTable &H;
  const llvm::DataLayout &DL;

  llvm::DenseMap<const llvm::Value *, Slots> Values;
  llvm::DenseMap<std::pair<uint64_t, uint8_t>, uint32_t> Constants;
  uint32_t ConstantTop = 0; ///< Uniform constants grow up from 0,
  uint32_t UniformTop = 0;  ///< other uniform slots down from the varying ones,
  uint32_t VaryingTop = 0;  ///< which grow up.
  std::vector<llvm::BasicBlock *> Blocks; ///< By number.
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Numbers;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Heads;
  struct Fix {
    uint32_t At;
    bool IsElse;
    const llvm::BasicBlock *Block; ///< Else Index is the target.
    uint32_t Index;
  };
  std::vector<Fix> Fixes;
  llvm::DenseMap<const void *, uint32_t> PlaceOfLocation;
  uint32_t Place = 0;                         ///< Of what is being decoded.
  const llvm::Instruction *Decoded = nullptr; ///< What is being decoded.
  uint32_t LocalTop = 0;
  bool Failed = false; ///< The frame is too small: a bug, reported.
};

/// What PTX calls "add", "min" and so on.
std::optional<AtomicKind> atomicKindFor(llvm::StringRef Word, bool Float,
                                        bool Signed);

inline unsigned sizeIndex(uint8_t Bytes) { return __builtin_ctz(Bytes); }

} // namespace sluice::emulator

#endif
