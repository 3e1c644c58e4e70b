// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A plan made by hand for the tests of plans as text, and what reads and
/// writes such.

#ifndef SLUICE_UNITTESTS_PLAN_PLANBYHAND_H
#define SLUICE_UNITTESTS_PLAN_PLANBYHAND_H

#include "sluice/Plan/Plan.h"
#include "gtest/gtest.h"

namespace sluice::test {

inline std::string write(llvm::ArrayRef<Plan> Plans) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writePlans(Plans, OS);
  return Text;
}

/// A plan with a value in every field.
inline Plan fullPlan() {
  AccessPlan Access;
  Access.Id = {{"math.cuh", 9, 12}, {{"gesummv.cu", 24, 12}}, 2};
  Access.Kind = "load";
  Access.Bytes = 4;
  Access.Address = "A + 2048*tid.x + 4*i0";
  Access.LinesPerWarp = 32;
  Access.SectorsPerWarp = 32;
  Access.LinesPerBlock = 256;
  Access.IterationStride = 4;

  LoopPlan Loop;
  Loop.Id = {{"gesummv.cu", 23, 5}, {}, 0};
  Loop.WarpGroups = 4;
  Loop.Why = "525312 B > 253952 B";
  Loop.FootprintBytes = 525312;
  Loop.ThrottledFootprintBytes = 131328;
  Loop.Accesses = {Access};

  LaunchPlan Launch;
  Launch.Grid = LaunchDim::known(1056);
  Launch.Block = {{256, std::nullopt, 1}};
  Launch.DynamicSharedBytes = 0;
  Launch.Place = {"gesummv.cu", 60, 3};
  Launch.BlocksPerSM = 8;
  Launch.L1Bytes = 253952;

  KernelPlan Kernel;
  Kernel.Name = "_Z7gesummvPKfS0_S0_Pf";
  Kernel.DisplayName = "gesummv(const float *)";
  Kernel.Registers = 31;
  Kernel.RegistersFrom = "assembler";
  Kernel.CarveoutPercent = 50;
  Kernel.Launches = {Launch};
  Kernel.Loops = {Loop};
  return {"gesummv.cu", "sm_90", "", 132, {Kernel}};
}

inline std::vector<Plan> parse(llvm::StringRef Text) {
  auto Plans = parsePlans(Text, "p.yaml");
  if (Plans)
    return *Plans;
  ADD_FAILURE() << llvm::toString(Plans.takeError()) << "\nin:\n" << Text.str();
  return {};
}

inline std::string parseError(llvm::StringRef Text) {
  auto Plans = parsePlans(Text, "p.yaml");
  return Plans ? "no error" : llvm::toString(Plans.takeError());
}

} // namespace sluice::test

#endif
