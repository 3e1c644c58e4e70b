// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What one pass leaves at a loop for another.

#ifndef SLUICE_LIB_TRANSFORMS_INDEXMARK_H
#define SLUICE_LIB_TRANSFORMS_INDEXMARK_H

namespace sluice {

/// At a loop that was not innermost in clang's code, or whose step is known when
/// it runs only: its arrays are to be accessed by index (IndexedLoops.cpp).
inline constexpr char KeepsIndex[] = "sluice.keeps.index";

} // namespace sluice

#endif
