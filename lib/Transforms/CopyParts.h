// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A copy as loads and stores of its parts.

#ifndef SLUICE_LIB_TRANSFORMS_COPYPARTS_H
#define SLUICE_LIB_TRANSFORMS_COPYPARTS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice {

/// Bytes of a copy that are one value.
struct CopyPart {
  uint64_t Offset;
  llvm::Type *Ty;
};
using CopyParts = llvm::SmallVector<CopyPart, 16>;

/// \p Bytes as numbers of \p PartBytes, which divide them.
inline CopyParts evenParts(uint64_t Bytes, uint64_t PartBytes,
                           llvm::LLVMContext &Context) {
  CopyParts Parts;
  for (uint64_t At = 0; At != Bytes; At += PartBytes)
    Parts.push_back({At, llvm::Type::getIntNTy(Context, 8 * PartBytes)});
  return Parts;
}

/// The values of \p Parts behind \p From.
inline llvm::SmallVector<llvm::Value *, 16>
readParts(llvm::IRBuilderBase &B, llvm::Value *From, llvm::Align Alignment,
          llvm::ArrayRef<CopyPart> Parts) {
  llvm::SmallVector<llvm::Value *, 16> Values;
  for (const CopyPart &P : Parts)
    Values.push_back(
        B.CreateAlignedLoad(P.Ty, B.CreatePtrAdd(From, B.getInt64(P.Offset)),
                            llvm::commonAlignment(Alignment, P.Offset)));
  return Values;
}

/// Writes \p Values, which are those of \p Parts, behind \p To.
inline void writeParts(llvm::IRBuilderBase &B, llvm::Value *To,
                       llvm::Align Alignment, llvm::ArrayRef<CopyPart> Parts,
                       llvm::ArrayRef<llvm::Value *> Values) {
  for (auto [P, Value] : llvm::zip_equal(Parts, Values))
    B.CreateAlignedStore(Value, B.CreatePtrAdd(To, B.getInt64(P.Offset)),
                         llvm::commonAlignment(Alignment, P.Offset));
}

} // namespace sluice

#endif
