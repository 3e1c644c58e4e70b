// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials over launch and loop variables. Terms are kept in a map by the
// printed names of their factors, so that equal terms meet and the order of
// printing is stable.

#include "sluice/Analysis/AddressForm.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace sluice;

std::string Variable::str() const {
  static const char *const Axis[] = {".x", ".y", ".z"};
  switch (Kind) {
  case Tid:
    return std::string("tid") + Axis[Index];
  case Ctaid:
    return std::string("ctaid") + Axis[Index];
  case Ntid:
    return std::string("ntid") + Axis[Index];
  case Nctaid:
    return std::string("nctaid") + Axis[Index];
  case Iterator:
    return "i" + std::to_string(Index);
  case Argument:
    return "arg" + std::to_string(Index);
  case Uniform:
    return "u" + std::to_string(Index);
  case Varying:
    return "v" + std::to_string(Index);
  case Loaded:
    return "loaded" + std::to_string(Index);
  }
  return "?";
}

static const char *opName(AddressOp Op) {
  switch (Op) {
  case AddressOp::UDiv:
    return "div";
  case AddressOp::SDiv:
    return "sdiv";
  case AddressOp::URem:
    return "mod";
  case AddressOp::SRem:
    return "smod";
  case AddressOp::And:
    return "and";
  case AddressOp::Or:
    return "or";
  case AddressOp::Xor:
    return "xor";
  case AddressOp::LShr:
    return "shr";
  case AddressOp::SMin:
    return "min";
  case AddressOp::UMin:
    return "umin";
  case AddressOp::SMax:
    return "max";
  case AddressOp::UMax:
    return "umax";
  }
  return "?";
}

std::string Atom::str() const {
  if (!Operation)
    return Var.str();
  return std::string(opName(Operation->Op)) + "(" + Operation->A.str() + ", " +
         Operation->B.str() + ")";
}

static std::string factorsName(llvm::ArrayRef<Atom> Factors) {
  std::string Name;
  for (const Atom &F : Factors)
    Name += (Name.empty() ? "" : "*") + F.str();
  return Name;
}

void AddressForm::add(int64_t Coefficient, std::vector<Atom> Factors) {
  if (Coefficient == 0)
    return;
  llvm::sort(Factors,
             [](const Atom &A, const Atom &B) { return A.str() < B.str(); });
  std::string Name = factorsName(Factors);
  auto [It, Inserted] =
      Terms.try_emplace(Name, Term{Coefficient, std::move(Factors)});
  if (Inserted)
    return;
  // Addresses wrap; unsigned arithmetic says so.
  It->second.Coefficient =
      int64_t(uint64_t(It->second.Coefficient) + uint64_t(Coefficient));
  if (It->second.Coefficient == 0)
    Terms.erase(It);
}

AddressForm AddressForm::constant(int64_t Value) {
  AddressForm F;
  F.add(Value, {});
  return F;
}

AddressForm AddressForm::variable(Variable Var) {
  AddressForm F;
  F.add(1, {Atom{Var, nullptr}});
  return F;
}

static std::optional<int64_t> fold(AddressOp Op, int64_t A, int64_t B) {
  uint64_t UA = A, UB = B;
  switch (Op) {
  case AddressOp::UDiv:
    return UB == 0 ? std::nullopt : std::optional<int64_t>(UA / UB);
  case AddressOp::URem:
    return UB == 0 ? std::nullopt : std::optional<int64_t>(UA % UB);
  case AddressOp::SDiv:
  case AddressOp::SRem:
    if (B == 0 || (A == INT64_MIN && B == -1))
      return std::nullopt;
    return Op == AddressOp::SDiv ? A / B : A % B;
  case AddressOp::And:
    return A & B;
  case AddressOp::Or:
    return A | B;
  case AddressOp::Xor:
    return A ^ B;
  case AddressOp::LShr:
    return UB > 63 ? std::nullopt : std::optional<int64_t>(UA >> UB);
  case AddressOp::SMin:
    return std::min(A, B);
  case AddressOp::SMax:
    return std::max(A, B);
  case AddressOp::UMin:
    return std::min(UA, UB);
  case AddressOp::UMax:
    return std::max(UA, UB);
  }
  return std::nullopt;
}

AddressForm AddressForm::operation(AddressOp Op, const AddressForm &A,
                                   const AddressForm &B) {
  if (auto CA = A.asConstant())
    if (auto CB = B.asConstant())
      if (auto Folded = fold(Op, *CA, *CB))
        return constant(*Folded);
  AddressForm F;
  F.add(
      1,
      {Atom{{Variable::Uniform, 0},
            std::make_shared<Atom::OperationTy>(Atom::OperationTy{Op, A, B})}});
  return F;
}

AddressForm AddressForm::operator+(const AddressForm &B) const {
  AddressForm R = *this;
  for (const auto &[Name, T] : B.Terms)
    R.add(T.Coefficient, T.Factors);
  return R;
}

AddressForm AddressForm::operator-(const AddressForm &B) const {
  return *this + B * constant(-1);
}

AddressForm AddressForm::operator*(const AddressForm &B) const {
  AddressForm R;
  for (const auto &[NameA, TA] : Terms)
    for (const auto &[NameB, TB] : B.Terms) {
      std::vector<Atom> Factors = TA.Factors;
      Factors.insert(Factors.end(), TB.Factors.begin(), TB.Factors.end());
      R.add(int64_t(uint64_t(TA.Coefficient) * uint64_t(TB.Coefficient)),
            std::move(Factors));
    }
  return R;
}

