// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;

std::string fuzz::mark(char Type, StringRef Expression) {
  return (Twine(OpenMark) + Twine(Type) + Expression + Twine(CloseMark)).str();
}

std::string fuzz::withoutMarks(StringRef Text) {
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == OpenMark)
      ++I; // and the type
    else if (Text[I] != CloseMark)
      Result += Text[I];
  }
  return Result;
}

namespace {

struct PreludePart {
  const char *Name; ///< Printed where this is mentioned.
  const char *Text;
};

} // namespace

// A recursion sleeps, so that it does not outgrow the stack while it waits.
// bound() keeps sums that are read again from growing to infinity, and a
// difference of infinities from being NaN, whose bits nobody promises. MARKED
// is for the row 'sfu', whose flags may define it.
static constexpr PreludePart Prelude[] = {
    {"MARKED", R"(
#ifdef SFU_MARKED
#define MARKED __attribute__((annotate("sluice:sfu=2")))
#else
#define MARKED
#endif
)"},
    {"table", R"(
__constant__ int table[16] = {3, -7, 12, 5, 0, 9, -2, 14,
                              8, 1, -11, 6, 4, 13, 2, -5};
)"},
    {"manyWords", R"(
__constant__ int manyWords[36] = {-45, 3, 24, 18, -15, 26, 40, 27, -13, 21, 28, 8,
    -39, -12, -12, -39, 8, 28, 21, -13, 27, 40, 26, -15,
    18, 24, 3, -45, -19, -20, -48, -2, 17, 9, -26, 13};
)"},
    {"Settings", R"(
struct Settings {
  int a;
  unsigned b;
};
)"},
    {"Colour", R"(
struct Colour {
  unsigned char x, y, z;
};
)"},
    {"Pixel", R"(
struct Pixel {
  unsigned char r, g, b, a;
  __device__ unsigned at(int i) const {
    return i == 0 ? r : i == 1 ? g : i == 2 ? b : a & 15;
  }
};
)"},
    {"Quad", R"(
struct alignas(4) Quad {
  unsigned char x, y, z, w;
};
)"},
    {"Point", R"(
struct Point {
  float x, y, z;
};
)"},
    {"Record", R"(
struct Record {
  unsigned x, y;
  unsigned long long z;
};
)"},
    {"bound", R"(
template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}
)"},
    {"sumOf", R"(
template <class T> __device__ float sumOf(const T *a, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += float(a[i]);
  return sum;
}
)"},
    {"stepSum", R"(
template <class T, int Step>
__device__ __attribute__((noinline)) float stepSum(const T *a, int n) {
  float sum = 0;
  for (int i = 0; i < n; i += Step)
    sum = sum * 0.5f + float(a[i]);
  return sum;
}
)"},
    {"addInto", R"(
template <class T> struct View {
  const T *data;
  int pitch;
  __device__ T at(int i) const { return data[i < pitch ? i : 0]; }
};
template <class T> __device__ void addInto(float &sum, View<T> view) {
  for (int i = 0; i < view.pitch; ++i)
    sum += float(view.at(i));
}
)"},
    {"pairOf", R"(
struct Pair {
  float sum;
  int count;
};
template <class T> __device__ Pair pairOf(const T *a, int n) {
  Pair pair = {0, 0};
  for (int i = 0; i < n; ++i) {
    pair.sum += float(a[i]);
    if (a[i] > T(0))
      ++pair.count;
  }
  return pair;
}
)"},
    {"anyAbove", R"(
template <class T> __device__ bool anyAbove(const T *a, int n, float limit) {
  for (int i = 0; i < n; ++i)
    if (float(a[i]) > limit)
      return true;
  return false;
}
)"},
    {"angleOf", R"(
struct Angle {
  float rest;
  int quarter;
};
static __device__ const unsigned angleWords[6] = {
    0x3c439041u, 0xdb629599u, 0xf534ddc0u, 0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
static __device__ __attribute__((noinline)) float farRest(int word) {
  return float(word) * 0x1p-31f;
}
template <int Turn> __device__ inline Angle angleOf(float x) {
  if ((x < 0 ? -x : x) < 0.5f)
    return {x * 0.5f, int(x * 8) + Turn};
  if (x > 64)
    return {0, Turn};
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  unsigned words[7], carry = 0;
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    const unsigned long long product =
        (unsigned long long)angleWords[i] * (bits << 8 | 0x80000000u) + carry;
    words[i] = unsigned(product);
    carry = unsigned(product >> 32);
  }
  words[6] = carry;
  const unsigned d = bits >> 22 & 3;
  const unsigned last = bits & 0x4000 ? words[4 - d] : 0;
  return {farRest(words[6 - d] ^ last), int(words[5 - d] >> 29) + Turn};
}
)"},
    {"meet", R"(
__device__ __attribute__((noinline)) void meet() { __syncthreads(); }
)"},
    {"awaitFlag", R"(
__device__ __attribute__((noinline)) void awaitFlag(int *flag, int value) {
  while (atomicAdd(flag, 0) < value)
    ;
}
)"},
    {"awaitInline", R"(
__device__ inline void awaitInline(int *flag, int value) {
  bool come[2] = {};
  while (!come[value & 1])
    if (*(volatile int *)flag >= value)
      come[value & 1] = true;
}
)"},
    {"hasCome", R"(
__device__ __attribute__((noinline)) bool hasCome(int *flag, int value) {
  return *(volatile int *)flag >= value;
}
)"},
    {"lookAt", R"(
__device__ __attribute__((noinline)) void lookAt(int *flag, int value,
                                                 bool &come) {
  if (atomicAdd(flag, 0) >= value)
    come = true;
}
)"},
    {"Gate", R"(
struct Gate {
  int *flag;
  int value;
  __device__ bool isOpen() const { return atomicAdd(flag, 0) >= value; }
  __device__ __attribute__((noinline)) void pass() const {
    while (!isOpen())
      ;
  }
};
)"},
    {"Flag", R"(
struct Flag {
  int come;
};
)"},
    {"awaitAgain", R"(
__device__ __attribute__((noinline)) void awaitAgain(int *flag, int value) {
  if (atomicAdd(flag, 0) >= value)
    return;
  __nvvm_nanosleep(20);
  awaitAgain(flag, value);
}
)"},
    {"awaitDeep", R"(
__device__ __attribute__((noinline)) int awaitDeep(int *flag, int value,
                                                   int salt) {
  if (atomicAdd(flag, 0) >= value)
    return salt;
  __nvvm_nanosleep(20);
  return awaitDeep(flag, value, salt) == salt ? salt : 0;
}
)"},
    {"awaitEven", R"(
__device__ void awaitEven(int *flag, int value);
__device__ __attribute__((noinline)) void awaitOdd(int *flag, int value) {
  if (*(volatile int *)flag >= value)
    return;
  __nvvm_nanosleep(20);
  awaitEven(flag, value);
}
__device__ __attribute__((noinline)) void awaitEven(int *flag, int value) {
  if (*(volatile int *)flag >= value)
    return;
  __nvvm_nanosleep(20);
  awaitOdd(flag, value);
}
)"},
    {"SUM_OF", R"(
#define SUM_OF(SUM, A, N)                                                      \
  for (int m = 0; m < (N); ++m)                                                \
  SUM += float((A)[m])
)"},
};

