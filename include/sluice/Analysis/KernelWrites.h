// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which memory no thread of a kernel writes.

#ifndef SLUICE_ANALYSIS_KERNELWRITES_H
#define SLUICE_ANALYSIS_KERNELWRITES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class AAResults;
class Function;
class Instruction;
class LoadInst;
class Value;
} // namespace llvm

namespace sluice {

/// All that a kernel writes, once for all of its loads. `ld.global.nc` is for
/// memory that is read-only while the kernel runs, for all threads: what
/// matters is not which element a store of the same thread writes, but whether
/// any store is to the object that the load reads. Two pointers are to
/// different objects where one is a `__restrict__` parameter, or where both are
/// variables. Others, the host or another kernel, may write as well, if this
/// one waits for them: so no memory is read-only in a kernel with anything by
/// which it could.
class KernelWrites {
public:
  explicit KernelWrites(const llvm::Function &Kernel);

  /// Why the memory that \p Load reads may change while the kernel runs, as a
  /// sentence's rest: "the kernel may write it". Empty: it does not.
  std::string whyWritten(const llvm::LoadInst &Load,
                         llvm::AAResults &Aliases) const;
  /// The same of this kernel's own writes alone, whoever else may write.
  std::string whyWrittenHere(const llvm::LoadInst &Load,
                             llvm::AAResults &Aliases) const;

private:
  void addWriter(const llvm::Instruction &I);

  llvm::SmallPtrSet<const llvm::Value *, 8> Objects;
  bool WritesAnything = false;     ///< By a call or by assembly.
  llvm::StringRef Synchronisation; ///< By what it may wait; empty: by nothing.
};

/// Does \p I order what this and other threads do, and write nothing itself?
bool isFence(const llvm::Instruction &I);

/// By what instruction \p I could see that somebody else has written something,
/// so that what is read behind it is new: "a fence". Empty: by nothing. What a
/// function that it calls does counts as well.
llvm::StringRef synchronisationOf(const llvm::Instruction &I);

} // namespace sluice

#endif
