// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Profiles that the tests of profiles begin with.

#ifndef SLUICE_UNITTESTS_ANALYSIS_PROFILESBYHAND_H
#define SLUICE_UNITTESTS_ANALYSIS_PROFILESBYHAND_H

#include "sluice/Analysis/Profile.h"

namespace sluice {

inline AccessProfile accessAt(unsigned Line, unsigned Column,
                              const char *Kind = "load") {
  AccessProfile Access;
  Access.Id.Place = {"a.cu", Line, Column};
  Access.Kind = Kind;
  return Access;
}

/// A profile with a value in every field.
inline Profile fullProfile() {
  AccessProfile Load = accessAt(24, 12);
  Load.Bytes = 4;
  Load.Counts = {64, 2048, 8192, 4096, 512, 1024, 768, 128, 96};
  Load.Reuse.Count[0] = 7;
  Load.Reuse.Count[3] = 400;
  Load.Reuse.Never = 105;
  Load.SectorsAlone = 1024;
  Load.HitsAlone = 900;
  Load.Copies = {{32, 1024, 4096, 2048, 256, 512, 384, 64, 48},
                 {32, 1024, 4096, 2048, 256, 512, 384, 64, 48}};

  AccessProfile Called = accessAt(9, 10);
  Called.Id = {{"math.cuh", 9, 10}, {{"a.cu", 25, 7}}, 0};
  Called.Bytes = 8;
  Called.Counts = {64, 2048, 16384, 16384, 128, 512, 0, 0, 0};
  Called.SectorsAlone = 512;
  Called.HitsAlone = 10;

  AccessProfile Store = accessAt(26, 8, "store");
  Store.Counts.Requests = 1;

  LoopProfile Loop;
  Loop.Id.Place = {"a.cu", 23, 5};
  Loop.Entries = 64;
  Loop.Iterations = 640;
  Loop.IterationLines = 1280;
  Loop.MostIterationLines = 33;

  LaunchProfile Launch;
  Launch.Grid = LaunchDim::known(1056);
  Launch.Block = LaunchDim::known(16, 16);
  Launch.DynamicSharedBytes = 1024;
  Launch.Launches = 3;

  KernelProfile Kernel;
  Kernel.Name = "_Z1kPf";
  Kernel.File = "a.cu";
  Kernel.FirstLine = 20;
  Kernel.LastLine = 28;
  Kernel.TextHash = "00112233445566aa";
  FunctionText Inlined;
  Inlined.File = "math.cuh";
  Inlined.FirstLine = 8;
  Inlined.LastLine = 10;
  Inlined.TextHash = "ffeeddccbbaa9988";
  Kernel.Inlined = {Inlined};
  Kernel.Registers = 31;
  Kernel.Launches = {Launch};
  Kernel.L1Bytes = 229376;
  Kernel.SimulatedBlocks = 24;
  Kernel.Blocks = 3168;
  Kernel.Time.Cycles = 1000;
  Kernel.Time.IssueCycles = 100;
  Kernel.Time.TagCycles = 800;
  Kernel.Time.L2Cycles = 400;
  Kernel.Time.DRAMCycles = 50;
  Kernel.Time.Nanoseconds = 12300;
  Kernel.Accesses = {Load, Called, Store};
  Kernel.Pairs = {{0, 1, 950}};
  Kernel.Loops = {Loop};

  Profile P;
  P.Source = "a.cu";
  P.GPU = "sm_90";
  P.Origin = "emulator";
  P.Runs = 2;
  P.Kernels = {Kernel};
  return P;
}

/// A profile of a.cu with one kernel, of lines 20 to 28 and a known text.
inline Profile profileWith(std::vector<AccessProfile> Accesses) {
  Profile P;
  P.Source = "a.cu";
  P.GPU = "sm_90";
  KernelProfile Kernel;
  Kernel.Name = "k";
  Kernel.File = "a.cu";
  Kernel.FirstLine = 20;
  Kernel.LastLine = 28;
  Kernel.TextHash = "00112233445566aa";
  Kernel.Accesses = std::move(Accesses);
  P.Kernels = {Kernel};
  return P;
}

inline std::string textOf(const Profile &P) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeProfile(P, OS);
  return Text;
}

} // namespace sluice

#endif
