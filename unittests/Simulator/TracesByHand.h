// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Traces as a test writes them down.

#ifndef SLUICE_UNITTESTS_SIMULATOR_TRACESBYHAND_H
#define SLUICE_UNITTESTS_SIMULATOR_TRACESBYHAND_H

#include "sluice/Simulator/Profiler.h"
#include <array>
#include <initializer_list>

namespace sluice::byhand {

constexpr uint32_t AllLanes = ~0u;

inline ProfilerOptions profilerOptions() {
  ProfilerOptions O;
  O.GPU = *findGPUModel("sm_90");
  return O;
}

/// An access to which nothing but its kind and line matters.
inline AccessSite site(unsigned Line,
                       AccessSite::KindTy Kind = AccessSite::Load,
                       unsigned Bytes = 4) {
  AccessSite S;
  S.Id.Place = {"a.cu", Line, 5};
  S.Kind = Kind;
  S.Bytes = uint8_t(Bytes);
  return S;
}

inline LoopSite loop(unsigned Line, int Parent = -1) {
  LoopSite L;
  L.Id.Place = {"a.cu", Line, 3};
  L.Parent = Parent;
  return L;
}

/// Writes a warp's trace, operation after operation.
class WarpWriter {
public:
  WarpWriter &op(WarpTrace::OpTy Op, uint32_t Argument = 0) {
    W.add(Op, Argument);
    return *this;
  }
  WarpWriter &issue(uint32_t N) { return op(WarpTrace::Issue, N); }
  WarpWriter &wait(uint32_t Load = 1) { return op(WarpTrace::Wait, Load); }
  WarpWriter &barrier() { return op(WarpTrace::Barrier); }
  WarpWriter &enter(uint32_t Loop) { return op(WarpTrace::LoopEnter, Loop); }
  WarpWriter &iterate(uint32_t Loop) { return op(WarpTrace::Iterate, Loop); }
  WarpWriter &exit(uint32_t Loop) { return op(WarpTrace::LoopExit, Loop); }
  /// Lane I accesses Address + I * Stride.
  WarpWriter &access(uint32_t Site, uint64_t Address, int64_t Stride = 4,
                     uint32_t Lanes = AllLanes) {
    std::array<uint64_t, 32> Addresses;
    for (unsigned L = 0; L < 32; ++L)
      Addresses[L] = Address + uint64_t(Stride) * L;
    WarpTrace::encodeAccess(Site, Lanes, Addresses.data(), W.Words);
    return *this;
  }
  /// All lanes: one line, all of its sectors.
  WarpWriter &line(uint32_t Site, uint64_t Line) {
    return access(Site, Line * 128);
  }
  WarpTrace end() {
    W.add(WarpTrace::End, 0);
    return std::move(W);
  }

private:
  WarpTrace W;
};

/// One block of these warps on one SM.
inline LaunchTrace launchOf(std::initializer_list<WarpTrace> Warps,
                            CodeSites Sites) {
  LaunchTrace L;
  L.Kernel = "_Z1kPf";
  L.Block = {unsigned(Warps.size()) * 32, 1, 1};
  L.Sites = std::move(Sites);
  BlockTrace B;
  B.Warps = Warps;
  L.Blocks.push_back(std::move(B));
  return L;
}

} // namespace sluice::byhand

#endif
