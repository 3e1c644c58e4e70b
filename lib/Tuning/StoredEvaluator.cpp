// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up in place of measuring. What the store does not have counts as not
// reached.

#include "sluice/Tuning/Evaluator.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

Expected<Answers>
StoredEvaluator::evaluate(const std::vector<Request> &Requests) {
  Answers Result;
  for (EvaluationContext Context : Contexts) {
    if (Context.GPU.empty()) {
      auto GPUs = Store.gpus(Context);
      if (!GPUs)
        return GPUs.takeError();
      if (GPUs->empty())
        continue;
      Context.GPU = GPUs->front();
    }
    Result.GPU = Context.GPU;
    auto Known = Store.find(Context);
    if (!Known)
      return Known.takeError();
    KernelRun &Run = Result.Runs[Context.Kernel];
    for (const Evaluation &E : *Known) {
      Run.Launches = std::max(Run.Launches, E.Launch + 1);
      Run.Ms = std::max(Run.Ms, E.BaseMs);
      if (any_of(Requests, [&](const Request &R) {
            return R.Plan.Name == Context.Kernel && R.Text == E.Plan;
          }))
        Result.Evaluations[Context.Kernel].push_back(E);
    }
  }
  return Result;
}
