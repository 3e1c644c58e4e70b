// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How addresses in a counting loop depend on its counter, on the AST: what can
/// be written in front of the loop and means the same there.

#ifndef SLUICE_LIB_FRONTEND_LOOPADDRESSES_H
#define SLUICE_LIB_FRONTEND_LOOPADDRESSES_H

#include "sluice/Frontend/LocalVariables.h"
#include <cstdint>
#include <optional>
#include <string>

namespace clang {
class ASTContext;
class BinaryOperator;
class CastExpr;
class Expr;
class ForStmt;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace sluice {

/// A loop that counts up by ones, from what it is initialised with: `for (int j
/// = 0; j < n; ++j)`.
struct CountingLoop {
  const clang::VarDecl *Counter = nullptr;
  const clang::Expr *End = nullptr; ///< The counter is less than it.
  std::string WhyNot;               ///< It is none.
};

/// The expressions of one counting loop of \p Function.
class LoopAddresses {
public:
  LoopAddresses(const clang::ASTContext &Context,
                const clang::FunctionDecl &Function,
                const clang::ForStmt &Loop);

  const CountingLoop &loop() const { return Loop; }

  /// Elements by which an iteration moves the lvalue \p E in memory, if all
  /// else in its address stays the same, and computing it in front of the loop
  /// does nothing but compute it.
  std::optional<int64_t> stepOf(const clang::Expr &E) const;

private:
  std::string whyNotCounting(const clang::ForStmt &For);
  bool countsUp(const clang::Expr *Step) const;
  bool isSteady(const clang::VarDecl &Variable) const;
  bool isSteadyPlace(const clang::Expr &E) const;
  std::optional<int64_t> rate(const clang::Expr &E) const;
  std::optional<int64_t> rateOfCast(const clang::CastExpr &E) const;
  std::optional<int64_t> rateOfBinary(const clang::BinaryOperator &E) const;
  std::optional<int64_t> rateOfIndex(const clang::Expr &E) const;
  std::optional<int64_t> rateOfSum(const clang::Expr &Left,
                                   const clang::Expr &Right, int Sign) const;
  std::optional<int64_t> rateOfPlace(const clang::Expr &E) const;
  std::optional<int64_t> rateOfProduct(const clang::Expr &Left,
                                       const clang::Expr &Right) const;

  const clang::ASTContext &Context;
  const clang::Stmt *Body;
  LocalVariables InFunction, InBody, InStep;
  CountingLoop Loop;
};

} // namespace sluice

#endif
