// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials over launch and loop variables. Terms are ordered by the printed
// names of their factors, so that equal terms meet and the order of printing is
// stable. Only operations keep their names: those of variables are compared
// without being made.

#include "sluice/Analysis/AddressForm.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace sluice;

/// What the name begins with. None is the beginning of another.
static llvm::StringRef kindName(Variable::KindTy Kind) {
  switch (Kind) {
  case Variable::Tid:
    return "tid";
  case Variable::Ctaid:
    return "ctaid";
  case Variable::Ntid:
    return "ntid";
  case Variable::Nctaid:
    return "nctaid";
  case Variable::Iterator:
    return "i";
  case Variable::Argument:
    return "arg";
  case Variable::Uniform:
    return "u";
  case Variable::Varying:
    return "v";
  case Variable::Loaded:
    return "loaded";
  }
  return "?";
}

std::string Variable::str() const {
  static const char *const Axis[] = {".x", ".y", ".z"};
  return kindName(Kind).str() +
         (Kind <= Nctaid ? Axis[Index] : std::to_string(Index));
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
  return Operation ? Operation->Name : Var.str();
}

/// Below, at or above 0, as the name of \p A is to that of \p B.
static int compareNames(Variable A, Variable B) {
  if (A.Kind != B.Kind)
    return kindName(A.Kind).compare(kindName(B.Kind));
  if (A.Index == B.Index || A.Kind <= Variable::Nctaid)
    return int(A.Index) - int(B.Index);
  return std::to_string(A.Index).compare(std::to_string(B.Index));
}

static int compareNames(const Atom &A, const Atom &B) {
  if (A.Operation && A.Operation == B.Operation)
    return 0;
  if (!A.Operation && !B.Operation)
    return compareNames(A.Var, B.Var);
  if (A.Operation && B.Operation)
    return A.Operation->Name.compare(B.Operation->Name);
  return A.str().compare(B.str());
}

/// The same as by the factors' names with '*' between them: that is below all
/// that goes on where one name ends and the other does not.
static int compareNames(const AddressForm::Term &A,
                        const AddressForm::Term &B) {
  for (auto [FactorOfA, FactorOfB] : llvm::zip(A.Factors, B.Factors))
    if (int Order = compareNames(FactorOfA, FactorOfB))
      return Order;
  return int(A.Factors.size()) - int(B.Factors.size());
}

static std::string factorsName(llvm::ArrayRef<Atom> Factors) {
  std::string Name;
  for (const Atom &F : Factors)
    Name += (Name.empty() ? "" : "*") + F.str();
  return Name;
}

static void orderFactors(AddressForm::Term &T) {
  llvm::sort(T.Factors, [](const Atom &A, const Atom &B) {
    return compareNames(A, B) < 0;
  });
}

/// Addresses wrap; unsigned arithmetic says so.
static int64_t wrappingSum(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) + uint64_t(B));
}
static int64_t wrappingProduct(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) * uint64_t(B));
}

AddressForm::AddressForm(std::vector<Term> Ordered) {
  if (Ordered.empty())
    return;
  unsigned Size = Ordered.size();
  for (const Term &T : Ordered)
    for (const Atom &F : T.Factors)
      Size +=
          F.Operation ? 1 + F.Operation->A.size() + F.Operation->B.size() : 1;
  Shared = std::make_shared<Contents>(Contents{std::move(Ordered), Size});
}

/// The form of \p Terms, which are in no order and have factors that are.
AddressForm AddressForm::sumOf(std::vector<Term> Terms) {
  auto IsBefore = [](const Term &A, const Term &B) {
    return compareNames(A, B) < 0;
  };
  if (!llvm::is_sorted(Terms, IsBefore))
    llvm::sort(Terms, IsBefore);
  size_t Kept = 0;
  for (size_t First = 0, End; First < Terms.size(); First = End) {
    int64_t Sum = Terms[First].Coefficient;
    for (End = First + 1;
         End < Terms.size() && compareNames(Terms[First], Terms[End]) == 0;
         ++End)
      Sum = wrappingSum(Sum, Terms[End].Coefficient);
    if (Sum == 0)
      continue;
    if (Kept != First)
      Terms[Kept] = std::move(Terms[First]);
    Terms[Kept++].Coefficient = Sum;
  }
  Terms.erase(Terms.begin() + ptrdiff_t(Kept), Terms.end());
  return AddressForm(std::move(Terms));
}

