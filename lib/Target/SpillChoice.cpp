// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/SpillChoice.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

std::vector<bool> sluice::chooseSpills(ArrayRef<SpillStack> Stacks,
                                       uint64_t SpareBytes) {
  std::vector<bool> Chosen(Stacks.size());
  // All sizes are multiples of a block's threads: so few columns are enough.
  uint64_t Unit = 0;
  for (const SpillStack &S : Stacks)
    Unit = std::gcd(Unit, S.Bytes);
  if (Unit == 0)
    return Chosen;
  const size_t Columns = size_t(SpareBytes / Unit) + 1;
  // The paper's S[i, v], of which one row is needed at a time, and Mask[i, v].
  std::vector<uint64_t> Most(Columns);
  std::vector<std::vector<bool>> Taken(Stacks.size(),
                                       std::vector<bool>(Columns));
  for (auto [S, Takes] : zip_equal(Stacks, Taken)) {
    const size_t Size = size_t(S.Bytes / Unit);
    for (size_t Room = Columns; Room-- > Size;)
      if (const uint64_t With = Most[Room - Size] + S.Gain; With > Most[Room]) {
        Most[Room] = With;
        Takes[Room] = true;
      }
  }
  size_t Room = Columns - 1;
  for (size_t I = Stacks.size(); I-- != 0;)
    if (Taken[I][Room]) {
      Chosen[I] = true;
      Room -= size_t(Stacks[I].Bytes / Unit);
    }
  return Chosen;
}
