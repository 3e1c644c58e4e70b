// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A form over tid alone, thread by thread.

#ifndef SLUICE_LIB_ANALYSIS_LANEOFFSETS_H
#define SLUICE_LIB_ANALYSIS_LANEOFFSETS_H

#include "sluice/Analysis/AddressForm.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace sluice {

using ThreadIndex = std::array<int64_t, 3>; ///< tid.x, tid.y and tid.z.

/// The values of a form for the threads of a block. What stands in it several
/// times is computed once for a thread.
class LaneOffsets {
public:
  explicit LaneOffsets(const AddressForm &Form);

  /// None if the form has no value there: it divides by zero, say.
  std::optional<int64_t> at(const ThreadIndex &Tid) const;

  /// What one thread takes, in about the time of a product.
  uint64_t steps() const { return Steps; }

private:
  /// A coefficient and the numbers of its factors' values: first those of tid.
  struct Product {
    int64_t Coefficient;
    llvm::SmallVector<unsigned, 2> Factors;
  };
  using Sum = std::vector<Product>;
  struct Operation {
    AddressOp Op;
    Sum A, B;
  };
  using Numbers = llvm::DenseMap<const Atom::OperationTy *, unsigned>;

  bool isAffine(const AddressForm &Form);
  Sum compile(const AddressForm &Form, Numbers &Compiled);
  unsigned compile(const Atom::OperationTy &O, Numbers &Compiled);
  static int64_t valueOf(const Sum &S, llvm::ArrayRef<int64_t> Values);

  // Most are affine in tid: then a lane costs three products.
  bool Affine = false;
  int64_t Coefficients[3] = {0, 0, 0};
  int64_t Constant = 0;

  bool HasUnknown = false;           ///< Of what is not tid: it has no value.
  std::vector<Operation> Operations; ///< Each after those in it.
  Sum Whole;
  uint64_t Steps = 1;
};

} // namespace sluice

#endif
