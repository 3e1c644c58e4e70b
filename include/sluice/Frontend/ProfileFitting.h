// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A kernel's profile against the source that is compiled.

#ifndef SLUICE_FRONTEND_PROFILEFITTING_H
#define SLUICE_FRONTEND_PROFILEFITTING_H

#include "sluice/Analysis/Profile.h"

namespace clang {
class SourceManager;
} // namespace clang

namespace sluice {

/// Compares \p K, and the functions that it inlines, with the files of their
/// names that clang has read, and moves its places to where their texts are
/// now. Of several files of one name that which fits counts. Stale: some text
/// is in no file of its name; \p K must not be used then. Unknown: the profile
/// does not know the kernel's text, or clang has no such file, as when it reads
/// preprocessed text.
ProfileState fitToSource(KernelProfile &K, clang::SourceManager &SM);

} // namespace sluice

#endif
