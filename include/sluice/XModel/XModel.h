// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The X-model (Li's thesis, chapter 3): a machine's threads are either in its
/// computation system (CS), x of them, or wait in its memory system (MS), k of
/// them. What the CS demands of the MS, g(x) / Z, and what the MS supplies,
/// f(k), are two curves over k = n - x, and the machine settles where they
/// meet. No IR, no GPU and no kernel here: numbers in, numbers out.
///
/// Any unit of time and of data will do. Sluice takes one SM, warps as threads,
/// cycles of the SM's clock and bytes that loads ask of the L1 (KernelX.h).

#ifndef SLUICE_XMODEL_XMODEL_H
#define SLUICE_XMODEL_XMODEL_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace sluice {

/// How a workload reuses what it loads: Eq. 3.3's parameters. The better the
/// locality, the larger alpha and the smaller beta.
struct Locality {
  double Alpha = 1; ///< From 1; 1: nothing is reused.
  double Beta = 1;  ///< Bytes of a thread.
};

/// With so many bytes of cache for each thread, this share hits.
struct HitPoint {
  double BytesPerThread = 0;
  double HitRate = 0;
  double Weight = 1; ///< In a fit.
};

/// Table 3.1, the inputs. "A cycle" is the unit of time.
struct XModel {
  // Of the machine.
  double Lanes = 1;        ///< M: operations a cycle, at most.
  double Supply = 1;       ///< R: bytes a cycle, at most, of the memory.
  double MemoryCycles = 1; ///< L: from a request to its data, at leisure.
  double CacheCycles = 0;  ///< L_$: the same of what the cache has.
  double CacheBytes = 0;   ///< S_$; 0: there is no cache.

  // Of the workload.
  double Threads = 1;     ///< n
  double Intensity = 1;   ///< Z: operations for each byte.
  double Parallelism = 1; ///< E: of one thread, side by side.
  Locality Reuse;

  // What the chapter has as 1, or not at all.
  /// h in place of Eq. 3.3, "a new f(k) based on a specific condition" (section
  /// 3.3.3; its Figure 3.12 connects measured points): by rising bytes, with
  /// straight lines over their logarithms. Empty: Eq. 3.3.
  std::vector<HitPoint> HitCurve;
  /// What a thread asks for before it waits; the chapter's requests are of 1.
  double RequestBytes = 1;
  /// From an operation to one that needs it: a thread of E has E / this many
  /// operations a cycle. The chapter's lanes take 1 cycle.
  double LaneCycles = 1;
  /// Bytes a cycle that the cache can look up, hit or miss; 0: no limit, as in
  /// the chapter.
  double CacheSupply = 0;
  /// Of the threads in the MS only so many use the cache (section 3.6, "cache
  /// bypassing"); none: all.
  std::optional<double> CachedThreads;

  bool hasCache() const {
    return CacheBytes > 0 && (Reuse.Alpha > 1 || !HitCurve.empty());
  }

  /// h, of \p K threads that share the cache (Eq. 3.3, or HitCurve).
  double hitRate(double K) const;
  /// L_k: the mean latency with \p K threads in the MS (Eq. 3.1 and 3.4).
  double latency(double K) const;
  /// f(k): what the MS supplies, bytes a cycle (Eq. 3.2 and 3.5; section 3.2
  /// without a cache).
  double supply(double K) const;
  /// g(x) / Z: what the CS demands of the MS, bytes a cycle (section 3.2, with
  /// E as in Figure 3.4-E).
  double demand(double X) const;
};

/// The same without its cache: the transit model of section 3.2.
XModel withoutCache(XModel M);

/// A place in the graph: threads, of the CS or of the MS, and bytes a cycle.
struct XPoint {
  double Threads = 0;
  double Bytes = 0;
};

/// pi: from so many threads in the CS on it is saturated, M E^-1.
XPoint csTransition(const XModel &M);
/// delta: from so many threads in the MS on the memory is saturated, R L.
XPoint msTransition(const XModel &M);
/// psi: the cache peak, before which more threads in the MS help and behind
/// which they evict each other's lines. None: the curve does not fall.
std::optional<XPoint> cachePeak(const XModel &M);
/// The cache valley behind it.
std::optional<XPoint> cacheValley(const XModel &M);

/// Where demand and supply are in balance.
struct Intersection {
  double K = 0;     ///< Threads in the MS.
  double X = 0;     ///< Threads in the CS: n - k.
  double Bytes = 0; ///< MS throughput, bytes a cycle.
  /// A thread that leaves comes back: Eq. 3.6.
  bool IsStable = true;
};

/// All of them, by rising k: an odd number, the first and the last stable.
/// Where they touch without crossing is none. Empty: there are no threads.
std::vector<Intersection> intersections(const XModel &M);

/// What keeps the throughput from being more.
enum class XBound {
  Threads,     ///< Neither system is saturated: more threads would be served.
  Computation, ///< The CS is saturated.
  Memory,      ///< The MS is, beyond delta.
  Balance,     ///< Both are: the capacity bound, or machine balance.
  Thrashing,   ///< Between the cache's peak and its valley.
  Lookups,     ///< The cache looks up as much as it can (CacheSupply).
};
/// "threads", "computation" and so on.
llvm::StringRef nameOfBound(XBound Bound);

XBound boundAt(const XModel &M, const Intersection &At);

/// Where the machine is: in the CS all threads begin, so that k rises from 0
/// and stays at the first intersection that is stable. (The chapter leaves it
/// open which of several is taken.) Zeros: there are no threads.
Intersection settled(const XModel &M);

/// CS throughput, operations a cycle: Z f(k).
double operations(const XModel &M, const Intersection &At);

/// The least threads with which both systems are saturated: the TLP of the
/// machine (section 3.3.1).
double machineThreads(const XModel &M);
/// M / R: a workload of a lesser Z is memory bound (section 3.3.1, "DLP").
double machineIntensity(const XModel &M);

} // namespace sluice

#endif
