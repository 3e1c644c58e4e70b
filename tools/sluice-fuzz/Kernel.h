// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A generated kernel: a tree of statements, so that it can be shrunk, with all
/// that its launch needs.

#ifndef SLUICE_TOOLS_FUZZ_KERNEL_H
#define SLUICE_TOOLS_FUZZ_KERNEL_H

#include "sluice/Emulator/ModuleRun.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace sluice::fuzz {

/// One statement, or one with statements in it:
///
///   Head;
///   Head { Body } Tail
///   Head { Body } else { Else }
///
/// Expressions in the texts stand between marks (see mark), which are left out
/// when a kernel is printed.
struct Statement {
  Statement() = default;
  Statement(std::string Head) : Head(std::move(Head)) {}

  std::string Head;
  std::vector<Statement> Body;
  std::vector<Statement> Else;
  std::string Tail;
  bool HasBody = false;
  bool Declares = false; ///< May not stand without braces.
  bool Braces = true; ///< Asked for also where one statement could do without.
};

/// Puts marks around an expression: it may be replaced by a zero, or by an
/// expression of the same type in it, and the kernel is still a good one. The
/// type: i(nt), u(nsigned), l(ong long), f(loat), d(ouble), or n, a trip count.
std::string mark(char Type, llvm::StringRef Expression);
constexpr char OpenMark = '\1', CloseMark = '\2';
std::string withoutMarks(llvm::StringRef Text);

/// Of a kernel.
struct Parameter {
  std::string Name;
  std::string Type; ///< As in C++, up to the name.
  /// Has no elements for a value.
  emulator::ModuleBuffer Buffer;
  /// The parameter with the buffer, where two have one; empty: this one.
  std::string SameAs;
  emulator::ModuleArgument Value;
  std::string Spelling; ///< The value, as in C++.

  bool isBuffer() const { return Buffer.Elements != 0; }
};

struct HelperFunction {
  std::string Head; ///< "__device__ float h1_0(...)"
  std::vector<Statement> Body;
};

struct Kernel {
  unsigned Number = 0;
  std::string Head; ///< "__global__ void k1_", what comes before it included.
  std::string TemplateArguments; ///< "<4>", or nothing.
  std::vector<Parameter> Parameters;
  std::vector<HelperFunction> Helpers;
  std::vector<Statement> Body;
  emulator::Dim3 Grid, Block;
  unsigned DynamicSharedBytes = 0;
  std::vector<std::string> Waits; ///< Kinds of them (Waits.cpp); empty: none.

  /// In the source; the mangled name contains it, and no other kernel's does.
  std::string name() const { return "k" + std::to_string(Number) + "_"; }
  std::string bufferName(const Parameter &P) const {
    return name() + (P.SameAs.empty() ? P.Name : P.SameAs);
  }
};

/// Is \p Name a word of \p Text?
bool mentions(llvm::StringRef Text, llvm::StringRef Name);

/// A file of kernels, with host functions that launch them, to be compiled with
/// test/Inputs/cuda.h in front.
std::string printSource(llvm::ArrayRef<Kernel> Kernels);

/// How to run them. \p Mangled gives a kernel's name in the module.
emulator::ModuleDescription
describe(llvm::ArrayRef<Kernel> Kernels,
         llvm::function_ref<std::string(const Kernel &)> Mangled);

} // namespace sluice::fuzz

#endif
