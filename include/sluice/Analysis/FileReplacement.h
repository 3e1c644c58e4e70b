// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Writing a text file in one step: who reads it meanwhile sees the old text or
/// the new one, and a failure leaves the old one. Errors give the reason alone;
/// the caller knows what to call the file.

#ifndef SLUICE_ANALYSIS_FILEREPLACEMENT_H
#define SLUICE_ANALYSIS_FILEREPLACEMENT_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice {

/// How a file is written.
struct Destination {
  llvm::SmallString<128> Path; ///< Where it was a link, what that leads to.
  unsigned Mode;
  /// A pipe or /dev/stdout has nothing to keep and cannot be replaced.
  bool InPlace;
};

llvm::Expected<Destination> findDestination(llvm::StringRef Path);

/// Replaces the file \p Path by \p Text.
llvm::Error replaceFile(llvm::StringRef Path, llvm::StringRef Text,
                        unsigned Mode);

/// Writes \p Text where \p Path leads, in one step if it can be; "-" is
/// standard output.
llvm::Error writeWholeFile(llvm::StringRef Path, llvm::StringRef Text);
llvm::Error writeWholeFile(const Destination &D, llvm::StringRef Text);

} // namespace sluice

#endif
