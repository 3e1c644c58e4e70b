// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice::fuzz;

/// Of the loops of one nest, multiplied.
static constexpr unsigned MaxIterations = 100;

/// An int expression and the most that it can be.
std::pair<std::string, unsigned> Generator::tripCount(Place P, bool &Uniform) {
  unsigned Most = std::clamp(MaxIterations / P.Iterations, 2u, 24u);
  Uniform = true;
  for (int Try = 0; Try < 4; ++Try)
    switch (R.below(10)) {
    case 0:
    case 1:
    case 2: {
      unsigned N = unsigned(R.between(1, int(Most)));
      return {mark('n', std::to_string(N)), N};
    }
    case 3:
    case 4:
    case 5: {
      const Scalar &S = R.pick(Scalars);
      if (S.Value <= Most)
        return {mark('n', S.Name), S.Value};
      break;
    }
    case 6: {
      if (InHelper)
        break;
      unsigned Less = bit_floor(std::min(Most, 8u));
      Uniform = false;
      return {formatv("(tid & {0}) + 1", Less - 1), Less};
    }
    case 7: {
      unsigned Less = bit_floor(std::min(Most, 16u));
      Uniform = false;
      return {formatv("int({0} & {1})", expression('u', 1), Less - 1), Less};
    }
    case 8: // a triangle
      if (!Indices.empty())
        if (const Index &I = Indices.back(); I.Bound <= Most) {
          Uniform = I.Uniform;
          return {I.Name + " + 1", I.Bound};
        }
      break;
    default:
      if (InHelper || Most < 8)
        break;
      return {formatv("{0} - int(blockIdx.x)", Most), Most};
    }
  return {mark('n', "2"), 2};
}

/// Something that touches a cache line again in the next iteration. \p
/// InMemory: and is added up in memory, if an output can be.
Statement Generator::reuse(const std::string &J, unsigned Bound,
                           bool InMemory) {
  auto Element = [&] {
    const Input &A = R.pick(Inputs);
    if (A.Rows == 1) {
      std::string At = Bound <= A.Pitch ? J : formatv("{0} & 7", J).str();
      return formatv("{0}[{1}]", A.Name, At).str();
    }
    if (Bound > A.Pitch || R.chance(20))
      return formatv("{0}[{1}]", A.Name, J).str();
    if (R.chance(20))
      return formatv("{0}[{1} * {2} + gid]", A.Name, J, Threads).str();
    const char *Row = K.Block.Y == 1 && K.Block.Z == 1 ? "gid"
                      : R.chance(50)                   ? "row"
                                                       : "gid";
    return formatv("{0}[{1} * {2} + {3}]", A.Name, Row, A.PitchText, J).str();
  };
  std::string Product = "float(" + Element() + ")";
  if (R.chance(60))
    Product += " * float(" + Element() + ")";
  Product = mark('f', Product);
  SmallVector<const Output *, 4> Floats;
  for (const Output &O : Outputs)
    if (O.Type == 'f' || O.Type == 'd')
      Floats.push_back(&O);
  if (!Floats.empty() && (InMemory || R.chance(50))) {
    const Output &O = *R.pick(Floats);
    return {formatv("{0}[{1}] += {2};", O.Name, ownSlot(O), Product)};
  }
  return {formatv("{0} += {1};", variable('f')->Name, Product)};
}

Generator::Body Generator::loopBody(const Index &J, Place &P) {
  Scope S(*this);
  Indices.push_back(J);
  Body Inner;
  if (R.chance(25)) // a sum that may leave the memory
    return {reuse(J.Name, J.Bound, /*InMemory=*/true)};
  if (R.chance(80))
    Inner.push_back(reuse(J.Name, J.Bound));
  statements(Inner, P, unsigned(R.between(Inner.empty(), 3)));
  if (Inner.empty())
    Inner.push_back(accumulate());
  return Inner;
}

