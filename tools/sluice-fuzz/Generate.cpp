// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a kernel: shape, parameters, functions, beginning and end.

#include "Generate.h"
#include "Generator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;
using emulator::BufferFill;
using emulator::ElementType;

Kernel fuzz::generate(uint64_t Seed, unsigned Number, Features With) {
  return Generator(Seed, Number, With).make();
}

/// One SM holds all of the grid.
void Generator::chooseShape() {
  using emulator::Dim3;
  K.Block =
      R.pick({Dim3{64, 1, 1}, Dim3{64, 1, 1}, Dim3{96, 1, 1}, Dim3{100, 1, 1},
              Dim3{128, 1, 1}, Dim3{128, 1, 1}, Dim3{160, 1, 1}, Dim3{33, 1, 1},
              Dim3{32, 1, 1}, Dim3{16, 4, 1}, Dim3{8, 8, 1}, Dim3{10, 7, 1},
              Dim3{32, 4, 1}, Dim3{5, 13, 1}, Dim3{4, 4, 4}, Dim3{3, 5, 7},
              Dim3{8, 4, 4}, Dim3{256, 1, 1}});
  if (With.Small && R.chance(50))
    K.Block =
        R.pick({Dim3{32, 1, 1}, Dim3{32, 1, 1}, Dim3{16, 1, 1}, Dim3{20, 1, 1},
                Dim3{8, 4, 1}, Dim3{4, 4, 1}, Dim3{5, 3, 2}, Dim3{3, 3, 3}});
  K.Grid = R.pick({Dim3{1, 1, 1}, Dim3{2, 1, 1}, Dim3{2, 1, 1}, Dim3{3, 1, 1},
                   Dim3{2, 2, 1}, Dim3{1, 2, 1}, Dim3{4, 1, 1}});
  if (With.Blocks && R.chance(70)) {
    HasElements = true;
    K.Grid = R.pick({Dim3{4, 1, 1}, Dim3{5, 1, 1}, Dim3{8, 1, 1}, Dim3{9, 1, 1},
                     Dim3{4, 2, 1}, Dim3{7, 3, 1}, Dim3{17, 1, 1}});
  }
  BlockThreads = unsigned(K.Block.count());
  Threads = unsigned(K.Grid.count()) * BlockThreads;
}

Parameter &Generator::addBuffer(const std::string &Name,
                                const std::string &Type, ElementType Element,
                                uint64_t Elements) {
  Parameter P;
  P.Name = Name;
  P.Type = Type;
  P.Buffer.Type = Element;
  P.Buffer.Elements = Elements;
  P.Buffer.Seed = R.next() % 1000 + 1;
  K.Parameters.push_back(std::move(P));
  return K.Parameters.back();
}

void Generator::addRandomBuffer(const std::string &Name,
                                const std::string &Type, ElementType Element,
                                uint64_t Elements, double Low, double High) {
  Parameter &P = addBuffer(Name, Type, Element, Elements);
  P.Buffer.Fill = emulator::BufferFill::Random;
  P.Buffer.Low = Low;
  P.Buffer.High = High;
}

void Generator::addInteger(const std::string &Name, unsigned Value) {
  Parameter P;
  P.Name = Name;
  P.Type = "int";
  P.Value = emulator::ModuleArgument::value<int>(int(Value));
  P.Spelling = std::to_string(Value);
  K.Parameters.push_back(std::move(P));
}

