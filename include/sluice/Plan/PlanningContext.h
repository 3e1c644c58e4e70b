// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a technique's planner is given: facts of all kernels, and their plans
/// as far as the techniques before it made them.

#ifndef SLUICE_PLAN_PLANNINGCONTEXT_H
#define SLUICE_PLAN_PLANNINGCONTEXT_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Options.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Plan/Remark.h"
#include "sluice/Target/GPUModel.h"
#include <functional>
#include <vector>

namespace sluice {

struct KernelProfile;

/// Registers of one thread of the throttled kernel, and how they are known.
struct RegisterFact {
  unsigned Count = 0;
  std::string From; ///< "assembler", "assembler, at least", "launch bounds" or
                    ///< "assumed".
};

/// Lists the loops of \p Facts in \p Plan, if it has none.
void listLoops(const KernelFacts &Facts, KernelPlan &Plan);

struct KernelToPlan {
  const KernelFacts &Facts;
  const KernelProfile *Measured; ///< Null: no profile of this GPU has it.
  KernelPlan &Plan;              ///< Has its names.
};

/// Are so many registers, or more, enough to know of kernel number \p Kernel?
using EnoughRegisters =
    std::function<bool(size_t Kernel, const RegisterFact &AtLeast)>;

struct PlanningContext {
  const Options &Opts;
  const GPUModel &GPU;
  unsigned SMs = 0; ///< Of the GPU to plan for.
  /// The host's code will be told what the plan asks of launches.
  bool HostHears = false;
  std::vector<KernelToPlan> Kernels;
  /// The registers of the kernels with turns as their plans have them now, by
  /// assembling them; by kernel, none where they cannot be known. Slow. Empty:
  /// nothing can be assembled.
  std::function<std::vector<std::optional<RegisterFact>>(
      const EnoughRegisters &IsEnough)>
      RegistersWithTurns;
  /// The registers of the kernels of these numbers as clang has them, likewise.
  std::function<std::vector<std::optional<RegisterFact>>(
      llvm::ArrayRef<size_t> Numbers)>
      OwnRegisters;
  std::vector<Remark> &Remarks;
  std::vector<std::string>
      &Warnings; ///< Of what was asked for and is not done.
};

} // namespace sluice

#endif
