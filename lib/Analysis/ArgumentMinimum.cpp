// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of arguments, joined and as text. A remark, a plan and the code that
// makes the tests have them from here.

#include "sluice/Analysis/ArgumentMinimum.h"
#include <algorithm>

using namespace sluice;
using llvm::ArrayRef;

std::string ArgumentMinimum::str() const {
  return (Name.empty() ? "argument " + std::to_string(Argument) : Name) +
         " >= " + std::to_string(Minimum);
}

ArgumentMinima sluice::bothOf(ArrayRef<ArgumentMinimum> A,
                              ArrayRef<ArgumentMinimum> B) {
  ArgumentMinima Both = A.vec();
  for (const ArgumentMinimum &M : B) {
    auto At = std::lower_bound(
        Both.begin(), Both.end(), M.Argument,
        [](const ArgumentMinimum &X, unsigned N) { return X.Argument < N; });
    if (At == Both.end() || At->Argument != M.Argument)
      Both.insert(At, M);
    else
      At->Minimum = std::max(At->Minimum, M.Minimum);
  }
  return Both;
}

std::string sluice::str(ArrayRef<ArgumentMinimum> Minima) {
  std::string Text;
  for (const ArgumentMinimum &M : Minima)
    Text += (Text.empty() ? "" : " and ") + M.str();
  return Text;
}

std::string sluice::ifNote(ArrayRef<ArgumentMinimum> Minima) {
  return Minima.empty() ? "" : " if " + str(Minima);
}
