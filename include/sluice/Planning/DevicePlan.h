// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a device compile knows and does, kernel by kernel.

#ifndef SLUICE_PLANNING_DEVICEPLAN_H
#define SLUICE_PLANNING_DEVICEPLAN_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Plan/Remark.h"

namespace sluice {

/// What is known and what is to be done, kernel by kernel.
struct DevicePlan {
  Plan Decisions;
  std::vector<KernelFacts> Kernels; ///< In the order of Decisions.Kernels.
  std::vector<std::string> IRNames; ///< Of the kernels, likewise.
  std::vector<PlaceRange> Off;      ///< What stands under `#pragma sluice off`.
  std::vector<std::string> Warnings;
  std::vector<Remark> Remarks; ///< At the kernels that they name.
  bool AllRemarks = false;     ///< `remarks=all`.

  const KernelFacts *facts(llvm::StringRef Name) const;
};

/// Replaces the decisions by those of \p Given, the user's plan: loops that it
/// does not list are not throttled. Warns of entries that match nothing.
void takeGivenPlan(DevicePlan &Device, const Plan &Given);

/// A plan file that is as it should be, and for other compiles.
class NoPlanForSource : public llvm::ErrorInfo<NoPlanForSource> {
public:
  static char ID;
  explicit NoPlanForSource(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string Text;
};

/// The same with the document of the plan file \p File that is for the source
/// and the GPU of \p Device. The error says what is wrong with the file, or
/// that it has no such document (NoPlanForSource).
llvm::Error takeGivenPlanFile(llvm::StringRef File, DevicePlan &Device);

} // namespace sluice

#endif