bool fuzz::mentions(StringRef Text, StringRef Name) {
  auto IsPart = [](char C) { return isAlnum(C) || C == '_'; };
  for (size_t At = 0; (At = Text.find(Name, At)) != StringRef::npos; ++At) {
    StringRef After = Text.drop_front(At + Name.size());
    if ((At == 0 || !IsPart(Text[At - 1])) &&
        (After.empty() || !IsPart(After.front())))
      return true;
  }
  return false;
}

//===- Printing -----------------------------------------------------------===//

namespace {

class Printer {
public:
  explicit Printer(raw_ostream &OS) : OS(OS) {}

  void print(ArrayRef<Statement> Statements) {
    for (const Statement &S : Statements)
      print(S);
  }

  unsigned Depth = 1;

private:
  void print(const Statement &S);
  /// Returns whether there were braces.
  bool printBody(ArrayRef<Statement> Body, bool Braces);
  raw_ostream &line() { return OS.indent(2 * Depth); }

  raw_ostream &OS;
};

} // namespace

/// Is there an else in \p S?
static bool hasElse(const Statement &S) {
  return !S.Else.empty() || any_of(S.Body, hasElse);
}

bool Printer::printBody(ArrayRef<Statement> Body, bool Braces) {
  Braces |= Body.size() != 1 || Body[0].Declares;
  OS << (Braces ? " {\n" : "\n");
  ++Depth;
  print(Body);
  --Depth;
  if (Braces)
    line() << "}";
  return Braces;
}

