// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `opt -passes='print<sluice-access-patterns>'`,
/// `opt -passes='print<sluice-streams>'` and
/// `opt -passes='print<sluice-footprints><gpu=sm_90;grid=1056;block=256>'`.

#ifndef SLUICE_ANALYSIS_PRINTERPASSES_H
#define SLUICE_ANALYSIS_PRINTERPASSES_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

void registerPrinterPasses(llvm::PassBuilder &PB);

} // namespace sluice

#endif
