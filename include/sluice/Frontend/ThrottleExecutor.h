// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Carries a device plan's throttling out, kernel by kernel, and reports every
/// decision at its place.

#ifndef SLUICE_FRONTEND_THROTTLEEXECUTOR_H
#define SLUICE_FRONTEND_THROTTLEEXECUTOR_H

#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Frontend/RegionFinder.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sluice {

struct RegionTurns;
class TurnWriter;

class ThrottleExecutor {
public:
  /// \p Writer null: no turns are taken and none are reported, but what the
  /// planner remarks is. \p SkipTurn: WrongRewrite::SkipTurn.
  ThrottleExecutor(clang::CompilerInstance &CI, const DevicePlan &Device,
                   TurnWriter *Writer, bool SkipTurn)
      : CI(CI), Device(Device), Writer(Writer), SkipTurn(SkipTurn) {}

  /// Rewrites \p Function if it is the definition of a kernel that the plan
  /// throttles. Call it once clang has finished its body.
  void execute(clang::FunctionDecl &Function);

  /// Emits the remarks of all kernels, also of those never met.
  void report();

private:
  void collectTurns(clang::FunctionDecl &Kernel, const KernelPlan &Plan,
                    const KernelFacts &Facts, std::vector<RegionTurns> &Turns);
  void locate(const clang::FunctionDecl &Kernel, const KernelPlan &Plan);
  void askWriter(const clang::FunctionDecl &Kernel, const KernelPlan &Plan);
  Remark loopRemark(const KernelPlan &Kernel, const LoopPlan &Loop,
                    const KernelFacts &Facts) const;
  void reportKernel(const KernelPlan &Kernel, const KernelFacts &Facts);
  void reportLoops(const KernelPlan &Kernel, const KernelFacts &Facts);
  bool isOfLibrary(unsigned Location) const;
  void say(Remark R, const KernelPlan &Kernel);
  void print();

  clang::CompilerInstance &CI;
  const DevicePlan &Device;
  TurnWriter *Writer;
  const bool SkipTurn;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> Done;
  /// By kernel and loop: why a throttling that the plan wants was not done.
  llvm::StringMap<std::string> Refusals;
  /// Those of the writer: this output lacks what the compile would have.
  llvm::StringSet<> RefusedByWriter;
  /// By kernel, and by kernel and loop: SourceLocations in raw encoding.
  llvm::StringMap<unsigned> Locations;
  llvm::StringMap<const clang::FunctionDecl *> Definitions; ///< By kernel.
  /// To be printed, with {0} in place of the kernel's name.
  struct SaidRemark {
    Remark R;
    std::string Name; ///< Empty: the message has none in it.
    unsigned Others;  ///< Instances of the same template that it is said of.
    bool IsWarning = false;
  };
  std::vector<SaidRemark> Said;
};

} // namespace sluice

#endif
