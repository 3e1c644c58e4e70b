// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The remarks in clang's optimisation record (-foptimization-record-file).

#ifndef SLUICE_TOOLS_SLUICE_RECORDEDREMARKS_H
#define SLUICE_TOOLS_SLUICE_RECORDEDREMARKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

struct RecordedRemark {
  std::string Kind;     ///< "passed", "missed" and so on.
  std::string Pass;     ///< Of Sluice's without "sluice-".
  std::string Function; ///< Mangled.
  std::string File;     ///< Last component of its path; empty: no place.
  std::string Message;
  unsigned Line = 0, Column = 0;
};

/// Of a record's text, in its order.
llvm::Expected<std::vector<RecordedRemark>>
readRecordedRemarks(llvm::StringRef Record);

} // namespace sluice

#endif
