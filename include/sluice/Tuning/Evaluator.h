// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Measures plans. One interface, so that the tuner does not know whether a
/// GPU, another machine's GPU or a model answers.

#ifndef SLUICE_TUNING_EVALUATOR_H
#define SLUICE_TUNING_EVALUATOR_H

#include "sluice/Plan/Plan.h"
#include "sluice/Tuning/ResultStore.h"
#include "llvm/ADT/StringMap.h"

namespace sluice {

/// A plan for one kernel that is to be measured.
struct Request {
  KernelPlan Plan;
  std::string Text; ///< SearchSpace::describe.
};

/// What a kernel did in the program's run.
struct KernelRun {
  unsigned Launches = 0;
  double Ms = 0; ///< All its launches without a plan, together.
};

struct Answers {
  std::string GPU; ///< Name of the device; empty: it never came so far.
  /// Evaluations by kernel, in the order of the requests; without those that
  /// were not reached.
  llvm::StringMap<std::vector<Evaluation>> Evaluations;
  llvm::StringMap<KernelRun> Runs;
  /// Hash of a kernel's code without a plan, where that may not be the
  /// searches': in a round that was written earlier.
  llvm::StringMap<std::string> Code;
  /// EvaluationContext::Arguments of a round's folder; none: it does not say.
  std::optional<std::string> Arguments;
  std::string Problem; ///< Why the program did not end well; empty: it did.
};

class Evaluator {
public:
  virtual ~Evaluator() = default;
  virtual llvm::Expected<Answers>
  evaluate(const std::vector<Request> &Requests) = 0;
};

/// Answers from what was measured before and measures nothing: to try a search
/// strategy on kernels whose whole space is known.
class StoredEvaluator : public Evaluator {
public:
  /// The contexts' GPU may be empty: then the first GPU that the store has for
  /// the kernel is taken.
  StoredEvaluator(ResultStore &Store, std::vector<EvaluationContext> Contexts)
      : Store(Store), Contexts(std::move(Contexts)) {}
  llvm::Expected<Answers>
  evaluate(const std::vector<Request> &Requests) override;

private:
  ResultStore &Store;
  std::vector<EvaluationContext> Contexts;
};

} // namespace sluice

#endif
