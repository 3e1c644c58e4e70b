// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hash consing: sums, products and factors get numbers by the numbers of their
// parts, so equal ones have the same.

#include "BoundForms.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

unsigned BoundForms::numberOf(const AddressForm &Form, const ThreadIndex &Tid) {
  OfThread.clear();
  return numberOf(sum(Form, Tid));
}

unsigned BoundForms::numberOf(const Sum &S) {
  llvm::SmallVector<uint64_t, 8> Words;
  for (auto [Product, Coefficient] : S)
    Words.append({Product, uint64_t(Coefficient)});
  return Sums.of(Words);
}

std::optional<int64_t> BoundForms::asConstant(const Sum &S) const {
  if (S.empty())
    return 0;
  if (S.size() == 1 && S.front().first == One)
    return S.front().second;
  return std::nullopt;
}

BoundForms::Sum BoundForms::sum(const AddressForm &Form,
                                const ThreadIndex &Tid) {
  Sum S;
  for (const AddressForm::Term &T : Form.terms())
    S.push_back(product(T, Tid));
  llvm::sort(S);
  Sum Merged;
  for (auto [Product, Coefficient] : S) {
    if (Merged.empty() || Merged.back().first != Product)
      Merged.push_back({Product, 0});
    int64_t &Total = Merged.back().second; // addresses wrap
    Total = int64_t(uint64_t(Total) + uint64_t(Coefficient));
  }
  llvm::erase_if(Merged, [](const auto &P) { return P.second == 0; });
  return Merged;
}

std::pair<unsigned, int64_t> BoundForms::product(const AddressForm::Term &T,
                                                 const ThreadIndex &Tid) {
  uint64_t Coefficient = T.Coefficient;
  llvm::SmallVector<uint64_t, 4> Unknown;
  for (const Atom &F : T.Factors) {
    Factor Value = factor(F, Tid);
    if (Value.Constant)
      Coefficient *= uint64_t(*Value.Constant);
    else
      Unknown.push_back(Value.Number);
  }
  llvm::sort(Unknown);
  return {Unknown.empty() ? One : Products.of(Unknown), int64_t(Coefficient)};
}

BoundForms::Factor BoundForms::factor(const Atom &F, const ThreadIndex &Tid) {
  // Longer lists are operations'.
  if (!F.Operation) {
    if (F.Var.Kind == Variable::Tid) {
      HasTid = true;
      return {Tid[F.Var.Index], 0};
    }
    return {std::nullopt, Factors.of({uint64_t(F.Var.Kind), F.Var.Index})};
  }
  const Atom::OperationTy &O = *F.Operation;
  if (auto Found = OfAll.find(&O); Found != OfAll.end())
    return Found->second;
  if (auto Found = OfThread.find(&O); Found != OfThread.end()) {
    HasTid = true;
    return Found->second;
  }
  const bool HadTid = std::exchange(HasTid, false);
  const Sum A = sum(O.A, Tid), B = sum(O.B, Tid);
  Factor Value{std::nullopt, 0};
  auto ConstantA = asConstant(A), ConstantB = asConstant(B);
  if (ConstantA && ConstantB)
    Value.Constant = resultOf(O.Op, *ConstantA, *ConstantB);
  if (!Value.Constant)
    Value.Number = Factors.of({uint64_t(O.Op), numberOf(A), numberOf(B)});
  if (HasTid)
    return OfThread[&O] = Value;
  HasTid = HadTid;
  Alive.push_back(F.Operation);
  return OfAll[&O] = Value;
}