void Printer::print(const Statement &S) {
  std::string Head = withoutMarks(S.Head);
  // A pragma has its line.
  auto [Pragma, Rest] = StringRef(Head).split('\n');
  if (!Rest.empty())
    line() << Pragma << "\n";
  line() << (Rest.empty() ? Pragma : Rest);
  if (!S.HasBody) {
    OS << "\n";
    return;
  }
  // An if without braces would take the else of the one around it.
  const bool MixesElses = any_of(S.Body, [&](const Statement &B) {
    return S.Else.empty() ? hasElse(B) : B.HasBody;
  });
  bool Braces = printBody(S.Body, S.Braces || !S.Tail.empty() || MixesElses);
  if (!S.Else.empty()) {
    if (Braces)
      OS << " else";
    else
      line() << "else";
    Braces = printBody(S.Else, S.Braces);
  }
  OS << withoutMarks(S.Tail) << (Braces ? "\n" : "");
}

static void printParameters(const Kernel &K, raw_ostream &OS) {
  ListSeparator Comma;
  for (const Parameter &P : K.Parameters)
    OS << Comma << P.Type << (P.isBuffer() ? "" : " ") << P.Name;
}

static void printKernel(const Kernel &K, raw_ostream &OS) {
  Printer Statements(OS);
  for (const HelperFunction &F : K.Helpers) {
    OS << "\n" << F.Head << " {\n";
    Statements.print(F.Body);
    OS << "}\n";
  }
  OS << "\n" << K.Head << "(";
  printParameters(K, OS);
  OS << ") {\n";
  Statements.print(K.Body);
  OS << "}\n\n";

  OS << "void launch" << K.Number << "(";
  ListSeparator Comma;
  for (const Parameter &P : K.Parameters)
    if (P.isBuffer())
      OS << Comma << P.Type << P.Name;
  OS << ") {\n  " << K.name() << K.TemplateArguments << "<<<dim3(" << K.Grid.X
     << ", " << K.Grid.Y << ", " << K.Grid.Z << "), dim3(" << K.Block.X << ", "
     << K.Block.Y << ", " << K.Block.Z << ")";
  if (K.DynamicSharedBytes)
    OS << ", " << K.DynamicSharedBytes;
  OS << ">>>(";
  ListSeparator Between;
  for (const Parameter &P : K.Parameters)
    OS << Between << (P.isBuffer() ? P.Name : P.Spelling);
  OS << ");\n}\n";
}

std::string fuzz::printSource(ArrayRef<Kernel> Kernels) {
  std::string Source, Parts;
  raw_string_ostream OS(Source);
  for (const Kernel &K : Kernels)
    printKernel(K, OS);
  for (const PreludePart &Part : Prelude)
    if (mentions(Source, Part.Name))
      Parts += StringRef(Part.Text).drop_front();
  return Parts + Source;
}

emulator::ModuleDescription
fuzz::describe(ArrayRef<Kernel> Kernels,
               function_ref<std::string(const Kernel &)> Mangled) {
  emulator::ModuleDescription Result;
  for (const Kernel &K : Kernels) {
    emulator::ModuleLaunch Launch;
    Launch.Kernel = Mangled(K);
    Launch.Shape.Grid = K.Grid;
    Launch.Shape.Block = K.Block;
    Launch.Shape.DynamicSharedBytes = K.DynamicSharedBytes;
    for (const Parameter &P : K.Parameters) {
      if (!P.isBuffer()) {
        Launch.Arguments.push_back(P.Value);
        continue;
      }
      if (P.SameAs.empty()) {
        Result.Buffers.push_back(P.Buffer);
        Result.Buffers.back().Name = K.bufferName(P);
      }
      Launch.Arguments.push_back(
          emulator::ModuleArgument::buffer(K.bufferName(P)));
    }
    Result.Launches.push_back(std::move(Launch));
  }
  return Result;
}