AddressForm
AddressForm::replace(llvm::function_ref<AddressForm(Variable)> By) const {
  AddressForm R;
  for (const auto &[Name, T] : Terms) {
    AddressForm Product = constant(T.Coefficient);
    for (const Atom &F : T.Factors) {
      if (F.Operation)
        Product =
            Product * operation(F.Operation->Op, F.Operation->A.replace(By),
                                F.Operation->B.replace(By));
      else
        Product = Product * By(F.Var);
    }
    R = R + Product;
  }
  return R;
}

AddressForm AddressForm::bind(Values Known) const {
  return replace([&](Variable V) {
    auto Value = Known(V);
    return Value ? constant(*Value) : variable(V);
  });
}

std::optional<int64_t> AddressForm::asConstant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->second.Factors.empty())
    return Terms.begin()->second.Coefficient;
  return std::nullopt;
}

std::optional<int64_t> AddressForm::evaluate(Values Known) const {
  uint64_t Sum = 0;
  for (const auto &[Name, T] : Terms) {
    uint64_t Product = T.Coefficient;
    for (const Atom &F : T.Factors) {
      std::optional<int64_t> Value;
      if (F.Operation) {
        auto A = F.Operation->A.evaluate(Known);
        auto B = F.Operation->B.evaluate(Known);
        if (A && B)
          Value = fold(F.Operation->Op, *A, *B);
      } else {
        Value = Known(F.Var);
      }
      if (!Value)
        return std::nullopt;
      Product *= uint64_t(*Value);
    }
    Sum += Product;
  }
  return int64_t(Sum);
}

static bool anyIn(const Atom &F, llvm::function_ref<bool(Variable)> Test) {
  if (F.Operation)
    return F.Operation->A.any(Test) || F.Operation->B.any(Test);
  return Test(F.Var);
}

bool AddressForm::any(llvm::function_ref<bool(Variable)> Test) const {
  return llvm::any_of(Terms, [&](const auto &Entry) {
    return llvm::any_of(Entry.second.Factors,
                        [&](const Atom &F) { return anyIn(F, Test); });
  });
}

bool AddressForm::multiplies(llvm::function_ref<bool(Variable)> TestA,
                             llvm::function_ref<bool(Variable)> TestB) const {
  auto In = [&](const Term &T) {
    for (unsigned I = 0; I < T.Factors.size(); ++I) {
      const auto &Operation = T.Factors[I].Operation;
      if (Operation && (Operation->A.multiplies(TestA, TestB) ||
                        Operation->B.multiplies(TestA, TestB)))
        return true;
      for (unsigned J = 0; J < T.Factors.size(); ++J)
        if (I != J && anyIn(T.Factors[I], TestA) && anyIn(T.Factors[J], TestB))
          return true;
    }
    return false;
  };
  return llvm::any_of(Terms,
                      [&](const auto &Entry) { return In(Entry.second); });
}

std::optional<int64_t> AddressForm::coefficient(Variable Var) const {
  int64_t Found = 0;
  for (const auto &[Name, T] : Terms) {
    bool Has = llvm::any_of(T.Factors, [&](const Atom &F) {
      return anyIn(F, [&](Variable V) { return V == Var; });
    });
    if (!Has)
      continue;
    if (T.Factors.size() != 1 || T.Factors[0].Operation)
      return std::nullopt;
    Found = T.Coefficient;
  }
  return Found;
}

std::pair<AddressForm, AddressForm>
AddressForm::factorOut(Variable Var,
                       llvm::function_ref<bool(Variable)> With) const {
  AddressForm Factor, Rest;
  for (const auto &[Name, T] : Terms) {
    std::vector<Atom> Others;
    unsigned Found = 0;
    bool Fits = true;
    for (const Atom &F : T.Factors) {
      if (!F.Operation && F.Var == Var) {
        ++Found;
        continue;
      }
      Others.push_back(F);
      Fits &= !anyIn(F, [&](Variable V) { return !With(V); });
    }
    if (Found == 1 && Fits)
      Factor.add(T.Coefficient, std::move(Others));
    else
      Rest.Terms.emplace(Name, T);
  }
  return {Factor, Rest};
}

std::pair<AddressForm, AddressForm>
AddressForm::partition(llvm::function_ref<bool(Variable)> Test) const {
  AddressForm With, Without;
  for (const auto &[Name, T] : Terms) {
    bool Has =
        llvm::any_of(T.Factors, [&](const Atom &F) { return anyIn(F, Test); });
    (Has ? With : Without).Terms.emplace(Name, T);
  }
  return {With, Without};
}

std::string AddressForm::str() const {
  std::string S;
  auto Append = [&](int64_t Coefficient, llvm::StringRef Name) {
    if (!S.empty())
      S += Coefficient < 0 ? " - " : " + ";
    else if (Coefficient < 0)
      S += "-";
    uint64_t Magnitude =
        Coefficient < 0 ? -uint64_t(Coefficient) : uint64_t(Coefficient);
    if (Name.empty())
      S += std::to_string(Magnitude);
    else if (Magnitude == 1)
      S += Name;
    else
      S += std::to_string(Magnitude) + "*" + Name.str();
  };
  for (const auto &[Name, T] : Terms)
    if (!T.Factors.empty())
      Append(T.Coefficient, Name);
  auto Constant = Terms.find("");
  if (Constant != Terms.end())
    Append(Constant->second.Coefficient, "");
  return S.empty() ? "0" : S;
}