void Generator::addInputs() {
  struct ElementKind {
    const char *Type;
    char As;
    ElementType Element;
    double Low, High;
    unsigned Weight;
  };
  static const ElementKind Kinds[] = {
      {"float", 'f', ElementType::F32, -2, 2, 8},
      {"double", 'd', ElementType::F64, -4, 4, 3},
      {"int", 'i', ElementType::I32, -1000, 1000, 5},
      {"unsigned", 'u', ElementType::I32, 0, 4000, 3},
      {"short", 'i', ElementType::I16, -300, 300, 2},
      {"unsigned char", 'u', ElementType::I8, -128, 127, 2},
      {"long long", 'l', ElementType::I64, -100000, 100000, 2},
  };
  std::vector<const ElementKind *> Weighted;
  for (const ElementKind &Kind : Kinds)
    Weighted.insert(Weighted.end(), Kind.Weight, &Kind);

  bool Restrict = R.chance(40);
  for (int I = 0, N = R.between(2, 4); I < N; ++I) {
    const ElementKind &Kind = *R.pick(Weighted);
    Input A;
    A.Name = "A" + std::to_string(I);
    A.Type = Kind.Type;
    A.As = Kind.As;
    A.Rows = Threads;
    A.Pitch = R.pick({8u, 16u, 24u, 32u, 32u, 33u, 40u});
    A.PitchText = std::to_string(A.Pitch);
    Parameter &P = addBuffer(
        A.Name, "const " + A.Type + (Restrict ? " *__restrict__ " : " *"),
        Kind.Element, uint64_t(A.Rows) * A.Pitch);
    P.Buffer.Fill = BufferFill::Random;
    P.Buffer.Low = Kind.Low;
    P.Buffer.High = Kind.High;
    if (R.chance(25)) {
      Parameter Pitch;
      Pitch.Name = "pitch" + std::to_string(I);
      Pitch.Type = "int";
      Pitch.Spelling = A.PitchText;
      Pitch.Value = emulator::ModuleArgument::value<int>(int(A.Pitch));
      A.PitchText = Pitch.Name;
      K.Parameters.push_back(std::move(Pitch));
    }
    Inputs.push_back(std::move(A));
  }
}

void Generator::addOutputs() {
  struct OutputKind {
    char Type;
    const char *Name;
    ElementType Element;
  };
  static const OutputKind Kinds[] = {
      {'f', "float", ElementType::F32},  {'f', "float", ElementType::F32},
      {'i', "int", ElementType::I32},    {'u', "unsigned", ElementType::I32},
      {'d', "double", ElementType::F64}, {'l', "long long", ElementType::I64}};
  // What a thread writes is reached through its parameter alone. Only so may
  // other loads become read-only ones.
  bool Restrict = R.chance(40);
  for (int I = 0, N = R.between(1, 3); I < N; ++I) {
    const OutputKind &Kind = Kinds[R.below(std::size(Kinds))];
    Output O{"out" + std::to_string(I), Kind.Type, R.pick({1u, 1u, 2u, 4u, 8u}),
             R.chance(50)};
    addBuffer(O.Name,
              std::string(Kind.Name) + (Restrict ? " *__restrict__ " : " *"),
              Kind.Element, uint64_t(Threads) * O.Slots);
    Outputs.push_back(std::move(O));
  }
  if (R.chance(35)) {
    Counters = "counters";
    addBuffer(Counters, Restrict ? "int *__restrict__ " : "int *",
              ElementType::I32, 16);
  }
  if (R.chance(15)) {
    Flags = "flags";
    addBuffer(Flags, "int *", ElementType::I32, K.Grid.count());
  }
}

void Generator::addScalars() {
  auto Add = [&](const std::string &Name, unsigned Value) {
    addInteger(Name, Value);
    Scalars.push_back({Name, Value});
  };
  for (int I = 0, N = R.between(1, 2); I < N; ++I)
    Add("n" + std::to_string(I), unsigned(R.between(1, 24)));
  if (R.chance(20)) {
    unsigned A = unsigned(R.between(1, 24)), B = unsigned(R.between(1, 24));
    Parameter P;
    P.Name = "settings";
    P.Type = "Settings";
    P.Value = emulator::ModuleArgument::value<uint64_t>(A | uint64_t(B) << 32);
    P.Spelling = formatv("Settings{{{0}, {1}u}", A, B);
    K.Parameters.push_back(std::move(P));
    Scalars.push_back({"settings.a", A});
    Scalars.push_back({"int(settings.b)", B});
  }
  if (R.chance(20)) {
    Template = "Q";
    TemplateValue = unsigned(R.between(1, 16));
    Scalars.push_back({Template, TemplateValue});
  }
}

Statement fuzz::declared(std::string Text) {
  Statement S(std::move(Text));
  S.Declares = true;
  return S;
}

