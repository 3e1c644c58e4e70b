// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The search: points in, measurements out, the best plan at the end.

#ifndef SLUICE_TUNING_TUNER_H
#define SLUICE_TUNING_TUNER_H

#include "sluice/Tuning/Evaluator.h"
#include "sluice/Tuning/Strategy.h"

namespace sluice {

/// What is known of one point.
struct Trial {
  double Relative = 0; ///< Time over the untuned one's; infinite: of no use.
  double Ms = 0; ///< Of all launches together, by those that were replayed.
  double BaseMs = 0;
  unsigned Runs = 0;
  bool IsNew = false; ///< Measured in this search, not taken from the store.
  uint64_t WrongWords = 0;
  bool Stopped = false;
  std::string Error;
};

/// The search for one kernel.
struct KernelSearch {
  EvaluationContext Context; ///< The GPU's name is empty until it is known.
  SearchSpace Space;
  KernelRun Run;
  std::map<Point, Trial> Trials;

  Measured measured() const;
  unsigned newTrials() const;
};

struct TunerOptions {
  Strategy How = Strategy::Local;
  const GPUModel *GPU = nullptr;
  ResultStore *Store = nullptr; ///< Null: nothing is kept.
};

class Tuner {
public:
  Tuner(TunerOptions Options, std::vector<KernelSearch> Searches)
      : Options(Options), Searches(std::move(Searches)) {}

  const std::vector<KernelSearch> &searches() const { return Searches; }

  /// The GPU is known now: takes in what the store has for it.
  llvm::Error setGPU(const std::string &Name);
  /// Leaves out kernels that take less than \p Share of the program's time.
  void keepHot(const llvm::StringMap<KernelRun> &Runs, double Share);
  /// What to measure next; empty: the search is over.
  std::vector<Request> next() const;
  /// Takes in what came out, and stores it.
  llvm::Error take(const Answers &From);

  /// The point that was found best for a kernel; with Strategy::Fixed the best
  /// for all kernels together.
  Point chosen(const KernelSearch &Search) const;
  /// \p Static with the choices that were found best.
  Plan bestPlan(const Plan &Static) const;
  /// What \p Others, searches for the same code with other arguments or on
  /// another chip, have found best and this one has not measured.
  std::vector<Request> missing(llvm::ArrayRef<const Tuner *> Others) const;
  /// As bestPlan, of searches for the same code: of the points that all of them
  /// have measured the one with the least geometric mean of their times over
  /// the untuned ones. Not for Strategy::Fixed.
  static Plan bestPlan(const Plan &Static, llvm::ArrayRef<const Tuner *> All);

private:
  Prediction predictor(const KernelSearch &Search) const;
  std::pair<unsigned, unsigned> bestFixed() const; ///< N and M.
  const KernelSearch *search(llvm::StringRef Kernel) const;
  static void addTrials(KernelSearch &Search,
                        const std::vector<Evaluation> &Evaluations, bool IsNew);

  TunerOptions Options;
  std::vector<KernelSearch> Searches;
};

} // namespace sluice

#endif
