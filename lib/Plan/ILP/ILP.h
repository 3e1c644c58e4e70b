// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is asked of SluiceILP.so, and answered. Plain C on both sides: the
/// library knows neither LLVM nor the rest of Sluice.

#ifndef SLUICE_LIB_PLAN_ILP_H
#define SLUICE_LIB_PLAN_ILP_H

namespace sluice {

struct ILPEdge {
  unsigned First, Second; ///< Two different nodes.
  double Weight;
};

/// Choose nodes such that their weights and those of the edges between them add
/// up to the most. No weight is above 1e6, nor below -1e6.
struct ILPProblem {
  unsigned Nodes;
  const double *NodeWeights;
  unsigned Edges; ///< No two between the same nodes.
  const ILPEdge *EdgeList;
  double Seconds; ///< Of wall time.
};

enum ILPStatus {
  ILPOptimal,
  ILPStopped, ///< The time was up: the best choice found.
  ILPFailed,  ///< The choice is as it was.
};

/// \p Choice has a 1 for each node that is chosen, else a 0; as it is given, it
/// is one to begin with. Prints nothing and throws nothing.
using ILPSolver = ILPStatus (*)(const ILPProblem *Problem,
                                unsigned char *Choice);

inline constexpr const char *ILPLibrary = "SluiceILP.so";
inline constexpr const char *ILPFunction = "sluiceSolveILP";

} // namespace sluice

#endif