/// A function with statements of its own: its one input is a row.
void Generator::addHelper() {
  Generator G(R.next(), K.Number, {});
  G.InHelper = true;
  G.Threads = Threads;
  G.BlockThreads = BlockThreads;
  Helper H;
  H.Name = formatv("h{0}_{1}", K.Number, Helpers.size());
  const Input &Model = R.pick(Inputs);
  H.Type = Model.Type;
  // A row has at least eight elements, and n is at most that.
  G.Inputs.push_back({"row", Model.Type, Model.As, 1, 8, "8"});
  G.Scalars.push_back({"n", 8});
  G.Variables = {{"u", 'u'}};
  HelperFunction F;
  F.Head = formatv("{0}MARKED __device__ {1}float {2}(const {3} *row, int n, "
                   "unsigned u)",
                   R.chance(20) ? "static " : "",
                   R.chance(50) ? "__attribute__((noinline)) "
                                : R.pick({"", "inline "}),
                   H.Name, Model.Type);
  F.Body.push_back(declared("float sum = 0;"));
  G.Variables.push_back({"sum", 'f'});
  Place P;
  P.Together = false; // who knows where it is called
  P.Depth = 2;
  P.Iterations = 4;
  G.statements(F.Body, P, unsigned(R.between(0, 2)));
  G.loop(F.Body, P);
  F.Body.push_back({"return bound(sum);"});
  K.Helpers.push_back(std::move(F));
  Helpers.push_back(std::move(H));
}

Statement Generator::earlyReturn() {
  Statement If;
  If.HasBody = true;
  If.Braces = R.chance(30);
  If.Body.push_back({"return;"});
  switch (R.below(4)) {
  case 0:
    If.Head = "if (blockIdx.x == 1)";
    break;
  case 1:
    If.Head = formatv("if (tid >= {0})", R.between(1, int(BlockThreads)));
    MayHaveReturned = true;
    break;
  case 2:
    If.Head =
        formatv("if (gid >= {0})", Threads - R.below(std::min(Threads, 70u)));
    MayHaveReturned = true;
    break;
  default:
    If.Head = "if (" + condition(false) + ")";
    MayHaveReturned = true;
    break;
  }
  return If;
}

Generator::Body Generator::prologue() {
  Body To;
  bool Plain = K.Block.Y == 1 && K.Block.Z == 1;
  To.push_back(declared(
      Plain ? "const int tid = threadIdx.x;"
            : "const int tid = threadIdx.x + blockDim.x * (threadIdx.y + "
              "blockDim.y * threadIdx.z);"));
  if (Plain && K.Grid.Y == 1)
    To.push_back(
        declared("const int gid = blockIdx.x * blockDim.x + threadIdx.x;"));
  else
    To.push_back(declared(formatv("const int gid = (blockIdx.x + gridDim.x * "
                                  "blockIdx.y) * {0} + tid;",
                                  BlockThreads)));
  Indices.push_back({"tid", BlockThreads, false});
  Indices.push_back({"gid", Threads, false});
  if (!Plain) {
    To.push_back(declared("const int col = blockIdx.x * blockDim.x + "
                          "threadIdx.x;"));
    To.push_back(declared("const int row = blockIdx.y * blockDim.y + "
                          "threadIdx.y;"));
    Indices.push_back({"col", K.Grid.X * K.Block.X, false});
    Indices.push_back({"row", K.Grid.Y * K.Block.Y, false});
  }
  if (R.chance(HasElements ? 55 : With.Shared ? 97 : With.Small ? 90 : 50)) {
    Shared = "shared";
    const char *Type = R.pick({"int", "float", "unsigned"});
    SharedType = Type[0];
    if (R.chance(30)) {
      // Declarations of one name in several kernels must agree.
      Shared += SharedType;
      K.DynamicSharedBytes = 4 * BlockThreads;
      To.push_back(
          declared(formatv("extern __shared__ {0} {1}[];", Type, Shared)));
    } else {
      To.push_back(
          declared(formatv("__shared__ {0} shared[{1}];", Type, BlockThreads)));
    }
  }
  // Who has returned signals nobody.
  if (Waits.empty() && !HasElements && R.chance(35))
    To.push_back(earlyReturn());
  static const char *const Types[] = {"float", "int", "unsigned", "double"};
  for (int I = 0, N = R.between(1, 3); I < N; ++I) {
    const char *Type = I == 0 ? "float" : R.pick(Types);
    std::string Name = fresh("v");
    To.push_back(
        declared(formatv("{0} {1} = {2};", Type, Name, R.between(0, 3))));
    Variables.push_back({Name, Type[0]});
  }
  if (!HasElements && R.chance(4)) {
    // What a claim of shared memory would change.
    std::string Name = fresh("v");
    To.push_back(declared(formatv("unsigned {0}; asm(\"mov.u32 %0, "
                                  "%%dynamic_smem_size;\" : \"=r\"({0}));",
                                  Name)));
    Variables.push_back({Name, 'u'});
  }
  return To;
}

