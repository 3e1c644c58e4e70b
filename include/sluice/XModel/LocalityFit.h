// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Eq. 3.3's alpha and beta of a kernel, from how far apart its reuses are.

#ifndef SLUICE_XMODEL_LOCALITYFIT_H
#define SLUICE_XMODEL_LOCALITYFIT_H

#include "sluice/Analysis/Profile.h"
#include "sluice/XModel/XModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

struct LocalityFit {
  Locality Reuse;
  double Error = 0; ///< Root of the weighted mean square, of hit rates.
};

/// The alpha and beta with which Eq. 3.3 is nearest to \p Points, by least
/// squares. Without points: nothing is reused.
LocalityFit fitLocality(llvm::ArrayRef<HitPoint> Points);

/// What a cache of LRU lines of \p LineBytes would hit of \p Reuse, that
/// \p Threads threads had together: a reuse behind d other lines hits if each
/// thread's share holds d / \p Threads lines. Between a share of 1 / \p Threads
/// of \p CacheBytes, with all of them in the MS, and all of it.
std::vector<HitPoint> hitPoints(const ReuseHistogram &Reuse, double Threads,
                                double CacheBytes, unsigned LineBytes);

/// All that \p Reuse says, for XModel::HitCurve: with shares so scaled that
/// \p Known is on it, as a real cache holds less than one of LRU lines. Empty:
/// nothing is reused, or \p Known hits nothing.
std::vector<HitPoint> hitCurve(const ReuseHistogram &Reuse, double Threads,
                               unsigned LineBytes, const HitPoint &Known);

} // namespace sluice

#endif
