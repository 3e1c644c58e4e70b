// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the device compile tells the host compile of the same source, which is
/// another process: names of symbols in the GPU binary that clang gives to the
/// host compile.

#ifndef SLUICE_PLAN_HOSTRECORD_H
#define SLUICE_PLAN_HOSTRECORD_H

#include "sluice/Plan/Plan.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Target/ShortRows.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What the host does for the launches of one kernel.
struct HostRequest {
  std::optional<unsigned> CarveoutPercent;
  /// Dynamic shared memory to ask for in addition, in bytes; 0: none.
  uint64_t ClaimedSharedBytes = 0;
  /// Only for launches that ask for no more themselves.
  uint64_t MostDynamicBytes = 0;
  /// There is a kernel beside it that does the work of several blocks in one.
  std::optional<MergedForm> Merged;
  /// And one for launches with short rows.
  std::optional<ShortRowsForm> Short;

  friend bool operator==(const HostRequest &A, const HostRequest &B) {
    return A.CarveoutPercent == B.CarveoutPercent &&
           A.ClaimedSharedBytes == B.ClaimedSharedBytes &&
           A.MostDynamicBytes == B.MostDynamicBytes && A.Merged == B.Merged &&
           A.Short == B.Short;
  }
  friend bool operator!=(const HostRequest &A, const HostRequest &B) {
    return !(A == B);
  }
};

/// What \p Kernel's plan asks of its launches; none: nothing.
std::optional<HostRequest> requestOf(const KernelPlan &Kernel);

/// Shared memory of a block with the claim, at most; the assembler may align
/// what the kernel declares.
uint64_t sharedBytesWithClaim(const KernelPlan &Kernel);

/// A request as a symbol's name. Letters, digits, `_` and `$` only, so PTX
/// takes it:
///
///     __sluice_host$1$c7$s7168$d41984$19$_Z7gesummvPKfS0_S0_Pf
///
/// version, carveout ("n": none), claim, most dynamic bytes, and the kernel's
/// name after its length. Whole in a cubin's symbol table, in PTX and in LLVM
/// bitcode, where a string in the data would be packed in bits.
std::string hostRecordName(llvm::StringRef Kernel, const HostRequest &Request);

/// Requests by mangled kernel name.
using HostRequests = llvm::StringMap<HostRequest>;

/// The records anywhere in \p Image.
HostRequests findHostRecords(llvm::StringRef Image);

/// An image for one architecture.
struct GPUImage {
  std::string GPU; ///< "sm_90"; empty: not known.
  llvm::StringRef Bytes;
};

/// The images of what -fcuda-include-gpubinary names: a fat binary, or an
/// offload binary of LLVM's; else the whole as one image. PTX is left out where
/// there is anything else. Errors say what cannot be read.
llvm::Expected<std::vector<GPUImage>> imagesOf(llvm::StringRef Binary);

/// What all images say alike.
struct AgreedRequests {
  HostRequests Requests;
  /// By kernel: why nothing is done; "sm_80 and sm_90 differ".
  llvm::StringMap<std::string> Refusals;

  bool empty() const { return Requests.empty() && Refusals.empty(); }
};
AgreedRequests agreeOn(llvm::ArrayRef<GPUImage> Images);

/// Puts the carveouts of a plan file's plans for \p Source, one for each GPU,
/// into \p Requests in place of what is there. One host program serves all
/// GPUs, so plans that disagree say nothing: \returns their kernels.
std::vector<std::string> takeCarveouts(llvm::ArrayRef<Plan> Plans,
                                       llvm::StringRef Source,
                                       HostRequests &Requests);

} // namespace sluice

#endif