AddressForm AddressForm::constant(int64_t Value) {
  return Value == 0 ? AddressForm() : AddressForm({{Value, {}}});
}

AddressForm AddressForm::variable(Variable Var) {
  return AddressForm({{1, {Atom{Var, nullptr}}}});
}

std::optional<int64_t> sluice::resultOf(AddressOp Op, int64_t A, int64_t B) {
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
      if (auto Folded = resultOf(Op, *CA, *CB))
        return constant(*Folded);
  auto Operation = std::make_shared<Atom::OperationTy>(Atom::OperationTy{
      Op, A, B,
      std::string(opName(Op)) + "(" + A.str() + ", " + B.str() + ")"});
  return AddressForm(
      {{1, {Atom{{Variable::Uniform, 0}, std::move(Operation)}}}});
}

AddressForm AddressForm::times(int64_t Factor) const {
  std::vector<Term> Products;
  for (const Term &T : terms())
    if (int64_t C = wrappingProduct(T.Coefficient, Factor))
      Products.push_back({C, T.Factors});
  return AddressForm(std::move(Products));
}

AddressForm AddressForm::operator+(const AddressForm &B) const {
  if (!Shared || !B.Shared)
    return Shared ? *this : B;
  std::vector<Term> Sum;
  Sum.reserve(terms().size() + B.terms().size());
  std::merge(terms().begin(), terms().end(), B.terms().begin(), B.terms().end(),
             std::back_inserter(Sum), [](const Term &X, const Term &Y) {
               return compareNames(X, Y) < 0;
             });
  return sumOf(std::move(Sum));
}

AddressForm AddressForm::operator-(const AddressForm &B) const {
  return *this + B.times(-1);
}

AddressForm AddressForm::operator*(const AddressForm &B) const {
  if (auto C = asConstant())
    return B.times(*C);
  if (auto C = B.asConstant())
    return times(*C);
  std::vector<Term> Products;
  Products.reserve(terms().size() * B.terms().size());
  for (const Term &TA : terms())
    for (const Term &TB : B.terms()) {
      Term &P = Products.emplace_back(
          Term{wrappingProduct(TA.Coefficient, TB.Coefficient), TA.Factors});
      llvm::append_range(P.Factors, TB.Factors);
      orderFactors(P);
    }
  return sumOf(std::move(Products));
}

/// One replacing in a form and in the operations in it, each of which it looks
/// into once. What has none of the variables stays the same object.
class AddressForm::Replacer {
public:
  explicit Replacer(Replacements By) : By(By) {}
  AddressForm replace(const AddressForm &Form);

private:
  std::optional<AddressForm> replacement(const Atom &F);
  Replacements By;
  llvm::DenseMap<const Atom::OperationTy *, std::optional<AddressForm>> Done;
};

/// None: \p F stays.
std::optional<AddressForm> AddressForm::Replacer::replacement(const Atom &F) {
  if (!F.Operation)
    return By(F.Var);
  const Atom::OperationTy &O = *F.Operation;
  if (auto Found = Done.find(&O); Found != Done.end())
    return Found->second;
  AddressForm A = replace(O.A), B = replace(O.B);
  std::optional<AddressForm> New;
  if (A.Shared != O.A.Shared || B.Shared != O.B.Shared)
    New = operation(O.Op, A, B);
  return Done[&O] = std::move(New);
}

