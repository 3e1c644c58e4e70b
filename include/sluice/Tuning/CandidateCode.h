// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The code of a search's candidates. What several of its rounds need, at the
/// same time or later, is compiled once.

#ifndef SLUICE_TUNING_CANDIDATECODE_H
#define SLUICE_TUNING_CANDIDATECODE_H

#include "sluice/Plan/Plan.h"
#include "sluice/Tuning/CompileSlots.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

namespace sluice {

/// Compiles the source with a plan to a cubin; an empty plan file means without
/// Sluice.
using CompileImage = std::function<llvm::Error(const std::string &PlanFile,
                                               const std::string &Output)>;

/// Hash of each kernel's machine code in a cubin, by mangled name.
llvm::Expected<llvm::StringMap<std::string>>
hashKernels(const std::string &CubinPath);

/// Any thread may call it, but for the slots'.
class CandidateCode {
public:
  /// \p Skeleton is the plan that the kernels' are put into. \p Folder, which
  /// is there, is for the images: N.cubin with N.yaml, its plan.
  CandidateCode(const Plan &Skeleton, std::string Folder, CompileImage Compile,
                CompileSlots &Slots);

  struct Compiled {
    std::string Image; ///< Its path, without .cubin.
    std::string Hash;  ///< Of the kernel there.
  };
  /// Each kernel's code, without what its plan says at the launch. What is not
  /// there is compiled: image n has the n-th code of each kernel. \p What: for
  /// a timeline.
  llvm::Expected<std::vector<Compiled>> get(llvm::ArrayRef<KernelPlan> Kernels,
                                            CompileTurn Turn,
                                            llvm::StringRef What);

private:
  using Key = std::pair<std::string, std::string>; ///< Kernel and plan.
  struct Entry : Compiled {
    bool IsDone = false;
    std::string Problem;
  };
  /// Codes that are compiled together.
  struct Image {
    Plan ThePlan;
    std::string Stem;
    std::vector<std::pair<std::string, Entry *>> Kernels;
  };

  /// What the \p Keys are, and what of it the caller has to compile.
  std::vector<Entry *> claim(const std::vector<Key> &Keys,
                             llvm::ArrayRef<KernelPlan> Kernels,
                             std::vector<Image> &New);
  llvm::Error compile(Image &I);

  Plan Untuned; ///< Without what the tuner chooses.
  const std::string Folder;
  const CompileImage Compile;
  CompileSlots &Slots;

  std::mutex Lock; ///< For what is below.
  std::condition_variable Changed;
  std::map<Key, Entry> Known;
  size_t Images = 0;
};

} // namespace sluice

#endif
