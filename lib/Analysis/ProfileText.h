// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Numbers in the narrow columns of a profile's table and listing.

#ifndef SLUICE_LIB_ANALYSIS_PROFILETEXT_H
#define SLUICE_LIB_ANALYSIS_PROFILETEXT_H

#include <cstdint>
#include <string>

namespace sluice {

/// Three significant digits in at most five characters: "0.50", "8.00", "87.5",
/// "512", "12.3k", "1.23M".
std::string compact(double N);
/// A whole number: below 10000 all of it, else as above.
std::string compact(uint64_t N);
/// \p Part / \p Whole, "-" of nothing.
std::string compactRatio(uint64_t Part, uint64_t Whole);
/// "87.5", "-" of nothing. 100.0 and 0.0 only where it is all or nothing.
std::string percentage(uint64_t Part, uint64_t Whole);

} // namespace sluice

#endif
