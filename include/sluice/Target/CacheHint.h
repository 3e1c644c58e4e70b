// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a global load may ask of the caches: the qualifiers of PTX's `ld` and
/// `ld.global.nc` (PTX ISA, "Data Movement and Conversion Instructions: ld",
/// "ld.global.nc", "createpolicy" and "Cache Operators").

#ifndef SLUICE_TARGET_CACHEHINT_H
#define SLUICE_TARGET_CACHEHINT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

struct CacheHint {
  /// `.L1::evict_first` and so on: which lines the L1 gives up first, or that
  /// it takes none for this load.
  enum class L1Eviction { None, First, Last, Unchanged, NoAllocate };
  /// `.ca`: cache in L1 and L2; `.cg`: in the L2 alone; `.cs`: likely to be
  /// used once; `.lu`: for global memory as `.cs`; `.cv`: fetch again.
  enum class CacheOperator { None, CA, CG, CS, LU, CV };
  /// The priority of the line in the L2, through a policy that
  /// `createpolicy.fractional.L2::evict_last` made, for all accesses.
  enum class L2Eviction { None, First, Last, Normal, Unchanged };
  /// Only the kernel's first warps do all that; the others read past the L1
  /// (`.cg`), or leave their lines for others in the L2 (a policy of
  /// evict_first). A. Li, thesis, section 5.4.2; docs/passes/warp-bypass.md.
  enum class WarpBypass { None, L1, L2 };

  L1Eviction L1 = L1Eviction::None;
  CacheOperator Operator = CacheOperator::None;
  L2Eviction L2 = L2Eviction::None;
  /// A policy's 64 bits, in place of L2; 0: none.
  uint64_t L2Policy = 0;
  unsigned L2PrefetchBytes = 0; ///< 64, 128 or 256; 0: none.
  /// `.nc`: the memory is not written while the kernel runs, so the load may go
  /// the way of read-only data.
  bool ReadOnly = false;
  WarpBypass ByWarp = WarpBypass::None;

  bool hasPolicy() const { return L2 != L2Eviction::None || L2Policy != 0; }
  bool empty() const { return *this == CacheHint(); }
  /// In the order of PTX, parts joined by '+': "nc+L1::evict_last+L2::128B";
  /// "none" where there is nothing. The policy is "L2::evict_last", or
  /// "L2::policy=0x14f0000000000000".
  std::string str() const;

  friend bool operator==(const CacheHint &A, const CacheHint &B);
  friend bool operator!=(const CacheHint &A, const CacheHint &B) {
    return !(A == B);
  }
};

/// Reads what CacheHint::str prints, parts in any order. The error names the
/// part that is unknown and lists all, or says which two exclude each other.
llvm::Expected<CacheHint> parseCacheHint(llvm::StringRef Text);

/// Why PTX has no such load: "cg and L1::evict_last exclude each other"; empty:
/// it has.
std::string faultOf(const CacheHint &Hint);

/// A hint that PTX has, of few parts or none, the same for all warps: for
/// tests. \p Generator makes random numbers.
CacheHint randomHint(llvm::function_ref<uint64_t()> Generator);

/// What code is compiled for.
struct PTXTarget {
  unsigned SM = 0;      ///< 90 for sm_90.
  unsigned Version = 0; ///< 78 for PTX 7.8.
};

/// Takes out of \p Hint what \p Target lacks, and says of each part what it
/// would need: "L2::256B needs sm_80 and PTX 7.4".
std::vector<std::string> dropUnsupported(CacheHint &Hint, PTXTarget Target);

} // namespace sluice

#endif
