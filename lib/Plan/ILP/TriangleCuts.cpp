// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at all triples of nodes, and adds the cuts that the LP's solution
// violates the most, up to four for each node.

#include "TriangleCuts.h"
#include <algorithm>

using namespace sluice;

TriangleCuts::TriangleCuts(const ILPProblem &P)
    : Nodes(P.Nodes), ColumnOf(size_t(P.Nodes) * P.Nodes, -1) {
  for (unsigned I = 0; I < P.Edges; ++I) {
    const ILPEdge &E = P.EdgeList[I];
    ColumnOf[size_t(E.First) * Nodes + E.Second] =
        ColumnOf[size_t(E.Second) * Nodes + E.First] = int(Nodes + I);
  }
}

void TriangleCuts::add(const double *Solution, Cut C) {
  constexpr double Enough = 0.01;
  C.Violation = -C.Most;
  for (int T = 0; T < C.Terms; ++T)
    C.Violation += C.Coefficients[T] * Solution[C.Columns[T]];
  if (C.Violation > Enough)
    Found.push_back(C);
}

void TriangleCuts::look(const double *Solution, unsigned I, unsigned J,
                        unsigned K) {
  const int IJ = column(I, J), IK = column(I, K), JK = column(J, K);
  if (IJ < 0 || IK < 0 || JK < 0)
    return;
  add(Solution,
      {1, 6, {int(I), int(J), int(K), IJ, IK, JK}, {1, 1, 1, -1, -1, -1}});
  add(Solution, {0, 4, {IJ, IK, JK, int(I)}, {1, 1, -1, -1}});
  add(Solution, {0, 4, {IJ, JK, IK, int(J)}, {1, 1, -1, -1}});
  add(Solution, {0, 4, {IK, JK, IJ, int(K)}, {1, 1, -1, -1}});
}

void TriangleCuts::generateCuts(const OsiSolverInterface &LP, OsiCuts &Cuts,
                                const CglTreeInfo) {
  Found.clear();
  const double *Solution = LP.getColSolution();
  for (unsigned I = 0; I < Nodes; ++I)
    for (unsigned J = I + 1; J < Nodes; ++J)
      for (unsigned K = J + 1; K < Nodes; ++K)
        look(Solution, I, J, K);
  const size_t Most = std::min(Found.size(), 4 * size_t(Nodes));
  std::partial_sort(
      Found.begin(), Found.begin() + ptrdiff_t(Most), Found.end(),
      [](const Cut &A, const Cut &B) { return A.Violation > B.Violation; });
  for (size_t I = 0; I < Most; ++I) {
    OsiRowCut Row;
    Row.setRow(Found[I].Terms, Found[I].Columns, Found[I].Coefficients);
    Row.setLb(-COIN_DBL_MAX);
    Row.setUb(Found[I].Most);
    Cuts.insert(Row);
  }
}
