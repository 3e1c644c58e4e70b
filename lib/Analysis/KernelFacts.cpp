// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of facts in several places: was an address too large to follow,
// can the kernel test an argument.

#include "sluice/Analysis/KernelFacts.h"

using namespace sluice;

bool sluice::isTooLarge(const KernelFacts &Kernel,
                        const AccessPattern &Access) {
  return Access.Address.any([&](Variable V) {
    return V.isUnknown() && V.Index < Kernel.Unknowns.size() &&
           Kernel.Unknowns[V.Index].IsTooLarge;
  });
}

std::string sluice::whyNoTest(const KernelFacts &Kernel,
                              const ArgumentMinimum &Of) {
  const std::string Number = "argument " + std::to_string(Of.Argument);
  if (Of.Argument >= Kernel.Parameters.size())
    return Number + " is not known in the source";
  const KernelParameter &P = Kernel.Parameters[Of.Argument];
  if (!Of.Name.empty() && Of.Name != P.Name)
    return Number + " is '" + P.Name + "' and not '" + Of.Name + "'";
  if (!P.Untestable.empty())
    return (P.Name.empty() ? Number : "'" + P.Name + "'") + " " + P.Untestable;
  if (Of.Minimum > P.Largest)
    return "'" + P.Name + "' is never so large";
  return "";
}
