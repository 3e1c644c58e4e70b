// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between strategies and evaluators: asks for points, passes on those that
// nobody has measured, and makes one time of a plan's launches.

#include "sluice/Tuning/Tuner.h"
#include "sluice/Plan/FillEstimate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>
#include <set>

using namespace llvm;
using namespace sluice;

Measured KernelSearch::measured() const {
  Measured Result;
  for (const auto &[P, T] : Trials)
    Result[P] = T.Relative;
  return Result;
}

unsigned KernelSearch::newTrials() const {
  return count_if(Trials, [](const auto &T) { return T.second.IsNew; });
}

/// A plan's launches, added up. Launches that were replayed stand for those up
/// to the next one, as they are 0, 1, 3, 7, ...
static Trial combine(const std::vector<const Evaluation *> &Launches,
                     unsigned LaunchCount) {
  Trial T;
  bool AllTimed = true;
  for (auto [Index, E] : enumerate(Launches)) {
    unsigned End = Index + 1 < Launches.size()
                       ? Launches[Index + 1]->Launch
                       : std::max(LaunchCount, E->Launch + 1);
    double Weight = std::max(1u, End - E->Launch);
    T.Ms += Weight * E->Ms;
    T.BaseMs += Weight * E->BaseMs;
    AllTimed &= E->Ms > 0 && E->BaseMs > 0;
    T.Runs += E->Runs;
    T.WrongWords += E->WrongWords;
    T.Stopped |= E->Stopped;
    if (T.Error.empty())
      T.Error = E->Error;
  }
  bool IsOfUse = T.Error.empty() && T.WrongWords == 0 && AllTimed;
  T.Relative =
      IsOfUse ? T.Ms / T.BaseMs : std::numeric_limits<double>::infinity();
  return T;
}

void Tuner::addTrials(KernelSearch &Search,
                      const std::vector<Evaluation> &Evaluations, bool IsNew) {
  std::map<std::string, std::map<unsigned, const Evaluation *>> ByPlan;
  for (const Evaluation &E : Evaluations)
    ByPlan[E.Plan][E.Launch] = &E;
  for (const auto &[Plan, ByLaunch] : ByPlan) {
    std::optional<Point> P = Search.Space.parse(Plan);
    if (!P)
      continue; // of another space: an older Sluice's, perhaps
    std::vector<const Evaluation *> Launches;
    for (const auto &[Launch, E] : ByLaunch)
      Launches.push_back(E);
    Trial T = combine(Launches, Search.Run.Launches);
    T.IsNew = IsNew;
    Search.Trials[*P] = T;
  }
}

Error Tuner::setGPU(const std::string &Name) {
  for (KernelSearch &Search : Searches) {
    Search.Context.GPU = Name;
    if (!Options.Store)
      continue;
    auto Known = Options.Store->find(Search.Context);
    if (!Known)
      return Known.takeError();
    addTrials(Search, *Known, /*IsNew=*/false);
  }
  return Error::success();
}

void Tuner::keepHot(const StringMap<KernelRun> &Runs, double Share) {
  double Total = 0;
  for (const auto &Run : Runs)
    Total += Run.second.Ms;
  for (KernelSearch &Search : Searches)
    Search.Run = Runs.lookup(Search.Context.Kernel);
  erase_if(Searches, [&](const KernelSearch &Search) {
    return Search.Run.Ms < Share * Total || Search.Run.Launches == 0;
  });
}

Prediction Tuner::predictor(const KernelSearch &Search) const {
  return [this, &Search](const Point &P) {
    return estimateFills(Search.Space.at(P), *Options.GPU);
  };
}

std::vector<Request> Tuner::next() const {
  std::vector<Request> Requests;
  for (const KernelSearch &Search : Searches) {
    const SearchSpace &Space = Search.Space;
    Measured So = Search.measured();
    // The untuned code is every replay's base: it needs no request.
    So.try_emplace(Space.untuned(), 1.0);
    for (const Point &P : nextPoints(Options.How, Space, So, predictor(Search)))
      Requests.push_back({Space.at(P), Space.describe(P)});
  }
  return Requests;
}

Error Tuner::take(const Answers &From) {
  for (KernelSearch &Search : Searches) {
    const std::string &Kernel = Search.Context.Kernel;
    if (auto Code = From.Code.find(Kernel);
        Code != From.Code.end() && Code->second != Search.Context.Code)
      return createStringError(
          "the code of '" + Kernel +
          "' is not what was measured: the source, the compiler or its options "
          "have changed since the round was written");
    if (KernelRun Run = From.Runs.lookup(Kernel); Run.Launches)
      Search.Run = Run;
    auto Found = From.Evaluations.find(Kernel);
    if (Found == From.Evaluations.end())
      continue;
    addTrials(Search, Found->second, /*IsNew=*/true);
    if (Options.Store && !Search.Context.GPU.empty())
      if (Error E = Options.Store->add(Search.Context, Found->second))
        return E;
  }
  return Error::success();
}

