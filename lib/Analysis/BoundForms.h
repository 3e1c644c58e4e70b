// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Numbers for what forms become when tid is bound, without making the forms:
/// a block has 1,024 threads, and each would have one of its own.

#ifndef SLUICE_LIB_ANALYSIS_BOUNDFORMS_H
#define SLUICE_LIB_ANALYSIS_BOUNDFORMS_H

#include "LaneOffsets.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

namespace sluice {

/// Different numbers for different lists of numbers.
class NumberedLists {
public:
  using List = llvm::ArrayRef<uint64_t>;
  unsigned of(List Of) {
    if (auto Found = Numbers.find(Of); Found != Numbers.end())
      return Found->second;
    const unsigned Number = Numbers.size();
    Numbers[Of.copy(Lists)] = Number;
    return Number;
  }

private:
  llvm::BumpPtrAllocator Lists;
  llvm::DenseMap<List, unsigned> Numbers;
};

class BoundForms {
public:
  /// \p Form with \p Tid bound; two have the same number if they are equal.
  unsigned numberOf(const AddressForm &Form, const ThreadIndex &Tid);

private:
  /// By product without a coefficient, each once, ordered.
  using Sum = llvm::SmallVector<std::pair<unsigned, int64_t>, 4>;
  struct Factor {
    std::optional<int64_t> Constant;
    unsigned Number; ///< If it is none: of a variable or an operation.
  };

  Sum sum(const AddressForm &Form, const ThreadIndex &Tid);
  std::pair<unsigned, int64_t> product(const AddressForm::Term &T,
                                       const ThreadIndex &Tid);
  Factor factor(const Atom &F, const ThreadIndex &Tid);
  unsigned numberOf(const Sum &S);
  std::optional<int64_t> asConstant(const Sum &S) const;

  NumberedLists Factors, Products, Sums;
  const unsigned One = Products.of({}); ///< The product of nothing.
  /// What has tid in it, of the thread at hand, and what is the same for all
  /// threads. That one is kept alive: no other takes its place.
  llvm::DenseMap<const Atom::OperationTy *, Factor> OfThread, OfAll;
  std::vector<std::shared_ptr<const Atom::OperationTy>> Alive;
  bool HasTid = false; ///< Has what has been looked at?
};

} // namespace sluice

#endif
