// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a planner, or who carries a plan out, has to say of a kernel, until it
/// is printed.

#ifndef SLUICE_PLAN_REMARK_H
#define SLUICE_PLAN_REMARK_H

#include "sluice/Analysis/SourcePlace.h"
#include <string>

namespace sluice {

struct Remark {
  enum KindTy { Passed, Missed, Analysis };
  KindTy Kind = Analysis;
  std::string Name;     ///< In LLVM's style: "Throttled".
  std::string Function; ///< Mangled name of the kernel; may be empty.
  SourcePlace Place;
  std::string Message;
  unsigned Location = 0; ///< clang's raw encoding of a SourceLocation; 0 none.
  const char *Pass = "sluice-throttle"; ///< For -Rpass; lives for ever.
};

} // namespace sluice

#endif
