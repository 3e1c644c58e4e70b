// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The threads of a block that equalities on tid let through.

#ifndef SLUICE_LIB_ANALYSIS_ACTIVETHREADS_H
#define SLUICE_LIB_ANALYSIS_ACTIVETHREADS_H

#include "LaneOffsets.h"
#include <map>
#include <vector>

namespace sluice {

/// Sets of a block's threads, equal ones once. \p Tids must outlive it.
class ActiveThreads {
public:
  ActiveThreads(llvm::ArrayRef<ThreadIndex> Tids, unsigned WarpSize)
      : Tids(Tids), WarpSize(WarpSize) {}

  struct Set {
    unsigned Number; ///< The same for equal ones.
    std::vector<bool> Runs;
    bool isAll() const { return Runs.empty(); }
    bool has(unsigned Thread) const { return isAll() || Runs[Thread]; }
  };

  /// Those for which each of \p Guards, in which the launch is bound but for
  /// the block's index, can be 0 together. Where it depends on what is not
  /// known which threads they are, so many as can be. \p BlockIndex: of any
  /// block. Stays valid.
  const Set &of(llvm::ArrayRef<AddressForm> Guards,
                AddressForm::Values BlockIndex);

  /// How many of warp \p Warp are in \p S.
  unsigned inWarp(const Set &S, unsigned Warp) const;

  /// What all took, in about the time of a product.
  uint64_t steps() const { return Steps; }

private:
  void restrict(const AddressForm &Guard, AddressForm::Values BlockIndex,
                std::vector<bool> &Runs);

  llvm::ArrayRef<ThreadIndex> Tids;
  const unsigned WarpSize;
  uint64_t Steps = 0;
  std::map<std::vector<bool>, Set> Sets;
};

} // namespace sluice

#endif
