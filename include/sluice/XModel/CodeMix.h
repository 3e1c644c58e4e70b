// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the X-model needs of a kernel's code: its operations for each load and
/// its instruction-level parallelism (section 3.4: "we parse the application
/// code/instructions via compiler/assembler").

#ifndef SLUICE_XMODEL_CODEMIX_H
#define SLUICE_XMODEL_CODEMIX_H

#include "sluice/Target/WarpProgram.h"

namespace sluice {

/// Of a warp, loops gone round as WarpProgram has them.
struct CodeMix {
  double Instructions = 0;
  double Loads = 0; ///< Of global memory.
  /// Times that a warp has to wait for loads. It issues in order, so that it
  /// waits with all that it has under way.
  double Waits = 0;
  /// E: operations of a warp that are under way side by side while it does not
  /// wait for loads; from the dependences, so that it may be below 1 where
  /// operations take long (shared memory, special functions).
  double Parallelism = 1;
  /// M of this code, instructions a cycle: as many as the schedulers, or as
  /// the busiest of the units that it needs.
  double Lanes = 1;

  double loadsPerWait() const { return Waits > 0 ? Loads / Waits : 1; }
};

/// Of an SM of \p GPU. An empty \p Program has one operation in each lane.
CodeMix codeMix(llvm::ArrayRef<WarpInstruction> Program, const GPUModel &GPU);

} // namespace sluice

#endif
