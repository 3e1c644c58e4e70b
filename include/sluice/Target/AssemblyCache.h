// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the assembler said of PTX, kept on disk. Planning assembles a kernel
/// with ten limits of registers, and again in the next compile of the same
/// file; the second time costs nothing. An entry is a few lines of text (no
/// machine code), by the contents of all that it depends on.

#ifndef SLUICE_TARGET_ASSEMBLYCACHE_H
#define SLUICE_TARGET_ASSEMBLYCACHE_H

#include "sluice/Target/PTXAssembler.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

using AssembledKernels = llvm::StringMap<AssembledKernel>;

/// What is to be assembled.
struct AssemblyRequest {
  std::string PTX;
  std::string Arch;      ///< "sm_90"
  unsigned OptLevel = 3; ///< The assembler's.
  /// To be linked with other device code. nvJitLink takes all PTX as such.
  bool Relocatable = false;
};

/// Who assembles. Called by several threads at a time.
struct Assembler {
  std::string Identity; ///< Other where its answers may be other.
  std::function<llvm::Expected<AssembledKernels>(const AssemblyRequest &)> Run;
};

/// nvJitLink, as assemblePTX finds it.
llvm::Expected<Assembler> installedAssembler(llvm::StringRef CudaPath);
/// ptxas, so that the registers are those of a program; nvJitLink where there
/// is none.
llvm::Expected<Assembler> compilersAssembler(llvm::StringRef CudaPath);

class AssemblyCache {
public:
  /// \p Folder may be empty: nothing is kept. It is made when it is needed.
  AssemblyCache(Assembler Run, std::string Folder)
      : Run(std::move(Run)), Folder(std::move(Folder)) {}

  /// In the folder that \p Folder names, empty for none, or in the user's:
  /// $XDG_CACHE_HOME/sluice/assembly.
  static llvm::Expected<AssemblyCache>
  open(llvm::Expected<Assembler> Run, const std::optional<std::string> &Folder);

  /// From the cache or the assembler. A folder that cannot be used and an entry
  /// that is not as it was written are as if there were none. Other threads and
  /// processes may do the same.
  llvm::Expected<AssembledKernels>
  assemble(const AssemblyRequest &Request) const;

  /// All, on all cores. Fails if one fails.
  llvm::Expected<std::vector<AssembledKernels>>
  assembleAll(llvm::ArrayRef<AssemblyRequest> Requests) const;

private:
  Assembler Run;
  std::string Folder;
};

} // namespace sluice

#endif
