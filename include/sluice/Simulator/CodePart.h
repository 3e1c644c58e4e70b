// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a warp does when it runs a part of a basic block.

#ifndef SLUICE_SIMULATOR_CODEPART_H
#define SLUICE_SIMULATOR_CODEPART_H

#include <cstdint>
#include <vector>

namespace sluice {

/// What a warp does next in a part of a basic block, in the GPU's order.
struct IssueStep {
  enum KindTy : uint8_t {
    Issue,  ///< Argument: instructions that only compute.
    Access, ///< Argument: its site.
    Wait,   ///< Argument: the site of the load whose last value is needed.
  } Kind;
  uint32_t Argument;
};

/// A basic block, or a part of it up to a call or barrier.
struct CodePart {
  std::vector<IssueStep> Steps;
  int Loop = -1;                ///< The innermost, of CodeSites.
  bool BeginsIteration = false; ///< Of that loop.
};

} // namespace sluice

#endif
