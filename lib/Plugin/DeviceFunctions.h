// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// sluice/functions.h before a CUDA source, as sluice-clang++ puts it there.

#ifndef SLUICE_LIB_PLUGIN_DEVICEFUNCTIONS_H
#define SLUICE_LIB_PLUGIN_DEVICEFUNCTIONS_H

namespace clang {
class CompilerInstance;
} // namespace clang

namespace sluice {

/// What \p CI is about to read begins with the device functions that clang
/// lacks, if their header is beside the plugin. Not what was preprocessed
/// already, nor what has no headers of CUDA. To be called before the source is
/// entered.
void supplyDeviceFunctions(clang::CompilerInstance &CI);

} // namespace sluice

#endif
