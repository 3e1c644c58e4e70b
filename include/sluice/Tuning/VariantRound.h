// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// All kernels of a program as several compilers make them, in a
/// self-contained folder, to be measured by the replay library on this machine
/// or another. The folder is one of ReplayRound.h's, with
///
///   FOLDER/images/NAME.cubin  a variant's code
///   FOLDER/variants.json      what each variant is
///
/// for round.json.

#ifndef SLUICE_TUNING_VARIANTROUND_H
#define SLUICE_TUNING_VARIANTROUND_H

#include "sluice/Target/AssemblyCache.h"
#include "sluice/Tuning/ReplayRound.h"
#include <array>
#include <map>

namespace sluice {

/// A way to compile a program's kernels.
struct Variant {
  std::string Name;     ///< A word: "clang".
  std::string Compiler; ///< The compiler with its version, for people.
  AssembledKernels Kernels;
};

struct VariantRound {
  std::string Source;
  std::string Arch; ///< "sm_90"
  /// The first is the base: what the program goes on with, and what the others'
  /// results are compared with.
  std::vector<Variant> Variants;
  /// What binds a kernel by its X-graph (nameOfBound), where there is a
  /// profile.
  std::map<std::string, std::string> Bounds;
  /// Why a variant is not there, by its name.
  std::map<std::string, std::string> LeftOut;
};

/// Writes the folder's files but the images, which are there: what Sluice asks
/// of launches is read from them.
llvm::Error writeVariantRound(const VariantRound &Round,
                              const RoundOptions &Options);

/// A variant's code at one launch.
struct VariantTime {
  std::vector<double> Ms; ///< In their order; none: it was not timed.
  double Median = 0;
  uint64_t WrongWords = 0; ///< In which its results differ from the base's.
  std::string Error;       ///< Why it did not run.

  bool isTimed() const { return !Ms.empty() && Error.empty(); }
};

struct MeasuredLaunch {
  std::array<unsigned, 3> Grid = {}, Block = {};
  uint64_t DynamicSharedBytes = 0;
  uint64_t ArgumentBytes = 0; ///< Of the allocations its arguments point into.
  uint64_t UnstableBytes = 0; ///< Not compared: the base's own differ.
  std::map<std::string, VariantTime> Variants;
};

struct MeasuredKernel {
  unsigned Launches = 0;                 ///< Of the program.
  std::map<unsigned, MeasuredLaunch> At; ///< By the launch's number, from 0.

  /// The mean time of a launch in ms, over the launches at which both \p Name
  /// and \p Beside are timed; of both. None: there is no such launch.
  std::optional<std::pair<double, double>>
  meanTimes(const std::string &Name, const std::string &Beside) const;
  /// Words that differ, over all launches.
  uint64_t wrongWords(const std::string &Name) const;
  /// The first reason why it did not run; empty: it did.
  std::string problemOf(const std::string &Name) const;
};

struct VariantResults {
  VariantRound Round;
  std::string GPU; ///< "NVIDIA H200"
  std::string Arguments;
  std::map<std::string, MeasuredKernel> Kernels; ///< By mangled name.

  /// Was any kernel replayed?
  bool hasTimes() const;
};

/// Reads FOLDER/variants.json and FOLDER/results.jsonl.
llvm::Expected<VariantResults> readVariantRound(const std::string &Folder);

} // namespace sluice

#endif
