// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a profile two answers are tried: the hints that were simulated to be the
// fastest, then loads that the graph lets bypass and that have no hits of their
// own. Without one the forms of addresses decide: which load reads what nobody
// reads again.

#include "sluice/Plan/HintPlanner.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Plan/TrafficReductionGraph.h"
#include "sluice/Plan/TrafficSolver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// Bytes that the loads fetch from the L2 as the code is.
static uint64_t bytesFetched(const KernelProfile &K) {
  uint64_t Sectors = 0;
  for (const AccessProfile &A : K.Accesses)
    if (A.Kind == "load")
      Sectors += A.Counts.misses();
  return Sectors * 32;
}

/// Of the loads that bypass in \p Best those that hit next to nothing alone.
static LoadSet streamsOf(const KernelProfile &K, const KernelTrafficGraph &G,
                         const LoadSet &Best, double MostOwnHits) {
  LoadSet Streams(G.Graph.size());
  for (unsigned V = 0; V < G.Graph.size(); ++V) {
    const AccessProfile &A = K.Accesses[G.Accesses[V]];
    Streams[V] = !Best.test(V) &&
                 double(A.HitsAlone) <= MostOwnHits * double(A.SectorsAlone);
  }
  return Streams;
}

/// The hints with which the simulated kernel was fastest, of those that are as
/// good but for 2 % the fewest; none: they gain too little.
static HintDecision fastestHints(const KernelProfile &K,
                                 const HintThresholds &Thresholds) {
  HintDecision D;
  const HintsPrediction *Fastest =
      llvm::min_element(ArrayRef(K.Hints),
                        [](const HintsPrediction &A, const HintsPrediction &B) {
                          return A.Nanoseconds < B.Nanoseconds;
                        });
  if (Fastest == ArrayRef(K.Hints).end() || Fastest->Loads.empty() ||
      double(K.Hints.front().Nanoseconds) <
          Thresholds.LeastPredictedGain * double(Fastest->Nanoseconds))
    return D;
  const uint64_t Least = Fastest->Nanoseconds;
  for (const HintsPrediction &Other : ArrayRef(K.Hints).drop_front())
    if (double(Other.Nanoseconds) <= 1.02 * double(Least) &&
        Other.Loads.size() < Fastest->Loads.size())
      Fastest = &Other;
  D.Why = formatv("with hints on {0} of its loads the kernel is predicted to "
                  "take {1:F3} ms, without {2:F3}",
                  Fastest->Loads.size(), double(Fastest->Nanoseconds) / 1e6,
                  double(K.Hints.front().Nanoseconds) / 1e6);
  for (const LoadHint &Hinted : Fastest->Loads) {
    LoadPlan Load;
    Load.Id = K.Accesses[Hinted.Access].Id;
    Load.Hint = Hinted.Hint;
    Load.Why = "the fastest of the hints that were simulated";
    D.Loads.push_back(std::move(Load));
  }
  return D;
}

HintDecision sluice::planHints(const KernelProfile &Measured,
                               bool RunsAsSimulated,
                               const HintThresholds &Thresholds) {
  if (RunsAsSimulated)
    if (HintDecision D = fastestHints(Measured, Thresholds); !D.Loads.empty())
      return D;
  auto None = [](const Twine &Why) {
    return HintDecision{{}, ("no load bypasses the L1: " + Why).str()};
  };
  Expected<KernelTrafficGraph> G = buildTrafficReductionGraph(Measured);
  if (!G)
    return None(toString(G.takeError()));
  const TrafficSolution Best = solve(G->Graph);
  if (Best.Cached.all())
    return None("by the profile none costs the others hits");
  const LoadSet Streams =
      streamsOf(Measured, *G, Best.Cached, Thresholds.MostOwnHits);
  if (Streams.none())
    return None("by the profile those that cost the others hits have hits of "
                "their own");
  LoadSet Cached(G->Graph.size(), true), All = Cached;
  Cached.reset(Streams);
  // T is of blocks that were simulated, as the counts are.
  const uint64_t Fetched = bytesFetched(Measured);
  const int64_t Saved = std::min(
      G->Graph.reduction(Cached) - G->Graph.reduction(All), int64_t(Fetched));
  const std::string Part =
      formatv("{0:F1} % of what comes from the L2",
              100 * double(Saved) / double(std::max<uint64_t>(Fetched, 1)));
  if (double(Saved) < Thresholds.LeastSaved * double(Fetched) || Fetched == 0)
    return None(formatv("that would save {0}, and pays from {1:F0} % on", Part,
                        100 * Thresholds.LeastSaved));
  if (Measured.Time.boundBy() == BindingUnit::Issue)
    return None("instructions are what takes the time, not what comes from "
                "the L2");
  HintDecision D;
  for (unsigned V : Streams.set_bits()) {
    LoadPlan Load;
    Load.Id = Measured.Accesses[G->Accesses[V]].Id;
    Load.Hint.L1 = CacheHint::L1Eviction::NoAllocate;
    Load.Why =
        formatv("by the profile it has no hits and costs other loads {0} "
                "KiB of theirs",
                -G->Graph.marginal(Cached, V) / 1024);
    D.Loads.push_back(std::move(Load));
  }
  D.Why = formatv("{0} of {1} loads bypass the L1, which by the profile saves "
                  "{2}",
                  D.Loads.size(), G->Graph.size(), Part);
  return D;
}

//===----------------------------------------------------------------------===//
// Without a profile
//===----------------------------------------------------------------------===//

