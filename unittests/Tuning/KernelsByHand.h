// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Kernels' plans and search spaces, built by hand.

#ifndef SLUICE_UNITTESTS_TUNING_KERNELSBYHAND_H
#define SLUICE_UNITTESTS_TUNING_KERNELSBYHAND_H

#include "sluice/Tuning/SearchSpace.h"
#include "gtest/gtest.h"

namespace sluice {

inline const GPUModel &h100() {
  static const GPUModel *Model = llvm::cantFail(findGPUModel("sm_90"));
  return *Model;
}

/// A launch that leaves 8 blocks of 256 threads on an SM.
inline LaunchPlan launchOf(LaunchDim Block = LaunchDim::known(256)) {
  LaunchPlan L;
  L.Grid = LaunchDim::known(2048);
  L.Block = Block;
  L.BlocksPerSM = 8;
  L.L1Bytes = 224 << 10;
  return L;
}

/// A loop at line \p Line of f.cu in which each thread walks along a row.
inline LoopPlan loopAt(unsigned Line, unsigned WarpGroups = 1) {
  LoopPlan L;
  L.Id.Place = {"f.cu", Line, 5};
  L.WarpGroups = WarpGroups;
  L.FootprintBytes = 512 << 10;
  AccessPlan A;
  A.Id.Place = {"f.cu", Line + 1, 9};
  A.Kind = "load";
  A.Bytes = 4;
  A.SectorsPerWarp = A.LinesPerWarp = 32;
  A.IterationStride = 4;
  L.Accesses.push_back(A);
  return L;
}

inline KernelPlan kernelOf(std::vector<LoopPlan> Loops,
                           std::vector<LaunchPlan> Launches = {launchOf()}) {
  KernelPlan K;
  K.Name = K.DisplayName = "kernel";
  K.Launches = std::move(Launches);
  K.Loops = std::move(Loops);
  return K;
}

/// A space of choices that set nothing, with so many values each.
inline SearchSpace spaceOf(const std::vector<unsigned> &Sizes,
                           const Point &Planned = {}) {
  SearchSpace Space;
  for (size_t I = 0; I < Sizes.size(); ++I) {
    Choice C;
    C.Name = "choice" + std::to_string(I);
    for (unsigned Value = 0; Value < Sizes[I]; ++Value)
      C.Values.push_back(std::to_string(Value));
    C.Planned = I < Planned.size() ? Planned[I] : 0;
    C.Set = [](KernelPlan &, unsigned) {};
    Space.Choices.push_back(std::move(C));
  }
  return Space;
}

} // namespace sluice

#endif
