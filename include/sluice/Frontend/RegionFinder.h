// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From a loop's identity to the statements of the kernel that can be given to
/// the warps in turns: the smallest enclosing statement that all threads of
/// the block which have not exited reach together.

#ifndef SLUICE_FRONTEND_REGIONFINDER_H
#define SLUICE_FRONTEND_REGIONFINDER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Frontend/BlockUniformity.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class ASTContext;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace sluice {

/// The names in turns that are written as text begin with it.
inline constexpr llvm::StringLiteral TurnNamePrefix = "sluice_";

/// Consecutive statements of one parent: [First, Last] of a compound statement,
/// or the one statement of an if, a loop or an attributed statement.
struct FoundRegion {
  ThrottleRegion Facts; ///< Without an Index; Refusal empty when it is legal.
  clang::Stmt *Parent = nullptr; ///< Null only if nothing was found.
  clang::Stmt *First = nullptr;
  clang::Stmt *Last = nullptr;
  /// First is a declaration that is used after the region, so it stays outside
  /// and only its initialisation takes turns.
  bool SplitsDeclaration = false;

  /// [First, Last].
  llvm::ArrayRef<clang::Stmt *> statements() const;
};

class RegionFinder {
public:
  /// \p Off: statements of any function that the source keeps Sluice away from.
  RegionFinder(const clang::FunctionDecl &Kernel, clang::ASTContext &Context,
               llvm::ArrayRef<PlaceRange> Off);

  /// The region of \p Loop, one of \p Facts's loops.
  FoundRegion find(const LoopFacts &Loop, const KernelFacts &Facts);

private:
  using Path = llvm::SmallVector<clang::Stmt *, 16>;

  std::string findStatement(const LoopFacts &Loop, const KernelFacts &Facts,
                            Path &Found);
  bool allGoOn(const clang::Stmt *Here, const clang::Stmt *Next) const;
  void chooseRegion(const Path &P, FoundRegion &Region);
  void handleDeclaration(FoundRegion &Region);
  void refuse(FoundRegion &Region, std::string Why, const SourcePlace &Place);
  void refuseForSource(const LoopFacts &Loop, FoundRegion &Region);
  void refuseForJumps(FoundRegion &Region);
  PlaceRange rangeOf(const FoundRegion &Region) const;
  void findBeside(const Path &P, const KernelFacts &Facts, FoundRegion &Region);
  void refuseForHazards(const KernelFacts &Facts, FoundRegion &Region);

  const clang::FunctionDecl &Kernel;
  clang::ASTContext &Context;
  llvm::ArrayRef<PlaceRange> Off;
  PlaceRange Body; ///< Of the kernel; unknown where places in it mislead.
  BlockUniformity Uniformity;
};

} // namespace sluice

#endif
