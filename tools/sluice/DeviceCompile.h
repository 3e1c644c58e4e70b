// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// One device compile of the user's file for what it says: the plan, PTX, and
/// the remarks. For the subcommands that show something and run nothing.

#ifndef SLUICE_TOOLS_SLUICE_DEVICECOMPILE_H
#define SLUICE_TOOLS_SLUICE_DEVICECOMPILE_H

#include "RecordedRemarks.h"
#include "sluice/Plan/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

struct DeviceCode {
  Plan Decided;
  std::string PTX;
  std::vector<RecordedRemark> Remarks; ///< If asked for.
};

/// Clang's options with -O3 before them, and, where they name none, a GPU:
/// sm_90, which \p Tool then says on standard error. Expands files of
/// arguments. An error if there is no .cu file.
llvm::Expected<std::vector<std::string>>
deviceOptions(llvm::ArrayRef<std::string> ForClang, llvm::StringRef Tool);

enum class RemarksWanted { No, Yes };

/// Where clang's warnings and errors go: to standard error, or into the error
/// alone.
enum class Diagnostics { Shown, Kept };

/// Compiles with \p Options, of deviceOptions, to PTX. Errors if that fails, or
/// if it is of several files or GPUs. A file of the user's
/// `--sluice-emit-plan=` gets the plan too.
llvm::Expected<DeviceCode> compileDevice(llvm::ArrayRef<std::string> Options,
                                         RemarksWanted Remarks,
                                         const char *Argv0,
                                         Diagnostics Said = Diagnostics::Shown);

struct DeviceBitcode {
  Plan Decided;
  std::string Bitcode;
};
/// Likewise, to bitcode, as sluice-register-limit finds it.
llvm::Expected<DeviceBitcode>
compileToBitcode(llvm::ArrayRef<std::string> Options, const char *Argv0);

/// The .cu file of \p Options; there is one.
llvm::StringRef sourceOf(llvm::ArrayRef<std::string> Options);

/// Does the user's --kernel=\p Name mean this one?
bool isCalled(const KernelPlan &Kernel, llvm::StringRef Name);
/// That there is no kernel \p Name in \p P, and which there are.
llvm::Error noSuchKernel(const Plan &P, llvm::StringRef Name);

} // namespace sluice

#endif
