// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form is compiled once, each operation in it to a numbered value, and then
// run for every thread of a block.

#include "LaneOffsets.h"

using namespace sluice;

LaneOffsets::LaneOffsets(const AddressForm &Form) {
  Affine = isAffine(Form);
  if (Affine)
    return;
  Numbers Compiled;
  Whole = compile(Form, Compiled);
}

bool LaneOffsets::isAffine(const AddressForm &Form) {
  for (const AddressForm::Term &T : Form.terms()) {
    if (T.Factors.empty())
      Constant = T.Coefficient;
    else if (T.Factors.size() == 1 && !T.Factors[0].Operation &&
             T.Factors[0].Var.Kind == Variable::Tid)
      Coefficients[T.Factors[0].Var.Index] = T.Coefficient;
    else
      return false;
  }
  return true;
}

LaneOffsets::Sum LaneOffsets::compile(const AddressForm &Form,
                                      Numbers &Compiled) {
  Sum S;
  for (const AddressForm::Term &T : Form.terms()) {
    Product P{T.Coefficient, {}};
    for (const Atom &F : T.Factors) {
      if (F.Operation) {
        P.Factors.push_back(compile(*F.Operation, Compiled));
        continue;
      }
      HasUnknown |= F.Var.Kind != Variable::Tid;
      P.Factors.push_back(F.Var.Index);
    }
    Steps += 1 + P.Factors.size();
    S.push_back(std::move(P));
  }
  return S;
}

unsigned LaneOffsets::compile(const Atom::OperationTy &O, Numbers &Compiled) {
  if (auto Found = Compiled.find(&O); Found != Compiled.end())
    return Found->second;
  Sum A = compile(O.A, Compiled), B = compile(O.B, Compiled);
  Operations.push_back({O.Op, std::move(A), std::move(B)});
  return Compiled[&O] = unsigned(2 + Operations.size());
}

int64_t LaneOffsets::valueOf(const Sum &S, llvm::ArrayRef<int64_t> Values) {
  uint64_t Value = 0;
  for (const Product &P : S) {
    uint64_t Factor = P.Coefficient;
    for (unsigned Number : P.Factors)
      Factor *= uint64_t(Values[Number]);
    Value += Factor;
  }
  return int64_t(Value);
}

std::optional<int64_t> LaneOffsets::at(const ThreadIndex &Tid) const {
  if (Affine)
    return Constant + Coefficients[0] * Tid[0] + Coefficients[1] * Tid[1] +
           Coefficients[2] * Tid[2];
  if (HasUnknown)
    return std::nullopt;
  llvm::SmallVector<int64_t, 16> Values(Tid.begin(), Tid.end());
  for (const Operation &O : Operations) {
    auto Value = resultOf(O.Op, valueOf(O.A, Values), valueOf(O.B, Values));
    if (!Value)
      return std::nullopt;
    Values.push_back(*Value);
  }
  return valueOf(Whole, Values);
}
