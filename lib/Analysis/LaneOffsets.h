// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A form over tid alone, thread by thread.

#ifndef SLUICE_LIB_ANALYSIS_LANEOFFSETS_H
#define SLUICE_LIB_ANALYSIS_LANEOFFSETS_H

#include "sluice/Analysis/AddressForm.h"
#include <array>

namespace sluice {

using ThreadIndex = std::array<int64_t, 3>; ///< tid.x, tid.y and tid.z.

/// The values of a form for the threads of a block; \p Form must outlive it.
class LaneOffsets {
public:
  explicit LaneOffsets(const AddressForm &Form);

  /// None if the form has no value there: it divides by zero, say.
  std::optional<int64_t> at(const ThreadIndex &Tid) const;

private:
  const AddressForm &Form;
  // Most are affine in tid: then a lane costs three products.
  bool Affine = false;
  int64_t Coefficients[3] = {0, 0, 0};
  int64_t Constant = 0;
};

} // namespace sluice

#endif
