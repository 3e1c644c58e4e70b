// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// For which GPUs code is made: -arch, -code and -gencode.

#ifndef SLUICE_TOOLS_NVCC_ARCHITECTURES_H
#define SLUICE_TOOLS_NVCC_ARCHITECTURES_H

#include "CommandLine.h"

namespace sluice::nvcc {

struct Architectures {
  std::vector<std::string> Machine; ///< "sm_90", in the order given.
  std::vector<std::string> Ptx;     ///< Of Machine, those whose PTX is kept.
};

/// What the options ask for; without one, nvcc's default. `native` without a
/// GPU is the default too, with a warning, as nvcc has it.
/// \p Cuda is the toolkit's version, 13000 for 13.0.
llvm::Expected<Architectures> chooseArchitectures(const CommandLine &Line,
                                                  unsigned Cuda);

/// The architectures that the toolkit and clang 22 both know, as numbers.
std::vector<std::string> knownArchitectures(unsigned Cuda);

} // namespace sluice::nvcc

#endif
