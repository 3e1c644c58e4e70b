// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The code of which `sluice registers` tries limits: as sluice-register-limit
/// has it in the compile, so that it can be asked for what our spills make of
/// it.

#ifndef SLUICE_TOOLS_SLUICE_REGISTERSCODE_H
#define SLUICE_TOOLS_SLUICE_REGISTERSCODE_H

#include "sluice/Plan/Plan.h"
#include "sluice/Transforms/OwnSpills.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace sluice {

struct RegistersCode {
  Plan Decided;
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::string PTX;
};

/// Compiles with \p Options, of deviceOptions.
llvm::Expected<RegistersCode>
compileForRegisters(llvm::ArrayRef<std::string> Options, const char *Argv0);

/// Our spills of \p Kernel at \p Launches, where there may be any, for \p
/// Found.
llvm::Error addOwnSpills(const RegistersCode &Code, const KernelPlan &Kernel,
                         llvm::ArrayRef<LaunchShape> Launches,
                         const SpillSetup &Setup, RegisterCandidates &Found);

} // namespace sluice

#endif
