// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes a module pass without parameters known to `opt -passes=`.

#ifndef SLUICE_TRANSFORMS_PASSBYNAME_H
#define SLUICE_TRANSFORMS_PASSBYNAME_H

#include "llvm/Passes/PassBuilder.h"

namespace sluice {

/// \p Name lives as long as \p PB.
template <typename PassT>
void registerByName(llvm::PassBuilder &PB, llvm::StringRef Name) {
  PB.registerPipelineParsingCallback(
      [Name](llvm::StringRef Asked, llvm::ModulePassManager &MPM,
             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (Asked != Name)
          return false;
        MPM.addPass(PassT());
        return true;
      });
}

} // namespace sluice

#endif
