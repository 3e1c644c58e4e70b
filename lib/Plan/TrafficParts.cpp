// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load whose bounds leave no choice is settled, which may settle others; what
// is left falls into parts that share no edge. Only these go to the ILP solver,
// which is loaded when the first one needs it.

#include "TrafficParts.h"
#include "ILP/ILP.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace sluice;

SettledLoads sluice::settleLoads(const TrafficReductionGraph &Graph) {
  const unsigned Loads = Graph.size();
  SettledLoads S{LoadSet(Loads), LoadSet(Loads, true)};
  // What caching a load saves, with the worst and the best of the open ones.
  std::vector<int64_t> Least(Loads), Most(Loads);
  for (unsigned V = 0; V < Loads; ++V) {
    Least[V] = Most[V] = Graph.node(V);
    for (unsigned W = 0; W < Loads; ++W)
      if (V != W) {
        Least[V] += std::min<int64_t>(Graph.edge(V, W), 0);
        Most[V] += std::max<int64_t>(Graph.edge(V, W), 0);
      }
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned V : S.Open.set_bits()) {
      if (Least[V] < 0 && Most[V] > 0)
        continue;
      Changed = true;
      S.Open.reset(V);
      const bool Cached = Least[V] >= 0;
      if (Cached)
        S.Cached.set(V);
      for (unsigned W : S.Open.set_bits()) {
        const int64_t Edge = Graph.edge(V, W);
        if ((Edge > 0) == Cached)
          Least[W] += Cached ? Edge : -Edge;
        else
          Most[W] += Cached ? Edge : -Edge;
      }
    }
  }
  return S;
}

std::vector<std::vector<unsigned>>
sluice::partsOf(const TrafficReductionGraph &Graph, const LoadSet &Open) {
  IntEqClasses Classes(Graph.size());
  for (unsigned V : Open.set_bits())
    for (unsigned W : Open.set_bits())
      if (V < W && Graph.edge(V, W) != 0)
        Classes.join(V, W);
  Classes.compress();
  std::vector<std::vector<unsigned>> Parts(Classes.getNumClasses());
  for (unsigned V : Open.set_bits())
    Parts[Classes[V]].push_back(V);
  erase_if(Parts, [](const auto &Part) { return Part.empty(); });
  return Parts;
}

/// Where the library is: beside the plugin that this code is in, or in the lib
/// folder beside that of the tool that it is in.
static std::vector<std::string> libraryFolders() {
  std::vector<std::string> Folders;
  Dl_info Image;
  if (dladdr(reinterpret_cast<void *>(&libraryFolders), &Image) &&
      sys::path::has_parent_path(Image.dli_fname))
    Folders.push_back(sys::path::parent_path(Image.dli_fname).str());
  const std::string Self = sys::fs::getMainExecutable(nullptr, nullptr);
  StringRef Tool = sys::path::parent_path(sys::path::parent_path(Self));
  for (StringRef Name : {"lib", SLUICE_LIBDIR})
    if (std::string Folder = (Tool + "/" + Name).str();
        !is_contained(Folders, Folder))
      Folders.push_back(Folder);
  return Folders;
}

/// CBC and what it needs (LAPACK, BLAS, a Fortran runtime) take 9 ms to load,
/// and most kernels need none of it. RTLD_LOCAL: clang sees none of their
/// names.
static ILPSolver loadSolver(std::string &Failure) {
  const std::vector<std::string> Folders = libraryFolders();
  Failure = std::string("no ") + ILPLibrary + " in " + join(Folders, ", ");
  for (const std::string &Folder : Folders) {
    const std::string Path = Folder + "/" + ILPLibrary;
    if (!sys::fs::exists(Path))
      continue;
    void *Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (void *Solver = Library ? dlsym(Library, ILPFunction) : nullptr)
      return reinterpret_cast<ILPSolver>(Solver);
    const char *Reason = dlerror();
    Failure = Reason ? Reason : Path;
    break;
  }
  Failure = "the ILP solver cannot be loaded: " + Failure;
  return nullptr;
}

PartSolution sluice::solvePart(const TrafficReductionGraph &Graph,
                               const LoadSet &Cached,
                               const std::vector<unsigned> &Part,
                               const LoadSet &Start, double Seconds) {
  PartSolution Result;
  Result.Cached = LoadSet(Graph.size());
  for (unsigned V : Part)
    Result.Cached[V] = Start[V];
  static std::string Failure;
  static const ILPSolver Solver = loadSolver(Failure);
  if (!Solver) {
    Result.Failure = Failure;
    return Result;
  }

  std::vector<double> Nodes;
  std::vector<ILPEdge> Edges;
  std::vector<unsigned char> Choice;
  double Largest = 1;
  for (unsigned I = 0; I < Part.size(); ++I) {
    const unsigned V = Part[I];
    Nodes.push_back(double(Graph.marginal(Cached, V)));
    Largest = std::max(Largest, std::abs(Nodes.back()));
    Choice.push_back(Start.test(V));
    for (unsigned J = 0; J < I; ++J)
      if (const int64_t Edge = Graph.edge(V, Part[J])) {
        Edges.push_back({J, I, double(Edge)});
        Largest = std::max(Largest, std::abs(double(Edge)));
      }
  }
  // The solver's tolerances are absolute: no weight is above a million.
  const double Scale = std::min(1.0, 1e6 / Largest);
  for (double &Weight : Nodes)
    Weight *= Scale;
  for (ILPEdge &Edge : Edges)
    Edge.Weight *= Scale;
  ILPProblem Problem;
  Problem.Nodes = unsigned(Nodes.size());
  Problem.NodeWeights = Nodes.data();
  Problem.Edges = unsigned(Edges.size());
  Problem.EdgeList = Edges.data();
  Problem.Seconds = Seconds;
  switch (Seconds > 0 ? Solver(&Problem, Choice.data()) : ILPStopped) {
  case ILPOptimal:
    break;
  case ILPStopped:
    Result.Stopped = true;
    break;
  case ILPFailed:
    Result.Failure = "the ILP solver failed";
    return Result;
  }
  for (unsigned I = 0; I < Part.size(); ++I)
    Result.Cached[Part[I]] = Choice[I] != 0;
  return Result;
}
