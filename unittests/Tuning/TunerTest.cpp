// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From points to requests, and from measurements to the best plan.

#include "sluice/Tuning/Tuner.h"
#include "KernelsByHand.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

namespace {

Evaluation evaluation(const std::string &Plan, unsigned Launch, double Ms,
                      double BaseMs) {
  Evaluation E;
  E.Plan = Plan;
  E.Launch = Launch;
  E.Ms = Ms;
  E.BaseMs = BaseMs;
  E.Runs = 7;
  return E;
}

KernelPlan namedKernel(const std::string &Name, unsigned Line) {
  KernelPlan K = kernelOf({loopAt(Line, 2)});
  K.Name = Name;
  return K;
}

KernelSearch searchFor(const KernelPlan &Kernel) {
  KernelSearch S;
  S.Context = {Kernel.Name, "code of " + Kernel.Name, "", "clang", "1000"};
  S.Space = searchSpace(Kernel, h100());
  return S;
}

/// A file with the kernels "hot" (a loop at f.cu:3:5) and "cold" (at 30:5), in
/// both of which the static plan has N=2.
struct TwoKernels : testing::Test {
  Plan Static;
  std::unique_ptr<ResultStore> Store = cantFail(ResultStore::open(":memory:"));

  TwoKernels() {
    Static.GPU = "sm_90";
    Static.Kernels = {namedKernel("hot", 3), namedKernel("cold", 30)};
  }

  Tuner tuner(Strategy How = Strategy::Exhaustive) {
    std::vector<KernelSearch> Searches;
    for (const KernelPlan &K : Static.Kernels)
      Searches.push_back(searchFor(K));
    return Tuner(TunerOptions{How, &h100(), Store.get()}, std::move(Searches));
  }

