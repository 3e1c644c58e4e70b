// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ILP of Liang et al. (TCAD 2015, section V-B) with CBC:
//
//     maximise  sum W(v) N_v + sum W(e) M_e,     N, M in {0, 1}
//     M_vw <= N_v,  M_vw <= N_w,  M_vw >= N_v + N_w - 1
//
// Two things follow from the maximum and are left to it: with all N integer,
// every M at its best is too, so only the N are declared so; and an M whose
// weight is above 0 is never lower than it may be, one below 0 never higher, so
// each has the constraints of its other side alone. Cutting planes are added
// (TriangleCuts.h).

#include "ILP.h"
#include "TriangleCuts.h"
#include "coin/CbcModel.hpp"
#include "coin/CoinPackedMatrix.hpp"
#include "coin/OsiClpSolverInterface.hpp"
#include <chrono>
#include <vector>

using namespace sluice;

static double secondsSince(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
      .count();
}

/// Columns: the nodes, then the edges. CBC minimises: weights change sign.
static void build(OsiClpSolverInterface &LP, const ILPProblem &P) {
  const int Columns = int(P.Nodes + P.Edges);
  std::vector<double> Cost(P.NodeWeights, P.NodeWeights + P.Nodes);
  std::vector<double> Lower(Columns, 0), Upper(Columns, 1), RowUpper;
  std::vector<int> RowOf, ColumnOf; // of the coefficients
  std::vector<double> Coefficients;
  auto AddRow = [&](std::initializer_list<std::pair<int, double>> Terms,
                    double Most) {
    for (auto [Column, Coefficient] : Terms) {
      RowOf.push_back(int(RowUpper.size()));
      ColumnOf.push_back(Column);
      Coefficients.push_back(Coefficient);
    }
    RowUpper.push_back(Most);
  };
  for (unsigned I = 0; I < P.Edges; ++I) {
    const ILPEdge &E = P.EdgeList[I];
    const int V = int(E.First), W = int(E.Second), M = int(P.Nodes + I);
    Cost.push_back(E.Weight);
    if (E.Weight > 0) {
      AddRow({{M, 1}, {V, -1}}, 0);
      AddRow({{M, 1}, {W, -1}}, 0);
    } else {
      AddRow({{V, 1}, {W, 1}, {M, -1}}, 1);
    }
  }
  for (double &C : Cost)
    C = -C;
  std::vector<double> RowLower(RowUpper.size(), -COIN_DBL_MAX);
  CoinPackedMatrix Rows(/*colordered=*/true, RowOf.data(), ColumnOf.data(),
                        Coefficients.data(), CoinBigIndex(RowOf.size()));
  LP.loadProblem(Rows, Lower.data(), Upper.data(), Cost.data(), RowLower.data(),
                 RowUpper.data());
  for (unsigned V = 0; V < P.Nodes; ++V)
    LP.setInteger(int(V));
}

/// The columns, and the cost, of a choice of nodes.
static std::vector<double>
solutionOf(const ILPProblem &P, const unsigned char *Choice, double &Cost) {
  std::vector<double> Of(Choice, Choice + P.Nodes);
  Cost = 0;
  for (unsigned V = 0; V < P.Nodes; ++V)
    Cost -= P.NodeWeights[V] * Of[V];
  for (unsigned I = 0; I < P.Edges; ++I) {
    const ILPEdge &E = P.EdgeList[I];
    Of.push_back(Of[E.First] * Of[E.Second]);
    Cost -= E.Weight * Of.back();
  }
  return Of;
}

static ILPStatus solveILP(const ILPProblem &P, unsigned char *Choice) {
  const auto Start = std::chrono::steady_clock::now();
  OsiClpSolverInterface LP;
  LP.messageHandler()->setLogLevel(0);
  LP.getModelPtr()->setLogLevel(0);
  build(LP, P);
  LP.getModelPtr()->setMaximumWallSeconds(P.Seconds);
  LP.initialSolve();
  const double Left = P.Seconds - secondsSince(Start);
  if (Left <= 0 || !LP.isProvenOptimal())
    return Left <= 0 ? ILPStopped : ILPFailed;

  CbcModel Model(LP);
  Model.setLogLevel(0);
  Model.messageHandler()->setLogLevel(0);
  Model.solver()->messageHandler()->setLogLevel(0);
  Model.setUseElapsedTime(true);
  Model.setMaximumSeconds(Left);
  double Cost = 0;
  std::vector<double> Given = solutionOf(P, Choice, Cost);
  Model.setBestSolution(Given.data(), int(Given.size()), Cost,
                        /*checkFeasibility=*/true);
  TriangleCuts Triangles(P);
  Model.addCutGenerator(&Triangles, /*howOften=*/-1, "triangles");
  Model.branchAndBound();
  if (const double *Best = Model.bestSolution())
    for (unsigned V = 0; V < P.Nodes; ++V)
      Choice[V] = Best[V] > 0.5;
  if (Model.isProvenOptimal())
    return ILPOptimal;
  return Model.isSecondsLimitReached() ? ILPStopped : ILPFailed;
}

extern "C" __attribute__((visibility("default"))) ILPStatus
sluiceSolveILP(const ILPProblem *Problem, unsigned char *Choice) {
  try {
    return solveILP(*Problem, Choice);
  } catch (...) {
    return ILPFailed;
  }
}