// Long because it has a case for each way to write a loop.
void Generator::loop(Body &To, Place P) {
  bool Uniform;
  auto [Count, Most] = tripCount(P, Uniform);
  Most = std::max(Most, 1u);
  Work += P.Iterations * Most;
  // Some keep together for barriers, in others threads leave as they like.
  P.MayPart = !P.Together || !Uniform || R.chance(50);
  P.Together &= !P.MayPart;
  P.InLoop = true;
  P.MayContinue = true;
  P.InSwitch = false;
  P.Iterations *= Most;
  ++P.Depth;
  std::string J = fresh("j");
  Index Counter{J, Most, Uniform && P.Together};

  Statement S;
  S.HasBody = true;
  S.Braces = R.chance(60);
  std::string Pragma;
  if (R.chance(15))
    Pragma = R.pick({"#pragma unroll\n", "#pragma unroll 1\n",
                     "#pragma unroll 2\n", "#pragma sluice off\n"});
  auto Declare = [&](const std::string &Value) {
    Statement D;
    D.Head = formatv("int {0} = {1};", J, Value);
    D.Declares = true;
    To.push_back(D);
  };
  switch (R.below(10)) {
  case 0: // down
    S.Head = formatv("for (int {0} = {1} - 1; {0} >= 0; --{0})", J, Count);
    break;
  case 1:
    S.Head = formatv("for (int {0} = 0; {0} < {1}; {0} += 2)", J, Count);
    break;
  case 2: {
    // Nothing may skip the increment.
    Declare("0");
    S.Head = formatv("while ({0} < {1})", J, Count);
    P.MayContinue = false;
    S.Body = loopBody(Counter, P);
    S.Body.push_back({formatv("++{0};", J)});
    To.push_back(S);
    return;
  }
  case 3:
    Declare("-1");
    S.Head = formatv("while (++{0} < {1})", J, Count);
    break;
  case 4:
    Declare("0");
    S.Head = "do";
    S.Tail = formatv(" while (++{0} < {1});", J, Count);
    break;
  case 5: {
    Declare("0");
    S.Head = formatv("for (;; ++{0})", J);
    Statement Leave;
    Leave.Head = formatv("if ({0} >= {1})", J, Count);
    Leave.HasBody = true;
    Leave.Braces = false;
    Leave.Body.push_back({"break;"});
    S.Body.push_back(Leave);
    break;
  }
  case 6: {
    std::string End = fresh("e");
    S.Head = formatv("for (int {0} = 0, {1} = {2}; {0} < {1}; ++{0})", J, End,
                     Count);
    break;
  }
  default:
    S.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, Count);
    break;
  }
  Body Inner = loopBody(Counter, P);
  S.Body.insert(S.Body.end(), Inner.begin(), Inner.end());
  S.Head = Pragma + S.Head;
  To.push_back(std::move(S));
}

/// A pointer goes along a row.
void Generator::pointerLoop(Body &To, Place P) {
  const Input &A = R.pick(Inputs);
  unsigned Most = std::clamp(MaxIterations / P.Iterations, 2u, 24u);
  Most = std::min(Most, A.Pitch);
  Work += P.Iterations * Most;
  P.MayPart = P.InLoop = P.MayContinue = true;
  P.Together = P.InSwitch = false;
  P.Iterations *= Most;
  ++P.Depth;
  std::string Pointer = fresh("p"), Other = fresh("e");
  Statement S;
  S.HasBody = true;
  S.Braces = R.chance(50);
  const char *To_ = "const ";
  switch (R.below(3)) {
  case 0:
    S.Head = formatv("for ({0}{1} *{2} = {3}, *{4} = {2} + {5}; {2} != {4}; "
                     "++{2})",
                     To_, A.Type, Pointer, rowAddress(A), Other, length(Most));
    break;
  case 1: {
    Statement D;
    D.Declares = true;
    D.Head = formatv("{0}{1} *{2} = {3};", To_, A.Type, Pointer, rowAddress(A));
    To.push_back(D);
    S.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0}, ++{2})", Other,
                     length(Most), Pointer);
    break;
  }
  default: {
    Statement D;
    D.Declares = true;
    D.Head = formatv("{0}{1} *{2} = {3}, *const {4} = {2} + {5};", To_, A.Type,
                     Pointer, rowAddress(A), Other, length(Most));
    To.push_back(D);
    S.Head = formatv("while ({0} < {1})", Pointer, Other);
    S.Body.push_back(
        {formatv("{0} += float(*{1}++);", variable('f')->Name, Pointer)});
    // An end that is not reached is no trouble: the pointer has moved on.
    Scope Inner(*this);
    statements(S.Body, P, unsigned(R.between(0, 2)));
    break;
  }
  }
  if (S.Body.empty()) {
    Scope Inner(*this);
    S.Body.push_back(
        {formatv("{0} += float(*{1});", variable('f')->Name, Pointer)});
    statements(S.Body, P, unsigned(R.between(0, 2)));
  }
  To.push_back(std::move(S));
}

