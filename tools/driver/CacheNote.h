// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What caches of compiles, such as sccache, have to know of Sluice.

#ifndef SLUICE_TOOLS_CACHENOTE_H
#define SLUICE_TOOLS_CACHENOTE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice {

/// Caches compare what the preprocessor prints, and the headers that it names.
/// After \p Command, a clang command with `-E`, this adds clang's version, the
/// plugin, and the plan and the profile that are given: each as a header, by a
/// line marker, and the hash of its contents, in a comment. It does nothing
/// after another command. \returns an error if one of these files cannot be
/// read, or the output cannot be written.
llvm::Error addCacheNote(llvm::ArrayRef<std::string> Command);

} // namespace sluice

#endif