AddressForm AddressForm::Replacer::replace(const AddressForm &Form) {
  std::vector<Term> Kept;
  AddressForm Others; // sums of several terms, times something
  bool Changed = false;
  for (const Term &T : Form.terms()) {
    Term Left{T.Coefficient, {}};
    llvm::SmallVector<AddressForm, 2> Sums;
    for (const Atom &F : T.Factors) {
      std::optional<AddressForm> New = replacement(F);
      Changed |= New.has_value();
      if (!New)
        Left.Factors.push_back(F);
      else if (auto C = New->asConstant())
        Left.Coefficient = wrappingProduct(Left.Coefficient, *C);
      else
        Sums.push_back(std::move(*New));
    }
    if (Sums.empty()) {
      if (Left.Coefficient != 0)
        Kept.push_back(std::move(Left));
      continue;
    }
    AddressForm Product = sumOf({std::move(Left)});
    for (const AddressForm &Sum : Sums)
      Product = Product * Sum;
    Others = Others + Product;
  }
  if (!Changed)
    return Form;
  return sumOf(std::move(Kept)) + Others;
}

AddressForm
AddressForm::replace(llvm::function_ref<AddressForm(Variable)> By) const {
  return Replacer([&](Variable V) -> std::optional<AddressForm> {
           AddressForm New = By(V);
           if (New.terms().size() == 1 && New.coefficient(V) == 1)
             return std::nullopt;
           return New;
         })
      .replace(*this);
}

AddressForm AddressForm::bind(Values Known) const {
  return Replacer([&](Variable V) -> std::optional<AddressForm> {
           if (auto Value = Known(V))
             return constant(*Value);
           return std::nullopt;
         })
      .replace(*this);
}

std::optional<int64_t> AddressForm::asConstant() const {
  if (!Shared)
    return 0;
  if (terms().size() == 1 && terms().front().Factors.empty())
    return terms().front().Coefficient;
  return std::nullopt;
}

std::optional<int64_t> AddressForm::evaluate(Values Known) const {
  uint64_t Sum = 0;
  for (const Term &T : terms()) {
    uint64_t Product = T.Coefficient;
    for (const Atom &F : T.Factors) {
      std::optional<int64_t> Value;
      if (F.Operation) {
        auto A = F.Operation->A.evaluate(Known);
        auto B = F.Operation->B.evaluate(Known);
        if (A && B)
          Value = resultOf(F.Operation->Op, *A, *B);
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
  return llvm::any_of(terms(), [&](const Term &T) {
    return llvm::any_of(T.Factors,
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
  return llvm::any_of(terms(), In);
}

std::optional<int64_t> AddressForm::coefficient(Variable Var) const {
  int64_t Found = 0;
  for (const Term &T : terms()) {
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
  std::vector<Term> Factor, Rest;
  for (const Term &T : terms()) {
    FactorList Others;
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
      Factor.push_back({T.Coefficient, std::move(Others)});
    else
      Rest.push_back(T);
  }
  return {sumOf(std::move(Factor)), AddressForm(std::move(Rest))};
}

std::pair<AddressForm, AddressForm>
AddressForm::partition(llvm::function_ref<bool(Variable)> Test) const {
  std::vector<Term> With, Without;
  for (const Term &T : terms()) {
    bool Has =
        llvm::any_of(T.Factors, [&](const Atom &F) { return anyIn(F, Test); });
    (Has ? With : Without).push_back(T);
  }
  return {AddressForm(std::move(With)), AddressForm(std::move(Without))};
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
  for (const Term &T : terms())
    if (!T.Factors.empty())
      Append(T.Coefficient, factorsName(T.Factors));
  if (Shared && terms().front().Factors.empty())
    Append(terms().front().Coefficient, "");
  return S.empty() ? "0" : S;
}

bool sluice::operator==(const AddressForm &A, const AddressForm &B) {
  return A.Shared == B.Shared ||
         llvm::equal(
             A.terms(), B.terms(),
             [](const AddressForm::Term &X, const AddressForm::Term &Y) {
               return X.Coefficient == Y.Coefficient && compareNames(X, Y) == 0;
             });
}

llvm::hash_code sluice::hash_value(const AddressForm &Form) {
  llvm::hash_code Hash(0);
  for (const AddressForm::Term &T : Form.terms()) {
    Hash = llvm::hash_combine(Hash, T.Coefficient);
    for (const Atom &F : T.Factors)
      Hash = F.Operation ? llvm::hash_combine(Hash, F.Operation->Name)
                         : llvm::hash_combine(Hash, F.Var.Kind, F.Var.Index);
  }
  return Hash;
}
