// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Numbers for what forms become when tid is bound, without making the forms:
/// a block has 1,024 threads, and each would have one of its own.

#ifndef SLUICE_LIB_ANALYSIS_BOUNDFORMS_H
#define SLUICE_LIB_ANALYSIS_BOUNDFORMS_H

#include "LaneOffsets.h"
#include <unordered_map>

namespace sluice {

/// Different numbers for different lists of numbers.
class NumberedLists {
public:
  using List = std::vector<uint64_t>;
  unsigned of(List Of) {
    return Numbers.try_emplace(std::move(Of), unsigned(Numbers.size()))
        .first->second;
  }

private:
  struct Hash {
    size_t operator()(const List &L) const {
      return llvm::hash_combine_range(L.begin(), L.end());
    }
  };
  std::unordered_map<List, unsigned, Hash> Numbers;
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
  llvm::DenseMap<const Atom::OperationTy *, Factor> OfThread;
};

} // namespace sluice

#endif
