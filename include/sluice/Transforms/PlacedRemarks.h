// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Remarks of IR passes at lines that the user can change. Code that comes from
/// a library's header is told of at the user's line that calls it; of code that
/// no line of the user's leads to, the kernels of libraries, only what was done
/// is told, as the planner does. The optimisation record has all.

#ifndef SLUICE_TRANSFORMS_PLACEDREMARKS_H
#define SLUICE_TRANSFORMS_PLACEDREMARKS_H

#include "sluice/Analysis/DebugPlace.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include <functional>

namespace sluice {

/// Is a place in a library's header? Who knows sets it for the compile that
/// runs; empty, as in opt and llc: none is.
std::function<bool(const llvm::DILocation &)> &libraryTest();

/// Of \p At and the calls that it was inlined at the first that is not in a
/// library; null: there is none.
const llvm::DILocation *usersPlaceOf(const llvm::DILocation *At);

/// Emits the remark that \p Build makes for a debug location, which is that of
/// the user's code that led to \p At.
template <typename BuildT>
void emitPlaced(llvm::OptimizationRemarkEmitter &Emitter,
                const llvm::DebugLoc &At, BuildT Build) {
  if (!Emitter.enabled())
    return;
  const llvm::DILocation *Users = usersPlaceOf(At.get());
  const bool IsHidden = At && !Users;
  auto Remark = Build(Users ? llvm::DebugLoc(Users) : At);
  if (Users != At.get() && !IsHidden)
    Remark << " (in " << placeOf(At.get()).str() << ")";
  const bool IsDone =
      std::is_same_v<decltype(Remark), llvm::OptimizationRemark>;
  if (IsDone || !IsHidden)
    Emitter.emit(Remark);
  else if (auto *Record =
               Remark.getFunction().getContext().getLLVMRemarkStreamer())
    Record->emit(Remark);
}

} // namespace sluice

#endif
