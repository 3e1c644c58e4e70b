// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Where a program runs with some of its warps approximate: on the emulator or
/// on a GPU.

#ifndef SLUICE_TOOLS_SLUICE_QUALITYMACHINE_H
#define SLUICE_TOOLS_SLUICE_QUALITYMACHINE_H

#include "QualityOutputs.h"
#include "TuneArguments.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <memory>

namespace sluice {

struct MachineRun : LeftByRun {
  int Status = 0;      ///< As shells have it.
  std::string Problem; ///< Why it did not end well; empty: it did.
  double Ms = 0;       ///< Of all kernels together.
  /// Of the kernels that have functions to approximate: the most warps that
  /// lambda can tell apart.
  unsigned MostWarps = 0;
};

class QualityMachine {
public:
  virtual ~QualityMachine() = default;
  /// Builds the program for \p Lambda, if it is not there yet, and runs it.
  virtual llvm::Expected<MachineRun>
  run(unsigned Lambda, const std::vector<std::string> &ForProgram) = 0;
  /// "predicted by the simulator for sm_90", say.
  virtual std::string timesAre() const = 0;
  /// Are they good enough to choose by?
  virtual bool isMeasured() const = 0;
};

/// \p Concerned: mangled names of the kernels that have functions to
/// approximate. For \p Argv0 see findLibraryFolder. All that is made lies in
/// the folder that \p File makes paths in.
struct MachineRequest {
  const TuneArguments &Arguments;
  const char *Argv0;
  llvm::StringSet<> Concerned;
  std::function<std::string(const llvm::Twine &)> File;
};

llvm::Expected<std::unique_ptr<QualityMachine>>
emulatorMachine(const MachineRequest &Request);

} // namespace sluice

#endif