/// Time of the kernel's launches over the untuned one's; of what was not
/// measured, infinite.
static double relativeTime(const KernelSearch &Search, const Point &P) {
  auto At = Search.Trials.find(P);
  if (At != Search.Trials.end())
    return At->second.Relative;
  return P == Search.Space.untuned() ? 1
                                     : std::numeric_limits<double>::infinity();
}

std::pair<unsigned, unsigned> Tuner::bestFixed() const {
  std::set<unsigned> Ns = {1}, Ms = {0};
  for (const KernelSearch &Search : Searches) {
    for (unsigned N : Search.Space.factors())
      Ns.insert(N);
    for (unsigned M : Search.Space.blockLimits())
      Ms.insert(M);
  }
  std::pair<unsigned, unsigned> Best = {1, 0};
  double Least = std::numeric_limits<double>::infinity();
  for (unsigned N : Ns)
    for (unsigned M : Ms) {
      double Sum = 0;
      for (const KernelSearch &Search : Searches)
        Sum += Search.Run.Ms * relativeTime(Search, Search.Space.fixed(N, M));
      if (Sum < Least) {
        Least = Sum;
        Best = {N, M};
      }
    }
  return Best;
}

Point Tuner::chosen(const KernelSearch &Search) const {
  if (Options.How == Strategy::Fixed) {
    auto [N, M] = bestFixed();
    return Search.Space.fixed(N, M);
  }
  Measured So = Search.measured();
  So.try_emplace(Search.Space.untuned(), 1.0);
  return choosePoint(Search.Space, So);
}

Plan Tuner::bestPlan(const Plan &Static) const {
  Plan Result = Static;
  for (const KernelSearch &Search : Searches) {
    const Point Best = chosen(Search);
    for (KernelPlan &Kernel : Result.Kernels) {
      if (Kernel.Name != Search.Context.Kernel)
        continue;
      Kernel = Search.Space.at(Best);
      for (LoopPlan &Loop : Kernel.Loops)
        Loop.Why = formatv("tuned on {0}: {1:F3} of the time without a plan",
                           Search.Context.GPU, relativeTime(Search, Best));
    }
  }
  return Result;
}

//===- Several searches for one code --------------------------------------===//

const KernelSearch *Tuner::search(StringRef Kernel) const {
  auto Found = find_if(Searches, [&](const KernelSearch &Search) {
    return Search.Context.Kernel == Kernel;
  });
  return Found == Searches.end() ? nullptr : &*Found;
}

std::vector<Request> Tuner::missing(ArrayRef<const Tuner *> Others) const {
  std::vector<Request> Requests;
  for (const KernelSearch &Search : Searches) {
    std::set<Point> Seen;
    for (const Tuner *Other : Others) {
      const KernelSearch *Theirs = Other->search(Search.Context.Kernel);
      if (!Theirs)
        continue;
      auto P =
          Search.Space.parse(Theirs->Space.describe(Other->chosen(*Theirs)));
      if (P && *P != Search.Space.untuned() && !Search.Trials.count(*P) &&
          Seen.insert(*P).second)
        Requests.push_back({Search.Space.at(*P), Search.Space.describe(*P)});
    }
  }
  return Requests;
}

/// Of points that all have measured: the geometric mean of their times.
static Measured meanOf(ArrayRef<const KernelSearch *> Searches) {
  Measured Mean = {{Searches.front()->Space.untuned(), 1.0}};
  for (const auto &[P, T] : Searches.front()->Trials) {
    double Product = 1;
    for (const KernelSearch *Search : Searches)
      if (auto Same = Search->Space.parse(Searches.front()->Space.describe(P)))
        Product *= relativeTime(*Search, *Same);
      else
        Product = std::numeric_limits<double>::infinity();
    Mean[P] = std::pow(Product, 1.0 / double(Searches.size()));
  }
  return Mean;
}

Plan Tuner::bestPlan(const Plan &Static, ArrayRef<const Tuner *> All) {
  Plan Result = Static;
  for (KernelPlan &Kernel : Result.Kernels) {
    std::vector<const KernelSearch *> Searches;
    for (const Tuner *T : All)
      if (const KernelSearch *Search = T->search(Kernel.Name))
        Searches.push_back(Search);
    if (Searches.empty())
      continue;
    const SearchSpace &Space = Searches.front()->Space;
    const Measured Mean = meanOf(Searches);
    const Point Best = choosePoint(Space, Mean);
    std::set<std::string> GPUs;
    for (const KernelSearch *Search : Searches)
      GPUs.insert(Search->Context.GPU);
    Kernel = Space.at(Best);
    for (LoopPlan &Loop : Kernel.Loops)
      Loop.Why = formatv("tuned on {0}: {1:F3} of the time without a plan",
                         join(GPUs, ", "), Mean.at(Best));
  }
  return Result;
}
