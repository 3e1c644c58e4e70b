// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Cache hints on IR loads, as `!mem.cache_hint` has them.

#ifndef SLUICE_ANALYSIS_CACHEHINTMETADATA_H
#define SLUICE_ANALYSIS_CACHEHINTMETADATA_H

#include "sluice/Target/CacheHint.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <string>

namespace llvm {
class Function;
class Instruction;
class LoadInst;
class MDNode;
class Value;
} // namespace llvm

namespace sluice {

/// The pointer that a load, or a copy of memory (of a struct), reads; null for
/// other instructions.
const llvm::Value *readPointer(const llvm::Instruction &I);

/// Puts \p Hint on what \p I, a load or a copy, reads, in place of what was
/// there:
///
///   !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"no_allocate"}}
///
/// The number is the operand's: 0 of a load, 1 of a copy.
/// The keys are those of LLVM's NVPTX backend from version 23 on:
/// nvvm.l1_eviction (first, last, unchanged, no_allocate),
/// nvvm.l2_prefetch_size (64B, 128B, 256B), nvvm.l2_cache_hint (a policy's
/// bits); and of ours for what that lacks: sluice.cache_operator (ca, cg, cs,
/// lu, cv), sluice.l2_policy (evict_first, evict_last, evict_normal,
/// evict_unchanged), sluice.by_warp (L1, L2). `nc` is `!invariant.load`, which is left where it is.
void setCacheHint(llvm::Instruction &I, const CacheHint &Hint);

/// The hint on what a load or a copy reads, without `nc`. nvvm.l2_eviction is
/// taken for the policy of that name. What is malformed is left out and told in
/// \p Problems.
CacheHint readCacheHint(const llvm::Instruction &I,
                        llvm::SmallVectorImpl<std::string> &Problems);

/// The hint on what \p I reads, without `nc`, where it can have one: nothing
/// where it is malformed, and on volatile and atomic loads.
CacheHint usableCacheHint(const llvm::Instruction &I);

/// For by-warp hints: how many of a block's warps use the cache.
struct CachedWarps {
  unsigned Number = 0;
  /// Not empty: the variable by which the warps find the number themselves.
  std::string Votes;
};

void setCachedWarps(llvm::Function &Kernel, const CachedWarps &Warps);

/// What setCachedWarps said; none: nothing.
std::optional<CachedWarps> cachedWarps(const llvm::Function &Kernel);

/// The prefix of the `!mmra` tags below.
inline constexpr llvm::StringLiteral CacheHintTag = "sluice.cache_hint";

/// Adds \p Hint to the load's `!mmra`. The passes that join loads keep the tags
/// of all, while they drop `!mem.cache_hint`.
void tagCacheHint(llvm::LoadInst &I, const CacheHint &Hint);

/// The hints, as text, that tagCacheHint put into \p MMRA; null: none.
std::set<std::string> taggedCacheHints(llvm::MDNode *MMRA);

/// Has \p Join, which may join loads of \p F, keep their hints. A load that
/// stands for several that have different ones gets none: no instruction can
/// ask for both.
void keepCacheHints(llvm::Function &F, llvm::function_ref<void()> Join);

} // namespace sluice

#endif