  /// What is known of a plan of "hot" after \p Launches of it were replayed.
  Trial trial(std::vector<Evaluation> Launches, unsigned LaunchCount) {
    Tuner T = tuner();
    Answers A;
    A.Runs["hot"] = {LaunchCount, 10};
    A.Evaluations["hot"] = Launches;
    cantFail(T.take(A));
    const auto &Trials = T.searches()[0].Trials;
    EXPECT_EQ(Trials.size(), 1u);
    return Trials.empty() ? Trial() : Trials.begin()->second;
  }
};

const char HotBy4[] = "throttle f.cu:3:5=4";

//===--- Launches into one number ---===//

TEST_F(TwoKernels, LaunchesStandForThoseUpToTheNext) {
  // 0 for itself, 1 for 1 and 2, 3 for 3 to 6, 7 for 7 to 9.
  Trial T = trial({evaluation(HotBy4, 0, 1, 2), evaluation(HotBy4, 1, 10, 20),
                   evaluation(HotBy4, 3, 100, 400),
                   evaluation(HotBy4, 7, 1000, 1000)},
                  10);
  EXPECT_DOUBLE_EQ(T.Ms, 1 + 2 * 10 + 4 * 100 + 3 * 1000);
  EXPECT_DOUBLE_EQ(T.BaseMs, 2 + 2 * 20 + 4 * 400 + 3 * 1000);
  EXPECT_DOUBLE_EQ(T.Relative, T.Ms / T.BaseMs);
  EXPECT_EQ(T.Runs, 28u);
  EXPECT_TRUE(T.IsNew);
}

TEST_F(TwoKernels, OrderOfTheLinesDoesNotMatter) {
  Trial T = trial({evaluation(HotBy4, 3, 100, 400), evaluation(HotBy4, 0, 1, 2),
                   evaluation(HotBy4, 1, 10, 20)},
                  4);
  EXPECT_DOUBLE_EQ(T.Ms, 1 + 2 * 10 + 100);
}

TEST_F(TwoKernels, ProgramThatWasKilledHasNotSaidHowManyLaunches) {
  Trial T =
      trial({evaluation(HotBy4, 0, 1, 2), evaluation(HotBy4, 1, 10, 20)}, 0);
  EXPECT_DOUBLE_EQ(T.Ms, 11);
  EXPECT_DOUBLE_EQ(T.Relative, 0.5);
}

TEST_F(TwoKernels, WrongResultsAtOneLaunchAreOfNoUse) {
  Evaluation Wrong = evaluation(HotBy4, 1, 10, 20);
  Wrong.WrongWords = 3;
  Trial T = trial({evaluation(HotBy4, 0, 1, 2), Wrong}, 2);
  EXPECT_TRUE(std::isinf(T.Relative));
  EXPECT_EQ(T.WrongWords, 3u);
}

TEST_F(TwoKernels, ErrorAtOneLaunchIsOfNoUse) {
  Evaluation Broken = evaluation(HotBy4, 0, 1, 2);
  Broken.Error = "out of resources";
  Trial T = trial({Broken, evaluation(HotBy4, 1, 10, 20)}, 2);
  EXPECT_TRUE(std::isinf(T.Relative));
  EXPECT_EQ(T.Error, "out of resources");
}

// A launch without a time would count as one that takes none.
TEST_F(TwoKernels, LaunchWithoutATimeIsOfNoUse) {
  EXPECT_TRUE(std::isinf(
      trial({evaluation(HotBy4, 0, 1, 1), evaluation(HotBy4, 1, 0, 1)}, 2)
          .Relative));
  EXPECT_TRUE(std::isinf(trial({evaluation(HotBy4, 0, 1, 0)}, 1).Relative));
}

TEST_F(TwoKernels, StoppedIsSlowerAndKnown) {
  Evaluation Loser = evaluation(HotBy4, 0, 3, 2);
  Loser.Stopped = true;
  Trial T = trial({Loser}, 1);
  EXPECT_TRUE(T.Stopped);
  EXPECT_DOUBLE_EQ(T.Relative, 1.5);
}

//===--- Requests ---===//

TEST_F(TwoKernels, RequestsAreThePlansOfThePoints) {
  std::vector<Request> Requests = tuner().next();
  EXPECT_EQ(Requests.size(), 2u * (4 * 11 - 1)) << "all but the untuned";
  bool Seen = false;
  for (const Request &R : Requests)
    if (R.Text == "throttle f.cu:30:5=8; carveout=57") {
      Seen = true;
      EXPECT_EQ(R.Plan.Name, "cold");
      EXPECT_EQ(R.Plan.Loops[0].WarpGroups, 8u);
      EXPECT_EQ(R.Plan.CarveoutPercent, 57u);
    }
  EXPECT_TRUE(Seen);
}

TEST_F(TwoKernels, KeepHotDropsWhatTakesNoTime) {
  Tuner T = tuner();
  StringMap<KernelRun> Runs;
  Runs["hot"] = {10, 99.5};
  Runs["cold"] = {1, 0.5};
  Runs["another file's"] = {1, 0};
  T.keepHot(Runs, 0.01);
  ASSERT_EQ(T.searches().size(), 1u);
  EXPECT_EQ(T.searches()[0].Context.Kernel, "hot");
  EXPECT_EQ(T.searches()[0].Run.Launches, 10u);
}

TEST_F(TwoKernels, KeepHotCountsOtherFilesKernels) {
  Tuner T = tuner();
  StringMap<KernelRun> Runs;
  Runs["hot"] = Runs["cold"] = {1, 1};
  Runs["another file's"] = {1, 1000};
  T.keepHot(Runs, 0.01);
  EXPECT_TRUE(T.searches().empty());
}

TEST_F(TwoKernels, KeepHotDropsWhatIsNeverLaunched) {
  Tuner T = tuner();
  StringMap<KernelRun> Runs;
  Runs["hot"] = {1, 0};
  T.keepHot(Runs, 0);
  ASSERT_EQ(T.searches().size(), 1u);
  EXPECT_EQ(T.searches()[0].Context.Kernel, "hot");
}

//===--- The store ---===//

TEST_F(TwoKernels, WhatWasMeasuredIsNotAskedForAgain) {
  Answers A;
  A.Evaluations["hot"] = {evaluation(HotBy4, 0, 1, 2)};
  {
    Tuner First = tuner();
    cantFail(First.setGPU("H100"));
    cantFail(First.take(A));
    EXPECT_EQ(First.searches()[0].newTrials(), 1u);
  }
  Tuner Second = tuner();
  size_t All = Second.next().size();
  cantFail(Second.setGPU("H100"));
  EXPECT_EQ(Second.next().size(), All - 1);
  EXPECT_EQ(Second.searches()[0].newTrials(), 0u);
  EXPECT_EQ(Second.searches()[0].measured(), (Measured{{{2, 0}, 0.5}}));

  Tuner OnAnotherGPU = tuner();
  cantFail(OnAnotherGPU.setGPU("A100"));
  EXPECT_EQ(OnAnotherGPU.next().size(), All);
}

TEST_F(TwoKernels, PlansOfAnotherSpaceAreLeftOut) {
  EvaluationContext C = searchFor(Static.Kernels[0]).Context;
  C.GPU = "H100";
  cantFail(Store->add(C, {evaluation("prefetch=1", 0, 1, 2)}));
  Tuner T = tuner();
  cantFail(T.setGPU("H100"));
  EXPECT_TRUE(T.searches()[0].Trials.empty());
}

TEST_F(TwoKernels, CodeThatHasChangedSinceTheRoundWasWritten) {
  Answers A;
  A.Code["hot"] = "code of hot";
  A.Code["cold"] = "code of an older cold";
  A.Evaluations["cold"] = {evaluation("carveout=0", 0, 1, 2)};
  Tuner T = tuner();
  cantFail(T.setGPU("H100"));
  EXPECT_EQ(toString(T.take(A)),
            "the code of 'cold' is not what was measured: the source, the "
            "compiler or its options have changed since the round was written");
}

//===--- The best plan ---===//

TEST_F(TwoKernels, BestPlanHasWhatWasFastest) {
  Tuner T = tuner();
  cantFail(T.setGPU("H100"));
  Evaluation Wrong = evaluation("throttle f.cu:3:5=8", 0, 0.1, 1);
  Wrong.WrongWords = 1;
  Answers A;
  A.Evaluations["hot"] = {
      evaluation("throttle f.cu:3:5=2", 0, 0.9, 1),
      evaluation("throttle f.cu:3:5=4; carveout=28", 0, 0.5, 1), Wrong};
  A.Evaluations["cold"] = {evaluation("throttle f.cu:30:5=2", 0, 2, 1)};
  cantFail(T.take(A));
  Plan Best = T.bestPlan(Static);
  ASSERT_EQ(Best.Kernels.size(), 2u);
  EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, 4u);
  EXPECT_EQ(Best.Kernels[0].CarveoutPercent, 28u);
  EXPECT_EQ(Best.Kernels[0].Loops[0].Why,
            "tuned on H100: 0.500 of the time without a plan");
  EXPECT_EQ(Best.Kernels[1].Loops[0].WarpGroups, 1u)
      << "the static plan is slower than none";
}

