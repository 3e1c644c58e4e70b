// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Cutting planes for the ILP of section V-B, without which its bound is weak:
/// N = 1/2 and M = 1/2 or 0, as the edge wants it, satisfy every constraint.
/// With them, 24 loads of random weights take a tenth of the time.

#ifndef SLUICE_LIB_PLAN_TRIANGLECUTS_H
#define SLUICE_LIB_PLAN_TRIANGLECUTS_H

#include "ILP.h"
#include "coin/CglCutGenerator.hpp"
#include <cstddef>
#include <vector>

namespace sluice {

/// What no choice of three nodes is, where all three pairs have an edge
/// (Padberg, "The Boolean quadric polytope", Mathematical Programming 45,
/// 1989):
///
///     N_i + N_j + N_k - M_ij - M_ik - M_jk <= 1
///     M_ij + M_ik - M_jk <= N_i                    and for j and k
class TriangleCuts : public CglCutGenerator {
public:
  /// Columns: the nodes of \p P, then its edges.
  explicit TriangleCuts(const ILPProblem &P);
  CglCutGenerator *clone() const override { return new TriangleCuts(*this); }
  void generateCuts(const OsiSolverInterface &LP, OsiCuts &Cuts,
                    const CglTreeInfo Info) override;

private:
  struct Cut {
    double Most; ///< The sum's upper bound.
    int Terms;
    int Columns[6];
    double Coefficients[6];
    double Violation = 0; ///< How far the LP's solution is above.
  };
  int column(unsigned V, unsigned W) const {
    return ColumnOf[size_t(V) * Nodes + W];
  }
  void look(const double *Solution, unsigned I, unsigned J, unsigned K);
  void add(const double *Solution, Cut C);

  unsigned Nodes;
  std::vector<int> ColumnOf; ///< Of the edge between two nodes; -1: none.
  std::vector<Cut> Found;
};

} // namespace sluice

#endif
