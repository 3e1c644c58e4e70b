// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Addresses as sums of terms and a constant (CommonAddresses.cpp).

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_COMMONADDRESSES_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_COMMONADDRESSES_H

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>

namespace llvm {
class ConstantRange;
class DataLayout;
class LazyValueInfo;
} // namespace llvm

namespace sluice {

/// Bits of an offset in an instruction, with its sign.
inline constexpr unsigned OffsetBits = 24;

using Factors = llvm::SmallVector<std::pair<const llvm::Value *, int64_t>, 4>;

/// In any order.
inline bool areSame(const Factors &A, const Factors &B) {
  return A.size() == B.size() &&
         std::is_permutation(A.begin(), A.end(), B.begin());
}

/// An address, modulo 2^64: a pointer, terms (of fewer bits: with their sign
/// extended) with factors, and bytes.
struct Address {
  const llvm::Value *Base = nullptr;
  Factors Terms; ///< As they were found.
  /// Of 32 bits, modulo 2^32, with its sign extended; and its factor.
  Factors Sum;
  int64_t OfSum = 0;
  int64_t Bytes = 0;

  bool differsByBytesFrom(const Address &Other) const {
    return Base == Other.Base && OfSum == Other.OfSum &&
           areSame(Terms, Other.Terms) && areSame(Sum, Other.Sum);
  }
  bool isVariable() const { return !Terms.empty() || OfSum; }
  bool isThere(llvm::function_ref<bool(const llvm::Value *)> Is) const {
    auto IsThere = [&](const auto &T) { return Is(T.first); };
    return Is(Base) && llvm::all_of(Terms, IsThere) &&
           llvm::all_of(Sum, IsThere);
  }
};

using FactorMap = llvm::MapVector<const llvm::Value *, uint64_t>;

/// Of instructions that compute the same, the first that was seen. Unrolling
/// has made them, and only code generation makes them one.
class SameValues {
  llvm::SmallVector<const llvm::Instruction *, 16> Known;
  const bool AlsoPoison;

public:
  /// \p AlsoPoison: those that are poison alike, so that one may stand for
  /// another where that is not executed.
  explicit SameValues(bool AlsoPoison) : AlsoPoison(AlsoPoison) {}

  const llvm::Value *firstOf(const llvm::Value *V);
};

/// Of the address of a load or a store.
class AddressReader {
public:
  /// \p TakesSums: an index is a sum modulo 2^32, if that is right.
  AddressReader(const llvm::Instruction &Access, llvm::LazyValueInfo &Ranges,
                SameValues &Same, bool TakesSums = false)
      : At(Access), Ranges(Ranges), Same(Same), TakesSums(TakesSums),
        Layout(Access.getDataLayout()) {}
  Address read(const llvm::Value &Pointer);

private:
  void add(const llvm::Value *V, uint64_t Factor, unsigned Depth);
  bool addParts(const llvm::Instruction &I, uint64_t Factor, unsigned Depth);
  bool isExact(const llvm::Instruction &Sum);
  bool isNotNegative(const llvm::Value &V);
  llvm::ConstantRange rangeOf(const llvm::Value &V);
  bool takeSum(const llvm::Value &Index, bool IsNotNegative, uint64_t Factor);
  uint64_t addToSum(const llvm::Value *V, uint64_t Factor, unsigned Depth);

  const llvm::Instruction &At;
  llvm::LazyValueInfo &Ranges;
  SameValues &Same;
  const bool TakesSums;
  const llvm::DataLayout &Layout;
  FactorMap Terms, Sum;
  uint64_t OfSum = 0; ///< Its factor; 0: there is none.
  uint64_t Bytes = 0;
};

/// Does LLVM know by itself that the pointers differ by a constant?
bool isKnownOffset(llvm::Value *A, llvm::Value *B, const llvm::BasicBlock &BB,
                   llvm::FunctionAnalysisManager &FAM);

/// The pointer of \p I, if its address may be that of another one and a
/// constant; else null.
llvm::Use *pointerToShare(llvm::Instruction &I, ChangeTest MayChange);

/// Accesses of several blocks, each behind a condition, take their addresses as
/// offsets from one that is computed before these (AddressesOfBlocks.cpp). Adds
/// them to \p Done.
void shareAddressesOfBlocks(llvm::Function &F, ChangeTest MayChange,
                            llvm::FunctionAnalysisManager &FAM, bool IsWrong,
                            Rewritten &Done);

} // namespace sluice

#endif