/// Stores every variable.
Generator::Body Generator::epilogue() {
  Body To;
  for (const Variable &V : Variables) {
    const Output &O = R.pick(Outputs);
    bool ToInteger =
        (V.Type == 'f' || V.Type == 'd') && O.Type != 'f' && O.Type != 'd';
    std::string Value = ToInteger ? "int(bound(" + V.Name + "))" : V.Name;
    bool Unsigned = O.Type == 'i' || O.Type == 'u' || O.Type == 'l';
    // What an earlier one stored stays in the result.
    std::string Slot = O.Name + "[" + ownSlot(O) + "]";
    if (Unsigned)
      To.push_back(
          {formatv("{0} = unsigned({0}) * 3u + unsigned({1});", Slot, Value)});
    else
      To.push_back({formatv("{0} += {1};", Slot, Value)});
  }
  return To;
}

/// What clang has more instructions for than nvcc.
void Generator::packed(Body &To) {
  signedSums(To);
  packedIntegers(To);
  choices(To);
  busyCalls(To);
  constantCalls(To);
  copiedArrays(To);
  copiedSums(To);
  comparedBytes(To);
  roundedHalves(To);
  overwrittenStores(To);
  wideConstants(To);
  joinedConditions(To);
  loopConditions(To);
  joinedCases(To);
  smallArrays(To);
  pixel(To);
  doubleChoices(To);
  words(To);
  keptDivisors(To);
  searches(To);
  movedAddresses(To);
  guardedStores(To);
}

Kernel Generator::make() {
  chooseShape();
  addInputs();
  addOutputs();
  addScalars();
  if (With.Sums)
    addSums();
  if (With.Rows)
    addRows();
  if (With.Lines)
    addLines();
  if (With.Waits)
    addWaits();
  for (int I = 0, N = R.between(0, 2); I < N; ++I)
    addHelper();

  K.Head = formatv("{0}__global__ void {1}{2}",
                   Template.empty() ? "" : "template <int Q>\n",
                   R.chance(With.Small ? 60 : 15)
                       ? formatv("__launch_bounds__({0}) ", BlockThreads).str()
                       : "",
                   K.name());
  if (!Template.empty())
    K.TemplateArguments = formatv("<{0}>", TemplateValue);
  K.Body = prologue();
  Place P;
  if (HasElements) {
    elements(K.Body);
    append_range(K.Body, epilogue());
    return std::move(K);
  }
  if (!Waits.empty() && R.chance(50))
    waits(K.Body);
  statements(K.Body, P, unsigned(R.between(0, 2)));
  // At least one loop with reuse for all threads.
  loop(K.Body, P);
  for (int I = 0; With.Shared && I < 3; ++I)
    exchange(K.Body, P);
  if (!Overlapping.Name.empty())
    sums(K.Body);
  for (int I = 0, N = With.Decided ? R.between(1, 2) : 0; I < N; ++I)
    decidedLoop(K.Body);
  if (With.Decided) {
    tileLoops(K.Body);
    // By the number, so that other kernels are those of a seed as before.
    if (K.Number % 4 == 3 && !MayHaveReturned)
      digitCounts(K.Body);
  }
  if (With.Decided || With.Packed) {
    if (R.chance(60))
      tileSteps(K.Body);
    if (R.chance(60))
      constantStructs(K.Body);
  }
  if (!Rows.Type.empty())
    rows(K.Body);
  if (!LineData.Type.empty())
    lines(K.Body);
  if (With.Packed)
    packed(K.Body);
  if (With.Packed || With.Shared)
    nextLoads(K.Body);
  if (!Waits.empty() && !HasWaited)
    waits(K.Body);
  statements(K.Body, P, unsigned(R.between(0, 3)));
  if (With.Packed) {
    if (R.chance(50))
      window(K.Body);
    if (R.chance(40))
      twoWays(K.Body);
    // By the number, so that other kernels are those of a seed as before.
    if (K.Number % 4 == 1)
      chosenPlaces(K.Body);
    if (K.Number % 4 == 2)
      allButOne(K.Body);
  }
  Body End = epilogue();
  K.Body.insert(K.Body.end(), End.begin(), End.end());
  return std::move(K);
}
