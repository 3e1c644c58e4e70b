// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Computes a loop's footprint: LoopFootprint.cpp by what the code says of
/// addresses, FootprintMeasures.cpp by what a profile saw where it says
/// nothing.

#ifndef SLUICE_LIB_ANALYSIS_FOOTPRINTBUILDER_H
#define SLUICE_LIB_ANALYSIS_FOOTPRINTBUILDER_H

#include "ActiveThreads.h"
#include "LineSet.h"
#include "ThreadBases.h"
#include "sluice/Analysis/LoopFootprint.h"
#include <map>

namespace sluice {

/// The iterations of the loops between an access and the analysed loop: every
/// combination of their iterators' values.
using IteratorValues = llvm::SmallVector<std::pair<unsigned, int64_t>, 4>;

/// What an access touches, by warp.
struct Touched {
  std::vector<LineSet> Lines;
  std::vector<LineSet> Sectors;
  /// First bytes of lanes. An access is aligned to its size: two that are not
  /// the same do not overlap.
  std::vector<LineSet> Bytes;
  std::vector<size_t> LinesOfOneRequest; ///< In the first inner iteration.
};

/// What the lanes touch in one inner iteration. Accesses whose addresses differ
/// by a constant, where the lanes lie alike in lines, have it in common.
struct Request {
  std::vector<LineSet> Lines, Sectors, Bytes; ///< By warp.
  ArgumentMinima OnlyIf;
  bool UnknownDistance = false;
  bool HasUnknownBase = false; ///< The next one has others.
};

class FootprintBuilder {
public:
  FootprintBuilder(const KernelFacts &Kernel, unsigned LoopIndex,
                   const LaunchConfig &Launch, const GPUModel &GPU,
                   bool CountsUsefulBytes)
      : Kernel(Kernel), LoopIndex(LoopIndex), Launch(Launch), GPU(GPU),
        CountsUsefulBytes(CountsUsefulBytes), Tids(threadsOf(Launch, GPU)),
        Bases(Tids, GPU.WarpSize), Active(Tids, GPU.WarpSize) {}

  LoopFootprint build();

private:
  bool collectInnerIterations(unsigned AccessLoop,
                              std::vector<IteratorValues> &Values);
  bool isTooMuch();
  AddressForm bindLaunch(const AddressForm &Address) const;
  AddressForm bindIterators(const AddressForm &Address,
                            const IteratorValues &Values) const;
  bool isRare(const AccessPattern &Access, size_t InnerIterations) const;
  void addAccess(const AccessPattern &Access,
                 llvm::ArrayRef<IteratorValues> Iterations);
  void enumerateLanes(const AccessPattern &Access,
                      llvm::ArrayRef<IteratorValues> Iterations,
                      AccessFootprint &Foot, Touched &T);
  void addRequest(const AddressForm &Address, unsigned Bytes,
                  AccessFootprint &Foot, Touched &T);
  Request request(const AddressForm &Base, const AddressForm &Offset,
                  unsigned Bytes);
  const ActiveThreads::Set &running(const AccessPattern &Access);
  bool differInAWarp(const ThreadBases::Bases &OfThreads) const;
  void assumeLines(Touched &T);
  uint64_t mostLines(const AccessPattern &Access, size_t InnerIterations) const;
  void measureGather(const AccessPattern &Access, size_t InnerIterations,
                     Touched &T);
  void measureDistances(const AccessMeasurement &M, Touched &T);
  void measureReuse();
  void settleDistances(const AddressForm &Base, const AddressForm &Offset,
                       Request &R);
  bool isComputedInLoop(Variable V) const;
  std::optional<int64_t> iterationStride(const AddressForm &Address);
  static std::vector<ThreadIndex> threadsOf(const LaunchConfig &Launch,
                                            const GPUModel &GPU);

  const KernelFacts &Kernel;
  unsigned LoopIndex;
  const LaunchConfig &Launch;
  const GPUModel &GPU;
  const bool CountsUsefulBytes;
  LoopFootprint Result;
  const std::vector<ThreadIndex> Tids; ///< By linear thread number.
  ThreadBases Bases;
  ActiveThreads Active;
  const ActiveThreads::Set *Running = nullptr; ///< Of the access at hand.
  /// By the base, the offset but for a constant, where in a line that begins,
  /// the bytes, and the threads.
  std::unordered_map<
      AddressForm,
      std::map<std::tuple<unsigned, int64_t, unsigned, unsigned>, Request>,
      HashOfForm>
      Requests;
};

} // namespace sluice

#endif
