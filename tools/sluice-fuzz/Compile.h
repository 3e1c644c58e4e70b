// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Compiles a file of kernels with and without a transform.

#ifndef SLUICE_TOOLS_FUZZ_COMPILE_H
#define SLUICE_TOOLS_FUZZ_COMPILE_H

#include "Generate.h"
#include "Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice::fuzz {

struct ChosenFlags {
  std::vector<std::string> Flags;
  bool Alone = true; ///< They turn one transform on, not several.
  std::vector<std::string> OnBothSides = {};
};

/// A row of the table of what is tested.
struct Transform {
  llvm::StringLiteral Name;
  /// What clang is told besides, different things each time.
  ChosenFlags (*Flags)(Random &R);
  /// The value of test-wrong-rewrite that makes it wrong, for --break.
  llvm::StringLiteral Wrong;
  /// One kernel in so many is changed at the least, where it is alone.
  unsigned OneIn;
  Features With = {}; ///< What its kernels have besides.

  /// \p Fault: instead of Wrong, if it is not empty.
  std::string wrongFlag(llvm::StringRef Fault) const;
};

llvm::ArrayRef<Transform> transforms();
const Transform *findTransform(llvm::StringRef Name);

/// How a file is compiled and run.
struct Settings {
  std::vector<std::string> Flags;          ///< On both sides.
  std::vector<std::string> TransformFlags; ///< Behind them on one side.
  bool Alone = true;                       ///< ChosenFlags::Alone.
  uint64_t Schedule = 0;                   ///< Of the transformed run.

  /// Are there cache hints on one side, at random or by warp?
  bool hasHints() const;
  /// Is there nothing else, so that the code is to be the same?
  bool hasOnlyHints() const;
};

/// For the file that begins with kernel \p First.
Settings chooseSettings(uint64_t Seed, unsigned First, const Transform &T);

/// Where things are.
struct Environment {
  std::string Clang, Plugin, Header;

  static llvm::Expected<Environment> find(const char *Argv0);
};

/// Compiles \p Source to bitcode. The error is what clang said.
llvm::Error compile(const Environment &Where, const Settings &How,
                    bool Transformed, llvm::StringRef Source,
                    llvm::StringRef Output);

/// Generates PTX of \p Bitcode, with what its loads say of caches or without.
llvm::Error generateCode(const Environment &Where, const Settings &How,
                         bool WithHints, llvm::StringRef Bitcode,
                         llvm::StringRef Output);

} // namespace sluice::fuzz

#endif
