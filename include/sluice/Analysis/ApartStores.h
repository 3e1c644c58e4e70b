// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that write global memory, and read elsewhere: loads of an iteration
/// wait for no store of the one before.

#ifndef SLUICE_ANALYSIS_APARTSTORES_H
#define SLUICE_ANALYSIS_APARTSTORES_H

namespace llvm {
class AAResults;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace sluice {

/// Does \p L write global memory, and does LLVM see that no iteration reads
/// what another one writes, or writes it again? It sees that of copies of the
/// iterations, too, so that their loads can go first.
bool writesApart(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                 llvm::AAResults &AA);

} // namespace sluice

#endif
