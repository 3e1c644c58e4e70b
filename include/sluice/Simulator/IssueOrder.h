// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// In which order a basic block's accesses issue on the GPU, and where a warp
/// waits for what it loaded.
///
/// ptxas moves loads up: several of an unrolled loop are on their way before
/// the first value is used, and how many are decides what the L1 has to hold.
/// There is no disassembler to ask where the emulator runs, so its order is
/// reconstructed: an instruction issues in the round after those that load what
/// it needs, so all loads that need no other's value go first. A load stays
/// behind stores that may write what it reads.

#ifndef SLUICE_SIMULATOR_ISSUEORDER_H
#define SLUICE_SIMULATOR_ISSUEORDER_H

#include "sluice/Simulator/CodePart.h"
#include "sluice/Simulator/Trace.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <optional>

namespace llvm {
class DILocation;
class DISubprogram;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace sluice {

/// The accesses and loops of an image, numbered as they are decoded.
class SiteTable {
public:
  explicit SiteTable(CodeSites &Sites) : Sites(Sites) {}

  /// Take every load for one of memory that no store of the kernel changes, as
  /// `ld.global.nc` on all would.
  bool AssumeReadOnly = false;

  /// The number of an access, made when first asked for; none for what is not
  /// one, and for accesses to kernel parameters and other constant memory.
  std::optional<uint32_t> access(const llvm::Instruction &I,
                                 const llvm::LoopInfo &Loops);
  int loop(const llvm::Loop *L);
  /// Notes the text of a kernel.
  void kernel(const llvm::Function &F);

private:
  unsigned function(const llvm::DISubprogram &S);
  std::vector<unsigned> functionsOf(const llvm::DILocation *Location);

  CodeSites &Sites;
  llvm::DenseMap<const llvm::DISubprogram *, unsigned> Functions;
  /// Texts of files by their paths; null: cannot be read.
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> Files;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> Accesses;
  llvm::DenseMap<const llvm::Loop *, int> Loops;
  std::map<std::string, unsigned> Copies, LoopCopies;
};

/// Where \p I accesses memory by a load, a store or an atomic; null: it does
/// not.
const llvm::Value *accessedPointer(const llvm::Instruction &I);

/// Does all that stands before \p I issue before it, and all behind it after?
/// (Calls, barriers.)
bool isIssueFence(const llvm::Instruction &I);

/// The instructions from \p First up to the next fence or the end of the block,
/// without phis.
llvm::SmallVector<llvm::Instruction *, 32> issuePart(llvm::Instruction &First);

/// Of \p Part, instructions of one block that follow each other without a fence
/// but perhaps the last. \p Registers: of a thread, for all that it has.
std::vector<IssueStep> issueOrder(llvm::ArrayRef<llvm::Instruction *> Part,
                                  SiteTable &Sites, const llvm::LoopInfo &Loops,
                                  unsigned Registers);

} // namespace sluice

#endif
