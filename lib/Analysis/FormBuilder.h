// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Addresses as formulas of threads, blocks, iterations and arguments.

#ifndef SLUICE_LIB_ANALYSIS_FORMBUILDER_H
#define SLUICE_LIB_ANALYSIS_FORMBUILDER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>

namespace sluice {

/// Turns scalar evolution's expressions, and what it cannot look into, into
/// AddressForms over tid, ctaid, ntid, iterators and kernel arguments. Integer
/// width is ignored: an index that overflows is undefined in the source, and a
/// footprint needs no more.
///
/// Expressions share their parts and forms print them as often as they stand
/// there, so that a form can be exponentially larger than the code. What is
/// larger than MaxFormSize, or nested deeper than MaxFormDepth, is one unknown
/// value instead, as what scalar evolution cannot look into is.
class FormBuilder {
public:
  FormBuilder(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
              ThreadUniformity &Threads, KernelFacts &Kernel,
              llvm::ArrayRef<llvm::Loop *> Loops,
              const llvm::DenseMap<const llvm::Loop *, unsigned> &LoopNumbers)
      : LI(LI), SE(SE), Threads(Threads), Kernel(Kernel), Loops(Loops),
        LoopNumbers(LoopNumbers) {}

  /// The form of \p S, or \p V, as code in \p Scope sees it: loops that
  /// \p Scope is not in have ended.
  AddressForm build(const llvm::SCEV *S, const llvm::Loop *Scope);
  AddressForm build(llvm::Value *V, const llvm::Loop *Scope) {
    return build(SE.getSCEV(V), Scope);
  }

private:
  AddressForm build(const llvm::SCEV *S);
  std::optional<AddressForm> compute(const llvm::SCEV *S);
  AddressForm operand(const llvm::Instruction &I, unsigned Number) {
    return build(I.getOperand(Number), LI.getLoopFor(I.getParent()));
  }
  AddressForm fromValue(llvm::Value *V);
  std::optional<AddressForm>
  fromSpecialRegister(const llvm::IntrinsicInst &Call);
  std::optional<AddressForm> fromBinary(const llvm::BinaryOperator &Op);
  std::optional<AddressForm> fromSelect(const llvm::SelectInst &Select);
  AddressForm fromLoad(llvm::LoadInst &Load);
  AddressForm unknown(llvm::Value *V, Variable::KindTy Kind);
  AddressForm unknown(llvm::Value *V);
  AddressForm newUnknown(Variable::KindTy Kind, std::optional<unsigned> Loop);
  AddressForm afterLoop(Variable V, const llvm::Loop *L,
                        const llvm::Loop *Scope);
  AddressForm inScope(const AddressForm &Form, const llvm::Loop *Scope);
  AddressForm tooLarge(const llvm::SCEV *S);
  std::optional<AddressForm> sum(llvm::ArrayRef<const llvm::SCEV *> Operands);
  std::optional<AddressForm>
  product(llvm::ArrayRef<const llvm::SCEV *> Operands);
  std::optional<AddressForm> fold(llvm::ArrayRef<const llvm::SCEV *> Operands,
                                  AddressOp Op);
  std::optional<AddressForm> atIteration(const llvm::SCEVAddRecExpr &Rec);

  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  ThreadUniformity &Threads;
  KernelFacts &Kernel;
  llvm::ArrayRef<llvm::Loop *> Loops;
  const llvm::DenseMap<const llvm::Loop *, unsigned> &LoopNumbers;
  llvm::DenseMap<const llvm::SCEV *, AddressForm> Done;
  llvm::DenseMap<std::pair<const llvm::SCEV *, const llvm::Loop *>, AddressForm>
      DoneInScope;
  unsigned Depth = 0; ///< Of expressions in expressions that are being built.
  llvm::DenseMap<const llvm::Value *, AddressForm> Unknowns;
  std::map<std::pair<Variable, bool>, AddressForm> AfterLoop;
};

} // namespace sluice

#endif
