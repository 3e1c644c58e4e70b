// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TunePieces.h"
#include "TuneArguments.h"
#include "sluice/Tuning/PieceSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

std::vector<std::vector<Request>>
sluice::cutRound(const std::vector<Request> &All, ArrayRef<double> Parts) {
  std::vector<std::vector<Request>> Result(Parts.size());
  for (auto From = All.begin(); From != All.end();) {
    auto To = std::find_if(From, All.end(), [&](const Request &R) {
      return R.Plan.Name != From->Plan.Name;
    });
    const double Count = To - From;
    double Before = 0;
    for (auto [Part, Share] : zip_equal(Result, Parts)) {
      const double After = Before + Share;
      Part.insert(Part.end(), From + std::lround(Count * Before),
                  From + std::lround(Count * std::min(After, 1.)));
      Before = After;
    }
    From = To;
  }
  erase_if(Result, [](const std::vector<Request> &R) { return R.empty(); });
  return Result;
}

void sluice::putPlannedFirst(ArrayRef<KernelSearch> Searches,
                             std::vector<Request> &Requests) {
  for (const KernelSearch &Search : Searches) {
    auto IsOfKernel = [&](const Request &R) {
      return R.Plan.Name == Search.Context.Kernel;
    };
    const std::string Planned = Search.Space.describe(Search.Space.planned());
    auto From = find_if(Requests, IsOfKernel);
    auto To = std::find_if_not(From, Requests.end(), IsOfKernel);
    auto At = std::find_if(From, To,
                           [&](const Request &R) { return R.Text == Planned; });
    if (At != To)
      std::rotate(From, At, At + 1);
  }
}

double sluice::guessOf(ArrayRef<KernelSearch> Searches,
                       const std::vector<Request> &Requests,
                       const TuneArguments &How) {
  double Seconds = 0;
  for (const KernelSearch &Search : Searches) {
    const size_t Plans = count_if(Requests, [&](const Request &R) {
      return R.Plan.Name == Search.Context.Kernel;
    });
    Seconds += guessSeconds(Search, Plans, How.Rounds, How.Launches);
  }
  return Seconds;
}
