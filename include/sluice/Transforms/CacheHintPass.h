// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Puts the plan's cache hints on a kernel's loads.

#ifndef SLUICE_TRANSFORMS_CACHEHINTPASS_H
#define SLUICE_TRANSFORMS_CACHEHINTPASS_H

#include "sluice/Plan/Plan.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sluice {

/// What the loads of a module are to ask of the caches.
struct CacheHintRequest {
  /// The first that has a kernel and is for its GPU counts for it. With nothing
  /// else asked for: the plan in the module (PlanMetadata.h).
  std::vector<Plan> Plans;
  /// For each global load of a kernel that no plan lists, for experiments.
  std::optional<CacheHint> All;
  /// For each of those loads another hint, made from this number: for tests.
  std::optional<uint64_t> RandomSeed;
  /// For tests of tests: `nc` also where the kernel may write.
  bool SkipsProof = false;
  /// Warn of a plan's loads that match none: somebody wrote them. (A profile
  /// may have loads that these options leave out.)
  bool WarnsOfUnmatched = true;
  /// Code is generated in a link (-foffload-lto), which carries hints out only
  /// where it loads the passes for that.
  bool LinkMakesCode = false;

  /// Is there nothing to do?
  bool empty() const { return Plans.empty() && !All && !RandomSeed; }
};

/// On each global load of a kernel that the plan lists, or on all:
///
///   %x = load float, ptr addrspace(1) %p
/// becomes
///   %x = load float, ptr addrspace(1) %p, !invariant.load !1,
///        !mem.cache_hint !0
///   !0 = !{i32 0, !{!"nvvm.l1_eviction", !"last"}}
///
/// `!invariant.load` is for the part `nc`, and only where no thread of the
/// kernel writes that memory. Nothing else changes. The last of IR passes:
/// others drop metadata that they do not know.
class CacheHintPass : public llvm::PassInfoMixin<CacheHintPass> {
public:
  explicit CacheHintPass(CacheHintRequest Request)
      : Request(std::move(Request)) {}

  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  CacheHintRequest Request;
};

/// Makes `sluice-cache-hints<plan=FILE;all=HINT>` known to `opt -passes=`; each
/// of the two may be left out.
void registerCacheHintPass(llvm::PassBuilder &PB);

} // namespace sluice

#endif