//===- Between threads ----------------------------------------------------===//

Statement Generator::barrier() {
  return {R.chance(With.Small ? 97 : 85) ? "__syncthreads();" : "meet();"};
}

/// Through shared memory; or a barrier for its own sake.
void Generator::exchange(Body &To, Place P) {
  if (!P.Together || InHelper)
    return;
  if (Shared.empty() || MayHaveReturned) {
    if (R.chance(30))
      To.push_back(barrier());
    return;
  }
  const Variable *Sum = variable(SharedType);
  std::string Value = expression(SharedType);
  To.push_back({formatv("{0}[tid] = {1};", Shared, Value)});
  To.push_back(barrier());
  if (With.Shared && R.chance(85))
    return sharedInLoop(To);
  std::string Into =
      Sum ? Sum->Name + (SharedType == 'i' ? " ^= " : " += ")
          : (Twine(variable('f')->Name) + " += 0.5f * bound(float(").str();
  const char *End = Sum ? ";" : "));";
  if (R.chance(50)) {
    Statement Read;
    std::string J = fresh("j");
    Read.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(8));
    Read.HasBody = true;
    Read.Braces = R.chance(50);
    Read.Body.push_back({formatv("{0}{1}[(tid + {2}) % {3}]{4}", Into, Shared,
                                 J, BlockThreads, End)});
    Work += 8 * P.Iterations;
    To.push_back(Read);
  } else {
    To.push_back({formatv("{0}{1}[(tid + {2}) % {3}]{4}", Into, Shared,
                          R.between(1, 40), BlockThreads, End)});
  }
  To.push_back(barrier());
}

/// What is read there once is used in a loop, whole or its bytes. It may be
/// written in between.
void Generator::sharedInLoop(Body &To) {
  Statement Loop;
  const std::string J = fresh("j");
  Loop.Head = formatv("for (int {0} = 0; {0} < {1}; ++{0})", J, length(8));
  Loop.HasBody = true;
  Loop.Braces = true;
  for (int I = 0, N = R.between(1, 4); I < N; ++I) {
    std::string Read = formatv("{0}[(tid + {1}) % {2}]", Shared,
                               R.between(1, 40), BlockThreads);
    if (R.chance(60)) {
      const std::string Name = fresh("q");
      To.push_back({formatv("const auto {0} = {1};", Name, Read)});
      To.back().Declares = true;
      Read = Name;
    }
    // Nothing that would be computed before the loop.
    const std::string Part = formatv(
        "float(({0}{1}) >> {2}) & {3})",
        SharedType == 'f' ? "__builtin_bit_cast(unsigned, " : "unsigned(", Read,
        R.pick({0, 8, 16, 24}), R.pick({255, 1023}));
    Loop.Body.push_back(
        {formatv("{0} = 0.5f * bound({0}) + {1} * float({2} + {3}) + {4};",
                 variable('f')->Name, Part, J, R.between(1, 9),
                 R.chance(50) ? expression('f', 1) : "0.25f")});
  }
  if (R.chance(60)) {
    To.push_back(barrier());
    To.push_back({formatv("{0}[tid] = {1};", Shared, expression(SharedType))});
    To.push_back(barrier());
  }
  To.push_back(Loop);
  To.push_back(barrier());
}

/// Until the block's last thread has been here once. Warps that took turns, or
/// met at a barrier in between, would wait for ever.
void Generator::spin(Body &To) {
  const char *Flag = "flags + blockIdx.x + gridDim.x * blockIdx.y";
  Statement S(formatv("if (tid == {0}) atomicAdd({1}, 1);\n"
                      "while (atomicAdd({1}, 0) == 0);",
                      BlockThreads - 1, Flag));
  S.Declares = true; // it is two
  To.push_back(std::move(S));
}

/// Within whole warps.
void Generator::shuffle(Body &To) {
  if (InHelper || MayHaveReturned || BlockThreads % 32)
    return;
  const Variable *Sum = variable('i');
  if (!Sum)
    return;
  if (R.chance(60))
    To.push_back(
        {formatv("{0} ^= __nvvm_shfl_sync_bfly_i32(~0u, {0}, {1}, 31);",
                 Sum->Name, R.pick({1, 2, 16}))});
  else
    To.push_back({formatv("if (__nvvm_vote_any_sync(~0u, {0})) {1} ^= 1;",
                          condition(false), Sum->Name)});
}
