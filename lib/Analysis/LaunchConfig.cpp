// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/LaunchConfig.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

bool sluice::parseDim(StringRef Text, LaunchDim &Dim, bool MayBeUnknown) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, 'x');
  if (Parts.size() > 3)
    return false;
  Dim = LaunchDim::known(1);
  for (auto [Part, Size] : zip(Parts, Dim.Sizes)) {
    if (MayBeUnknown && Part == "?") {
      Size = std::nullopt;
      continue;
    }
    uint64_t Number;
    if (Part.getAsInteger(10, Number) || Number == 0 || Number > INT32_MAX)
      return false;
    Size = Number;
  }
  return true;
}
