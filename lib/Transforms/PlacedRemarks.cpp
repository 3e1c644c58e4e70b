// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files are a library's only the front end knows; it leaves its answer
// here for the passes of the same compile.

#include "sluice/Transforms/PlacedRemarks.h"

using namespace sluice;
using namespace llvm;

std::function<bool(const DILocation &)> &sluice::libraryTest() {
  static std::function<bool(const DILocation &)> Test;
  return Test;
}

const DILocation *sluice::usersPlaceOf(const DILocation *At) {
  if (const auto &IsLibrary = libraryTest())
    while (At && IsLibrary(*At))
      At = At->getInlinedAt();
  return At;
}