/// An integer may count bytes.
static bool isPointer(const AddressForm &Address, Variable V,
                      const KernelFacts &Kernel) {
  const bool IsInteger = V.Index < Kernel.Parameters.size() &&
                         Kernel.Parameters[V.Index].Largest != 0;
  return V.Kind == Variable::Argument && !IsInteger &&
         Address.coefficient(V) == 1;
}

/// The parameter that the address is made from; none: not one alone.
static std::optional<Variable> pointerOf(const AddressForm &Address,
                                         const KernelFacts &Kernel) {
  std::optional<Variable> Found;
  bool IsOnly = true;
  Address.any([&](Variable V) {
    if (isPointer(Address, V, Kernel)) {
      IsOnly &= !Found || *Found == V;
      Found = V;
    }
    return false;
  });
  return IsOnly ? Found : std::nullopt;
}

/// Is the address, but for its pointer and what is the same for all threads of
/// the grid, that of element blockIdx.x * blockDim.x + threadIdx.x?
static bool isByThread(const AddressForm &Address, unsigned Bytes) {
  const AddressForm Tid = AddressForm::variable({Variable::Tid, 0}),
                    Ctaid = AddressForm::variable({Variable::Ctaid, 0}),
                    Ntid = AddressForm::variable({Variable::Ntid, 0});
  const AddressForm Rest =
      Address - AddressForm::constant(Bytes) * (Ctaid * Ntid + Tid);
  return !Rest.any([](Variable V) {
    return V.isThreadVarying() || V.Kind == Variable::Ctaid;
  });
}

/// Does it go somewhere else in each iteration of \p Loop, by more than a
/// constant? (By a constant threads may come to what others have read.)
static bool jumps(const AddressForm &Address, unsigned Loop,
                  const KernelFacts &Kernel) {
  auto IsIterator = [&](Variable V) {
    return V == Variable{Variable::Iterator, Loop};
  };
  auto IsSize = [](Variable V) {
    return V.Kind == Variable::Argument || V.Kind == Variable::Nctaid;
  };
  return Address.multiplies(IsIterator, IsSize) || Address.any([&](Variable V) {
    return V.Kind == Variable::Uniform && V.Index < Kernel.Unknowns.size() &&
           Kernel.Unknowns[V.Index].Loop == Loop;
  });
}

/// Would a plan's entry be for both?
static bool isAtOnePlace(const AccessPattern &A, const AccessPattern &B) {
  return A.Id.ofAllCopies() == B.Id.ofAllCopies() && A.IsStore == B.IsStore;
}

/// Is it the same load of the source? Of a loop in two versions a load is there
/// twice; in a macro's body others are at the same place.
static bool isCopy(const AccessPattern &A, const AccessPattern &B) {
  return isAtOnePlace(A, B) && (A.Loop != B.Loop || A.Address == B.Address);
}

/// Do several loops go on in it, as over a window of neighbours? Then threads
/// come to what others have read, whatever the distances are.
static bool isWindow(const AccessPattern &A) {
  return A.Address.any([&](Variable V) {
    return V.Kind == Variable::Iterator && V.Index != A.Loop;
  });
}

static bool isStream(const AccessPattern &A, const KernelFacts &Kernel) {
  std::optional<Variable> Pointer = pointerOf(A.Address, Kernel);
  if (isWindow(A) || A.IsStore || A.isIndirect() || isTooLarge(Kernel, A) ||
      !Pointer || !isByThread(A.Address, A.Bytes) ||
      !jumps(A.Address, A.Loop, Kernel))
    return false;
  for (const LoopFacts &Other : Kernel.Loops)
    for (const AccessPattern &B : Other.Accesses)
      if (!isCopy(A, B) &&
          B.Address.any([&](Variable V) { return V == *Pointer; }))
        return false;
  return true;
}

/// Are all loads that would get the hint of \p A? Nobody knows which are those
/// of an unknown place.
static bool areStreams(const AccessPattern &A, const KernelFacts &Kernel) {
  return A.Id.Place.isKnown() &&
         all_of(Kernel.Loops, [&](const LoopFacts &Loop) {
           return all_of(Loop.Accesses, [&](const AccessPattern &B) {
             return !isAtOnePlace(A, B) || isStream(B, Kernel);
           });
         });
}

HintDecision sluice::planStaticHints(const KernelFacts &Kernel) {
  HintDecision D;
  for (const LoopFacts &Loop : Kernel.Loops) {
    auto Indirect = find_if(Loop.Accesses, [](const AccessPattern &A) {
      return !A.IsStore && A.isIndirect();
    });
    if (Indirect == Loop.Accesses.end())
      continue;
    for (const AccessPattern &A : Loop.Accesses) {
      if (!areStreams(A, Kernel) || any_of(D.Loads, [&](const LoadPlan &L) {
            return L.Id == A.Id.ofAllCopies();
          }))
        continue;
      LoadPlan Load;
      Load.Id = A.Id.ofAllCopies();
      Load.Hint.L1 = CacheHint::L1Eviction::NoAllocate;
      Load.Why =
          "no thread reads it twice, and " +
          (Indirect->Id.Place.isKnown() ? "the load at " + Indirect->Id.str()
                                        : "another load") +
          " is indirect and may find its lines again";
      D.Loads.push_back(std::move(Load));
    }
  }
  if (!D.Loads.empty())
    D.Why =
        formatv("{0} that no thread reads twice bypass{1} the L1 for the "
                "sake of indirect loads",
                D.Loads.size() == 1 ? "a load"
                                    : std::to_string(D.Loads.size()) + " loads",
                D.Loads.size() == 1 ? "es" : "");
  return D;
}
