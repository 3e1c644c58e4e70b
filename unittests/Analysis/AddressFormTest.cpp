// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Address forms as algebra: what they print, what binding leaves of them, and
/// that operations which are no sum or product keep their meaning.

#include "sluice/Analysis/AddressForm.h"
#include "gtest/gtest.h"
#include <limits>

using namespace sluice;

namespace {

constexpr int64_t Min = std::numeric_limits<int64_t>::min();
constexpr int64_t Max = std::numeric_limits<int64_t>::max();

AddressForm c(int64_t Value) { return AddressForm::constant(Value); }
AddressForm var(Variable::KindTy Kind, unsigned Index = 0) {
  return AddressForm::variable({Kind, Index});
}
AddressForm op(AddressOp Op, const AddressForm &A, const AddressForm &B) {
  return AddressForm::operation(Op, A, B);
}

const AddressForm TidX = var(Variable::Tid), CtaidX = var(Variable::Ctaid),
                  NtidX = var(Variable::Ntid), I0 = var(Variable::Iterator),
                  Arg0 = var(Variable::Argument),
                  Loaded0 = var(Variable::Loaded);

/// A launch and a lane: tid.x = 3, ntid.x = 256, arg0 = 1000, all else unknown.
std::optional<int64_t> known(Variable V) {
  if (V == Variable{Variable::Tid, 0})
    return 3;
  if (V == Variable{Variable::Ntid, 0})
    return 256;
  if (V == Variable{Variable::Argument, 0})
    return 1000;
  return std::nullopt;
}

/// Every variable is \p Value.
auto all(int64_t Value) {
  return [=](Variable) -> std::optional<int64_t> { return Value; };
}

bool isTid(Variable V) { return V.Kind == Variable::Tid; }

//===--------------------------------------------------------------------===//
// Arithmetic and printing
//===--------------------------------------------------------------------===//

TEST(AddressForm, PrintsVariables) {
  struct {
    Variable Var;
    const char *Name;
  } Cases[] = {
      {{Variable::Tid, 0}, "tid.x"},      {{Variable::Tid, 1}, "tid.y"},
      {{Variable::Tid, 2}, "tid.z"},      {{Variable::Ctaid, 1}, "ctaid.y"},
      {{Variable::Ntid, 2}, "ntid.z"},    {{Variable::Nctaid, 0}, "nctaid.x"},
      {{Variable::Iterator, 3}, "i3"},    {{Variable::Argument, 12}, "arg12"},
      {{Variable::Uniform, 0}, "u0"},     {{Variable::Varying, 1}, "v1"},
      {{Variable::Loaded, 2}, "loaded2"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(AddressForm::variable(Case.Var).str(), Case.Name);
}

TEST(AddressForm, Arithmetic) {
  struct {
    AddressForm Form;
    const char *Printed;
  } Cases[] = {
      {AddressForm(), "0"},
      {c(0), "0"},
      {c(5), "5"},
      {c(-5), "-5"},
      {c(2) + c(3), "5"},
      {c(2) * c(-3), "-6"},
      {c(1) * TidX, "tid.x"},
      {c(-1) * TidX, "-tid.x"},
      {c(4) * TidX - c(8), "4*tid.x - 8"},
      {Arg0 - c(4) * TidX, "arg0 - 4*tid.x"},
      {TidX + TidX, "2*tid.x"},
      {TidX - TidX, "0"},
      {TidX * c(0), "0"},
      {TidX * AddressForm(), "0"},
      {TidX * TidX, "tid.x*tid.x"},
      {(Arg0 + c(2)) * (Arg0 - c(2)), "arg0*arg0 - 4"},
      {(TidX + I0) * (TidX - I0), "-i0*i0 + tid.x*tid.x"},
      {Arg0 + c(2048) * (CtaidX * NtidX + TidX) + c(4) * I0,
       "arg0 + 2048*ctaid.x*ntid.x + 4*i0 + 2048*tid.x"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.str(), Case.Printed);
}

TEST(AddressForm, OrderDoesNotMatter) {
  EXPECT_EQ((TidX + I0).str(), (I0 + TidX).str());
  EXPECT_EQ((TidX * I0).str(), (I0 * TidX).str());
  EXPECT_EQ((TidX * (I0 * NtidX)).str(), ((NtidX * TidX) * I0).str());
}

TEST(AddressForm, WrapsAsAddressesDo) {
  struct {
    AddressForm Form;
    const char *Printed;
  } Cases[] = {
      {c(Max) + c(1), "-9223372036854775808"},
      {c(Min) - c(1), "9223372036854775807"},
      {c(Min) * c(-1), "-9223372036854775808"},
      {c(int64_t(1) << 32) * c(int64_t(1) << 32), "0"},
      {c(Min) * TidX, "-9223372036854775808*tid.x"},
      {c(Min) * TidX + c(Min) * TidX, "0"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.str(), Case.Printed);
}

TEST(AddressForm, EvaluatesModuloTwoToThe64) {
  EXPECT_EQ((TidX * TidX).evaluate(all(int64_t(1) << 32)), 0);
  EXPECT_EQ((TidX + c(1)).evaluate(all(Max)), Min);
}

//===--------------------------------------------------------------------===//
// Binding and evaluating
//===--------------------------------------------------------------------===//

TEST(AddressForm, BindReplacesWhatIsKnown) {
  struct {
    AddressForm Form;
    const char *Bound;
  } Cases[] = {
      {c(7), "7"},
      {I0, "i0"},
      {TidX, "3"},
      {Arg0 + c(4) * TidX, "1012"},
      {CtaidX * NtidX, "256*ctaid.x"},
      {TidX * TidX * I0, "9*i0"},
      {c(256) * I0 - NtidX * I0, "0"},
      {op(AddressOp::UDiv, I0 + TidX, c(16)), "div(i0 + 3, 16)"},
      {op(AddressOp::UDiv, Arg0, c(16)), "62"},
      {c(4) * op(AddressOp::URem, Arg0, NtidX) * I0, "928*i0"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.bind(known).str(), Case.Bound) << Case.Form.str();
}

TEST(AddressForm, BindToZeroTakesTheTermAway) {
  EXPECT_EQ((Arg0 * CtaidX + c(4) * Arg0)
                .bind([](Variable V) -> std::optional<int64_t> {
                  if (V.Kind == Variable::Ctaid)
                    return 0;
                  return std::nullopt;
                })
                .str(),
            "4*arg0");
}

TEST(AddressForm, EvaluatesWhenAllIsKnown) {
  struct {
    AddressForm Form;
    std::optional<int64_t> Value;
  } Cases[] = {
      {AddressForm(), 0},
      {c(-7), -7},
      {Arg0 + NtidX * TidX, 1768},
      {op(AddressOp::UDiv, Arg0, TidX), 333},
      {I0, std::nullopt},
      {Arg0 + I0, std::nullopt},
      {op(AddressOp::UDiv, Arg0, I0), std::nullopt},
      {op(AddressOp::UDiv, Arg0, TidX - c(3)), std::nullopt}, // by zero
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.evaluate(known), Case.Value) << Case.Form.str();
}

TEST(AddressForm, IsConstantWithoutVariables) {
  EXPECT_EQ(AddressForm().asConstant(), 0);
  EXPECT_EQ((TidX - TidX + c(9)).asConstant(), 9);
  EXPECT_EQ(TidX.asConstant(), std::nullopt);
  EXPECT_EQ((TidX + c(9)).asConstant(), std::nullopt);
}

//===--------------------------------------------------------------------===//
// Taking apart
//===--------------------------------------------------------------------===//

TEST(AddressForm, CoefficientOfTidX) {
  struct {
    AddressForm Form;
    std::optional<int64_t> Coefficient;
  } Cases[] = {
      {AddressForm(), 0},
      {Arg0 + c(4) * I0, 0},
      {TidX, 1},
      {Arg0 - c(2048) * TidX + c(4) * I0, -2048},
      {c(4) * var(Variable::Tid, 1), 0},
      // It is no number:
      {Arg0 * TidX, std::nullopt},
      {c(4) * TidX + Arg0 * TidX, std::nullopt},
      {TidX * TidX, std::nullopt},
      {op(AddressOp::UDiv, TidX, c(16)), std::nullopt},
      {c(4) * TidX + I0 * op(AddressOp::URem, TidX, c(16)), std::nullopt},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.coefficient({Variable::Tid, 0}), Case.Coefficient)
        << Case.Form.str();
}

TEST(AddressForm, AnyLooksIntoProductsAndOperations) {
  struct {
    AddressForm Form;
    bool HasTid;
  } Cases[] = {
      {AddressForm(), false},
      {c(3), false},
      {Arg0 + I0, false},
      {TidX - TidX, false},
      {Arg0 + TidX, true},
      {Arg0 * TidX, true},
      {op(AddressOp::UDiv, Arg0, c(4) + TidX), true},
      {op(AddressOp::And, op(AddressOp::UDiv, TidX, c(4)), c(3)), true},
      {op(AddressOp::UDiv, Arg0, c(4)), false},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.any(isTid), Case.HasTid) << Case.Form.str();
}

TEST(AddressForm, PartitionKeepsEveryTermOnce) {
  struct {
    AddressForm Form;
    const char *WithTid, *Without;
  } Cases[] = {
      {AddressForm(), "0", "0"},
      {c(4) * TidX, "4*tid.x", "0"},
      {c(8), "0", "8"},
      {Arg0 + c(4) * TidX + c(8), "4*tid.x", "arg0 + 8"},
      {Arg0 + Arg0 * TidX, "arg0*tid.x", "arg0"},
      {I0 + c(2) * op(AddressOp::URem, TidX, Arg0), "2*mod(tid.x, arg0)", "i0"},
  };
  for (const auto &Case : Cases) {
    auto [With, Without] = Case.Form.partition(isTid);
    EXPECT_EQ(With.str(), Case.WithTid) << Case.Form.str();
    EXPECT_EQ(Without.str(), Case.Without) << Case.Form.str();
    EXPECT_EQ((With + Without).str(), Case.Form.str());
  }
}

//===--------------------------------------------------------------------===//
// Operations
//===--------------------------------------------------------------------===//

TEST(AddressForm, OperationsFoldConstants) {
  struct {
    AddressOp Op;
    int64_t A, B, Result;
  } Cases[] = {
      {AddressOp::UDiv, 35, 16, 2},    {AddressOp::UDiv, -1, 2, Max},
      {AddressOp::SDiv, -7, 2, -3},    {AddressOp::SDiv, 7, -2, -3},
      {AddressOp::URem, 35, 16, 3},    {AddressOp::URem, -1, 16, 15},
      {AddressOp::SRem, -7, 2, -1},    {AddressOp::SRem, 7, -2, 1},
      {AddressOp::And, 0b1100, 10, 8}, {AddressOp::Or, 0b1100, 10, 14},
      {AddressOp::Xor, 0b1100, 10, 6}, {AddressOp::LShr, 256, 4, 16},
      {AddressOp::LShr, -1, 63, 1},    {AddressOp::LShr, 5, 0, 5},
      {AddressOp::SMin, -1, 1, -1},    {AddressOp::UMin, -1, 1, 1},
      {AddressOp::SMax, -1, 1, 1},     {AddressOp::UMax, -1, 1, -1},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(op(Case.Op, c(Case.A), c(Case.B)).asConstant(), Case.Result)
        << op(Case.Op, I0, c(0)).str() << " of " << Case.A << ", " << Case.B;
}

TEST(AddressForm, OperationsWithoutAValueStay) {
  struct {
    AddressOp Op;
    int64_t A, B;
  } Cases[] = {
      {AddressOp::UDiv, 1, 0},    {AddressOp::SDiv, 1, 0},
      {AddressOp::URem, 1, 0},    {AddressOp::SRem, 1, 0},
      {AddressOp::SDiv, Min, -1}, {AddressOp::SRem, Min, -1},
      {AddressOp::LShr, 1, 64},   {AddressOp::LShr, 1, -1},
  };
  for (const auto &Case : Cases) {
    AddressForm Form = op(Case.Op, c(Case.A), c(Case.B));
    EXPECT_EQ(Form.asConstant(), std::nullopt) << Form.str();
    EXPECT_EQ(Form.evaluate(known), std::nullopt) << Form.str();
  }
}

TEST(AddressForm, OperationsPrint) {
  struct {
    AddressOp Op;
    const char *Printed;
  } Cases[] = {
      {AddressOp::And, "and(tid.x, 3)"},
      {AddressOp::Or, "or(tid.x, 3)"},
      {AddressOp::Xor, "xor(tid.x, 3)"},
      {AddressOp::LShr, "shr(tid.x, 3)"},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(op(Case.Op, TidX, c(3)).str(), Case.Printed);
}

TEST(AddressForm, EqualOperationsMeet) {
  AddressForm Half = op(AddressOp::UDiv, TidX, c(16));
  EXPECT_EQ((Half + Half).coefficient({Variable::Tid, 0}), std::nullopt);
  EXPECT_EQ((Half - Half).str(), "0");
  EXPECT_EQ((Half - op(AddressOp::UDiv, TidX, c(8))).any(isTid), true);
}

// -16 / 16 is -1 signed and nearly 2^60 unsigned.
TEST(AddressForm, SignedAndUnsignedDoNotMeet) {
  struct {
    AddressOp Signed, Unsigned;
  } Cases[] = {{AddressOp::SDiv, AddressOp::UDiv},
               {AddressOp::SRem, AddressOp::URem},
               {AddressOp::SMin, AddressOp::UMin},
               {AddressOp::SMax, AddressOp::UMax}};
  for (const auto &Case : Cases) {
    AddressForm S = op(Case.Signed, Loaded0, c(12)),
                U = op(Case.Unsigned, Loaded0, c(12));
    EXPECT_NE((S - U).evaluate(all(-16)), 0) << S.str();
  }
}

TEST(AddressForm, OperationsAreFactors) {
  AddressForm Row = op(AddressOp::UDiv, TidX, c(2)); // 1 where tid.x is 3
  EXPECT_EQ((c(2048) * Row * I0).bind(known).str(), "2048*i0");
  EXPECT_EQ((Row * Row + c(4)).evaluate(known), 5);
}

TEST(AddressForm, ReplacesAlsoInOperations) {
  AddressForm Form = c(4) * I0 * TidX + op(AddressOp::URem, I0 + TidX, c(32));
  AddressForm Replaced = Form.replace([](Variable V) {
    return V.Kind == Variable::Iterator ? Loaded0 + c(1)
                                        : AddressForm::variable(V);
  });
  EXPECT_EQ(Replaced.str(),
            "4*loaded0*tid.x + mod(loaded0 + tid.x + 1, 32) + 4*tid.x");
}

TEST(AddressForm, SaysWhatIsMultiplied) {
  auto IsI0 = [](Variable V) { return V == Variable{Variable::Iterator, 0}; };
  struct {
    AddressForm Form;
    bool Multiplies;
  } Cases[] = {
      {I0 * TidX, true},
      {TidX * I0, true},
      {c(2048) * TidX + c(4) * I0, false},
      {TidX, false},
      {TidX * TidX, false},
      {I0 * op(AddressOp::UDiv, TidX, c(16)), true},
      {op(AddressOp::UDiv, TidX + I0, c(16)), false},
      {op(AddressOp::UDiv, TidX * I0, c(16)), true},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(Case.Form.multiplies(isTid, IsI0), Case.Multiplies)
        << Case.Form.str();
}

TEST(AddressForm, FactorsAVariableOut) {
  Variable N{Variable::Argument, 3};
  AddressForm Arg3 = AddressForm::variable(N);
  struct {
    AddressForm Form;
    const char *Factor, *Rest;
  } Cases[] = {
      {c(4) * Arg3 * TidX + c(4) * I0, "4*tid.x", "4*i0"},
      {c(4) * Arg3 * TidX - c(8) * Arg3, "4*tid.x - 8", "0"},
      {Arg3 * op(AddressOp::UDiv, TidX, c(16)), "div(tid.x, 16)", "0"},
      {c(4) * Arg3 * Arg3 * TidX, "0", "4*arg3*arg3*tid.x"},
      {c(4) * Arg3 * I0 + Arg3 * TidX * TidX, "tid.x*tid.x", "4*arg3*i0"},
      {op(AddressOp::URem, TidX, Arg3) + Arg3 * op(AddressOp::URem, TidX, I0),
       "0", "arg3*mod(tid.x, i0) + mod(tid.x, arg3)"},
      {c(4) * TidX, "0", "4*tid.x"},
  };
  for (const auto &Case : Cases) {
    auto [Factor, Rest] = Case.Form.factorOut(N, isTid);
    EXPECT_EQ(Factor.str(), Case.Factor) << Case.Form.str();
    EXPECT_EQ(Rest.str(), Case.Rest) << Case.Form.str();
    EXPECT_EQ((Arg3 * Factor + Rest).str(), Case.Form.str());
  }
}

//===--------------------------------------------------------------------===//
// Kinds of variables
//===--------------------------------------------------------------------===//

TEST(Variable, SaysWhatItMayVaryIn) {
  struct {
    Variable::KindTy Kind;
    bool ThreadVarying, Unknown;
  } Cases[] = {
      {Variable::Tid, true, false},       {Variable::Ctaid, false, false},
      {Variable::Ntid, false, false},     {Variable::Nctaid, false, false},
      {Variable::Iterator, false, false}, {Variable::Argument, false, false},
      {Variable::Uniform, false, true},   {Variable::Varying, true, true},
      {Variable::Loaded, true, true},
  };
  for (const auto &Case : Cases) {
    Variable V{Case.Kind, 0};
    EXPECT_EQ(V.isThreadVarying(), Case.ThreadVarying) << V.str();
    EXPECT_EQ(V.isUnknown(), Case.Unknown) << V.str();
  }
}

} // namespace