TEST_F(TwoKernels, BestPlanLeavesOtherKernelsAsTheyWerePlanned) {
  Tuner T = tuner();
  StringMap<KernelRun> Runs;
  Runs["hot"] = {1, 1};
  T.keepHot(Runs, 0.01);
  Plan Best = T.bestPlan(Static);
  EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, 1u) << "not measured";
  EXPECT_EQ(Best.Kernels[1].Loops[0].WarpGroups, 2u);
  EXPECT_EQ(Best.Kernels[1].Loops[0].Why, Static.Kernels[1].Loops[0].Why);
}

TEST_F(TwoKernels, BestPlanIsAPlan) {
  Tuner T = tuner();
  cantFail(T.setGPU("it's: a \"GPU\""));
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(T.bestPlan(Static), OS);
  EXPECT_EQ(cantFail(parsePlans(Text, "text")).size(), 1u);
}

//===--- Several searches for one code ---===//

const char HotBy8[] = "throttle f.cu:3:5=8";

/// One that knows the times of "hot" with N=4 and N=8 over the untuned one.
Tuner knowing(Tuner T, StringRef GPU, std::optional<double> By4,
              std::optional<double> By8) {
  cantFail(T.setGPU(GPU.str()));
  Answers A;
  if (By4)
    A.Evaluations["hot"].push_back(evaluation(HotBy4, 0, *By4, 1));
  if (By8)
    A.Evaluations["hot"].push_back(evaluation(HotBy8, 0, *By8, 1));
  cantFail(T.take(A));
  return T;
}

TEST_F(TwoKernels, BestPlanOfSeveralHasTheLeastMean) {
  // Geometric means 0.866 and 0.693; each alone would choose another.
  Tuner A = knowing(tuner(), "H100", 0.5, 0.8);
  Tuner B = knowing(tuner(), "H200", 1.5, 0.6);
  Plan Best = Tuner::bestPlan(Static, {&A, &B});
  EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, 8u);
  EXPECT_EQ(Best.Kernels[0].Loops[0].Why,
            "tuned on H100, H200: 0.693 of the time without a plan");
  EXPECT_EQ(Tuner::bestPlan(Static, {&A}).Kernels[0].Loops[0].WarpGroups, 4u);
}

TEST_F(TwoKernels, BestPlanOfSeveralIsOneThatAllHaveMeasured) {
  Tuner A = knowing(tuner(), "H100", 0.5, std::nullopt);
  Tuner B = knowing(tuner(), "H200", 0.9, 0.1);
  Plan Best = Tuner::bestPlan(Static, {&A, &B});
  EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, 4u);
}

TEST_F(TwoKernels, WhatOthersFoundBestIsMissing) {
  Tuner A = knowing(tuner(), "H100", 0.5, std::nullopt);
  Tuner B = knowing(tuner(), "H200", 0.9, 0.1);
  ASSERT_EQ(A.missing({&A, &B}).size(), 1u);
  EXPECT_EQ(A.missing({&A, &B})[0].Text, HotBy8);
  EXPECT_TRUE(B.missing({&A, &B}).empty()) << "it has measured N=4";
}

//===--- The whole search ---===//

