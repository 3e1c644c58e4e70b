// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice compare` shows of many programs.

#ifndef SLUICE_TOOLS_SLUICE_COMPARELIST_H
#define SLUICE_TOOLS_SLUICE_COMPARELIST_H

#include "CompareTable.h"
#include <optional>

namespace sluice {

struct ListedProgram {
  std::string Name;
  std::string Problem; ///< Why it is not compared; empty: it is.
  std::string Warning; ///< What else there is to say of its run.
  std::optional<VariantResults> Results; ///< With times; none: see Problem.
};

/// For each GPU a table with a line for each kernel, programs in their order,
/// and what it comes to: means, and how many kernels are how far behind and
/// ahead. Then the programs that are not compared.
void printComparedList(llvm::raw_ostream &OS,
                       llvm::ArrayRef<ListedProgram> Programs);

/// The same as numbers. As writeComparison, with all programs; "summary" and
/// "problems" besides. The results of several GPUs go to several files:
/// FILE.json, and FILE.2.json and so on.
llvm::Error writeComparedList(const std::string &Path,
                              llvm::ArrayRef<ListedProgram> Programs);

/// The line of a compiler's output that says what is wrong, in a sentence.
std::string firstErrorOf(llvm::StringRef Problem);

} // namespace sluice

#endif
