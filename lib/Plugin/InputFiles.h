// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Files that a compile reads and no #include names.

#ifndef SLUICE_LIB_PLUGIN_INPUTFILES_H
#define SLUICE_LIB_PLUGIN_INPUTFILES_H

#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace sluice {

/// Lists \p Files behind the source's own in what -MD and its like write, so
/// that a build is done again when one of them changes. Not standard input.
void listInputFiles(clang::CompilerInstance &CI,
                    std::vector<std::string> Files);

} // namespace sluice

#endif