/// Answers by formula: "hot" is best with N=4 and a carveout of 28.
class Formula : public Evaluator {
public:
  static double time(const KernelPlan &K) {
    double Best = K.Name == "hot" ? 2 : 0;
    double Carveout = K.CarveoutPercent ? *K.CarveoutPercent : -5.0;
    return 1 + std::abs(std::log2(K.Loops[0].WarpGroups) - Best) +
           std::abs(Carveout - 28) / 100;
  }
  Expected<Answers> evaluate(const std::vector<Request> &Requests) override {
    Asked += Requests.size();
    Answers A;
    A.GPU = "Formula";
    A.Runs["hot"] = A.Runs["cold"] = {3, 9};
    for (const Request &R : Requests) {
      KernelPlan Base = R.Plan;
      Base.Loops[0].WarpGroups = 1;
      Base.CarveoutPercent.reset();
      for (unsigned Launch : {0, 1})
        A.Evaluations[R.Plan.Name].push_back(
            evaluation(R.Text, Launch, time(R.Plan), time(Base)));
    }
    return A;
  }
  size_t Asked = 0;
};

/// As `sluice tune` does it.
void run(Tuner &T, Evaluator &By) {
  Answers Survey = cantFail(By.evaluate({}));
  T.keepHot(Survey.Runs, 0.01);
  cantFail(T.setGPU(Survey.GPU));
  for (;;) {
    std::vector<Request> Requests = T.next();
    if (Requests.empty())
      return;
    cantFail(T.take(cantFail(By.evaluate(Requests))));
  }
}

TEST_F(TwoKernels, EveryStrategyEndsWithAPlanThatIsFaster) {
  for (Strategy How :
       {Strategy::Exhaustive, Strategy::Model, Strategy::Local}) {
    Store = cantFail(ResultStore::open(":memory:"));
    Formula GPU;
    Tuner T = tuner(How);
    run(T, GPU);
    Plan Best = T.bestPlan(Static);
    EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, 4u);
    EXPECT_EQ(Best.Kernels[1].Loops[0].WarpGroups, 1u);
  }
}

/// N=1 is best for one kernel and N=4 for the other; the time of both decides.
TEST_F(TwoKernels, FixedFactorsAreThoseOfTheProgram) {
  for (auto [HotMs, N] : {std::pair(90.0, 4u), {1.0, 1u}}) {
    Store = cantFail(ResultStore::open(":memory:"));
    Tuner T = tuner(Strategy::Fixed);
    Formula GPU;
    StringMap<KernelRun> Runs;
    Runs["hot"] = {1, HotMs};
    Runs["cold"] = {1, 9};
    T.keepHot(Runs, 0);
    cantFail(T.setGPU("Formula"));
    std::vector<Request> Requests = T.next();
    for (const Request &R : Requests)
      EXPECT_EQ(R.Text.find("carveout"), std::string::npos) << R.Text;
    EXPECT_EQ(Requests.size(), 2u * 3) << "N=2, 4 and 8";
    Answers A = cantFail(GPU.evaluate(Requests));
    A.Runs = Runs;
    cantFail(T.take(A));
    EXPECT_TRUE(T.next().empty());
    Plan Best = T.bestPlan(Static);
    EXPECT_EQ(Best.Kernels[0].Loops[0].WarpGroups, N);
    EXPECT_EQ(Best.Kernels[1].Loops[0].WarpGroups, N);
  }
}

TEST_F(TwoKernels, StoreAnswersInPlaceOfAGPU) {
  Formula GPU;
  Tuner All = tuner(Strategy::Exhaustive);
  run(All, GPU);
  EXPECT_EQ(GPU.Asked, 86u);

  std::unique_ptr<ResultStore> Known = std::move(Store);
  Store = cantFail(ResultStore::open(":memory:"));
  Tuner Few = tuner(Strategy::Local);
  std::vector<EvaluationContext> Contexts;
  for (const KernelSearch &S : Few.searches())
    Contexts.push_back(S.Context);
  StoredEvaluator Answerer(*Known, Contexts);
  EXPECT_EQ(cantFail(Answerer.evaluate({})).GPU, "Formula");
  run(Few, Answerer);
  auto Chosen = [&](const Tuner &T) {
    std::string Text;
    raw_string_ostream OS(Text);
    writePlans(T.bestPlan(Static), OS);
    return Text;
  };
  EXPECT_EQ(Chosen(Few), Chosen(All));
  unsigned Evaluations = 0;
  for (const KernelSearch &S : Few.searches())
    Evaluations += S.newTrials();
  EXPECT_LT(Evaluations, 43u);
}

TEST_F(TwoKernels, EmptyStoreAnswersNothing) {
  StoredEvaluator Answerer(*Store, {searchFor(Static.Kernels[0]).Context});
  Answers A = cantFail(Answerer.evaluate(tuner().next()));
  EXPECT_EQ(A.GPU, "");
  EXPECT_TRUE(A.Evaluations.empty());
  EXPECT_TRUE(A.Runs.empty());
}

} // namespace
