// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The names of the variables in a cubin.

#ifndef SLUICE_TUNING_REPLAY_ELFGLOBALS_H
#define SLUICE_TUNING_REPLAY_ELFGLOBALS_H

#include <string>
#include <vector>

namespace sluice::replay {

/// Names of the `__device__` and `__constant__` variables that the 64-bit ELF
/// file \p Image defines; none if it is no such file.
std::vector<std::string> globalsOf(const std::string &Image);

} // namespace sluice::replay

#endif
