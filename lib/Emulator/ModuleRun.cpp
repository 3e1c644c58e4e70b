// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host program in data: the description's buffers are allocated and filled,
// its launches made, and what the buffers then hold is the result.

#include "sluice/Emulator/ModuleRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/YAMLTraits.h"
#include <cstring>
#include <map>
#include <random>

using namespace sluice::emulator;
using namespace llvm;

static unsigned bytesOf(ElementType T) {
  switch (T) {
  case ElementType::I8:
    return 1;
  case ElementType::I16:
    return 2;
  case ElementType::I32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  llvm_unreachable("all types are above");
}

uint64_t ModuleBuffer::bytes() const { return Elements * bytesOf(Type); }

ModuleArgument ModuleArgument::buffer(StringRef Name) {
  ModuleArgument A;
  A.Buffer = Name.str();
  return A;
}

//===- The description in YAML --------------------------------------------===//

static std::optional<ElementType> parseType(StringRef Text) {
  return StringSwitch<std::optional<ElementType>>(Text)
      .Case("i8", ElementType::I8)
      .Case("i16", ElementType::I16)
      .Case("i32", ElementType::I32)
      .Case("i64", ElementType::I64)
      .Case("f32", ElementType::F32)
      .Case("f64", ElementType::F64)
      .Default(std::nullopt);
}

// A number as the element type has it, in memory order.
template <class T>
static void append(SmallVectorImpl<uint8_t> &Bytes, T Value) {
  auto *Begin = reinterpret_cast<const uint8_t *>(&Value);
  Bytes.append(Begin, Begin + sizeof(T));
}

// "i32 7", "f64 1.5", "bytes 01ff". False if it is none.
static bool parseValue(StringRef Text, SmallVectorImpl<uint8_t> &Bytes) {
  auto [Kind, Value] = Text.split(' ');
  Value = Value.trim();
  if (Kind == "bytes") {
    std::string Raw;
    if (Value.empty() || Value.size() % 2 || !tryGetFromHex(Value, Raw))
      return false;
    Bytes.append(Raw.begin(), Raw.end());
    return true;
  }
  std::optional<ElementType> Type = parseType(Kind);
  if (!Type)
    return false;
  if (*Type == ElementType::F32 || *Type == ElementType::F64) {
    double Number;
    if (Value.getAsDouble(Number))
      return false;
    if (*Type == ElementType::F32)
      append(Bytes, float(Number));
    else
      append(Bytes, Number);
    return true;
  }
  APInt Number;
  bool Negative = Value.consume_front("-");
  if (Value.getAsInteger(0, Number) || Number.getActiveBits() > 64)
    return false;
  const unsigned Bits = 8 * bytesOf(*Type);
  // Both -1 and 255 are i8's; 256 and -129 are not.
  uint64_t Limit = Negative ? uint64_t(1) << (Bits - 1) : maxUIntN(Bits);
  uint64_t Magnitude = Number.getZExtValue();
  if (Magnitude > Limit)
    return false;
  uint64_t Stored = Negative ? -Magnitude : Magnitude;
  auto *Begin = reinterpret_cast<const uint8_t *>(&Stored);
  Bytes.append(Begin, Begin + Bits / 8);
  return true;
}

namespace llvm::yaml {

template <> struct ScalarEnumerationTraits<ElementType> {
  static void enumeration(IO &YAML, ElementType &Value) {
    YAML.enumCase(Value, "i8", ElementType::I8);
    YAML.enumCase(Value, "i16", ElementType::I16);
    YAML.enumCase(Value, "i32", ElementType::I32);
    YAML.enumCase(Value, "i64", ElementType::I64);
    YAML.enumCase(Value, "f32", ElementType::F32);
    YAML.enumCase(Value, "f64", ElementType::F64);
  }
};

template <> struct ScalarEnumerationTraits<BufferFill> {
  static void enumeration(IO &YAML, BufferFill &Value) {
    YAML.enumCase(Value, "uninitialised", BufferFill::Uninitialised);
    YAML.enumCase(Value, "zero", BufferFill::Zero);
    YAML.enumCase(Value, "iota", BufferFill::Iota);
    YAML.enumCase(Value, "random", BufferFill::Random);
  }
};

template <> struct MappingTraits<ModuleBuffer> {
  static void mapping(IO &YAML, ModuleBuffer &B) {
    YAML.mapRequired("name", B.Name);
    YAML.mapRequired("type", B.Type);
    YAML.mapRequired("elements", B.Elements);
    YAML.mapOptional("fill", B.Fill);
    YAML.mapOptional("low", B.Low);
    YAML.mapOptional("high", B.High);
    YAML.mapOptional("seed", B.Seed);
    YAML.mapOptional("order-dependent", B.OrderDependent);
  }
  static std::string validate(IO &, ModuleBuffer &B) {
    // 2^40 bytes are beyond the address window; no product above overflows.
    if (!B.Elements || B.Elements > (uint64_t(1) << 36))
      return "buffer '" + B.Name + "' has " + std::to_string(B.Elements) +
             " elements; from 1 to 2^36 are possible";
    if (!(B.Low <= B.High) && B.Fill == BufferFill::Random)
      return "buffer '" + B.Name + "': low is above high";
    return "";
  }
};

template <> struct ScalarTraits<ModuleArgument> {
  static void output(const ModuleArgument &, void *, raw_ostream &) {
    llvm_unreachable("descriptions are only read");
  }
  static StringRef input(StringRef Text, void *Context, ModuleArgument &A) {
    if (Text.contains(';')) {
      for (StringRef Part : split(Text, ';'))
        if (StringRef Problem =
                input(Part.trim(), Context, A.Parts.emplace_back());
            !Problem.empty())
          return Problem;
      return "";
    }
    if (!Text.contains(' ')) {
      A.Buffer = Text.str();
      return Text.empty() ? "an argument must not be empty" : "";
    }
    if (!parseValue(Text, A.Value))
      return "an argument is a buffer's name, or a type and a value that fits "
             "it: i8, i16, i32, i64, f32, f64 and a number, bytes and hex "
             "digits; parts of a struct are joined with ';'";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

} // namespace llvm::yaml

LLVM_YAML_IS_SEQUENCE_VECTOR(ModuleBuffer)
LLVM_YAML_IS_SEQUENCE_VECTOR(ModuleLaunch)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(ModuleArgument)

namespace llvm::yaml {

// One to three sizes; those left out are 1.
static void mapShape(IO &YAML, const char *Key, Dim3 &Shape) {
  std::vector<unsigned> Sizes;
  YAML.mapRequired(Key, Sizes);
  unsigned *Into[] = {&Shape.X, &Shape.Y, &Shape.Z};
  if (Sizes.empty() || Sizes.size() > 3)
    YAML.setError(Twine(Key) + " has from one to three sizes");
  else
    for (auto [To, Size] : zip(Into, Sizes))
      *To = Size;
}

template <> struct MappingTraits<ModuleLaunch> {
  static void mapping(IO &YAML, ModuleLaunch &L) {
    YAML.mapRequired("kernel", L.Kernel);
    mapShape(YAML, "grid", L.Shape.Grid);
    mapShape(YAML, "block", L.Shape.Block);
    YAML.mapOptional("shared", L.Shape.DynamicSharedBytes);
    YAML.mapOptional("cooperative", L.Shape.Cooperative);
    YAML.mapOptional("sms", L.Shape.SMs);
    YAML.mapOptional("carveout", L.Shape.CarveoutPercent);
    YAML.mapOptional("arguments", L.Arguments);
  }
};

template <> struct MappingTraits<ModuleDescription> {
  static void mapping(IO &YAML, ModuleDescription &D) {
    YAML.mapOptional("buffers", D.Buffers);
    YAML.mapRequired("launches", D.Launches);
  }
};

} // namespace llvm::yaml

Expected<ModuleDescription>
sluice::emulator::readModuleDescription(MemoryBufferRef Text) {
  struct FirstError {
    StringRef Name;
    std::string Text;
  } First{Text.getBufferIdentifier(), {}};
  auto Keep = [](const SMDiagnostic &D, void *Context) {
    auto &First = *static_cast<FirstError *>(Context);
    if (First.Text.empty())
      First.Text =
          (First.Name + ":" + Twine(std::max(D.getLineNo(), 1)) + ":" +
           Twine(std::max(D.getColumnNo() + 1, 1)) + ": " + D.getMessage())
              .str();
  };
  ModuleDescription Description;
  yaml::Input YAML(Text.getBuffer(), /*Ctxt=*/nullptr, Keep, &First);
  YAML >> Description;
  if (First.Text.empty() && (YAML.error() || Description.Launches.empty()))
    First.Text = (First.Name + ":1:1: no launches here").str();
  if (!First.Text.empty())
    return createStringError(First.Text);
  return Description;
}

//===- Running ------------------------------------------------------------===//

namespace {

// The same numbers on every machine, which std's distributions do not promise.
double uniform(std::mt19937_64 &Generator, double Low, double High) {
  return Low + (High - Low) * (double(Generator() >> 11) * 0x1p-53);
}

template <class T> void fillAs(const ModuleBuffer &B, void *To) {
  auto *Elements = static_cast<T *>(To);
  std::mt19937_64 Generator(B.Seed);
  for (uint64_t I = 0; I < B.Elements; ++I) {
    double V =
        B.Fill == BufferFill::Iota ? B.Low + double(I)
        : B.Fill == BufferFill::Random
            ? uniform(Generator, B.Low, B.High + !std::is_floating_point_v<T>)
            : 0;
    if constexpr (std::is_floating_point_v<T>)
      Elements[I] = T(V);
    else
      Elements[I] = T(int64_t(std::floor(V)));
  }
}

void fill(const ModuleBuffer &B, void *To) {
  switch (B.Type) {
  case ElementType::I8:
    return fillAs<int8_t>(B, To);
  case ElementType::I16:
    return fillAs<int16_t>(B, To);
  case ElementType::I32:
    return fillAs<int32_t>(B, To);
  case ElementType::I64:
    return fillAs<int64_t>(B, To);
  case ElementType::F32:
    return fillAs<float>(B, To);
  case ElementType::F64:
    return fillAs<double>(B, To);
  }
}

} // namespace

static std::vector<uint8_t> bytesOf(const Allocation &A) {
  auto *Bytes = static_cast<const uint8_t *>(A.host());
  return {Bytes, Bytes + A.bytes()};
}

using BuffersByName = std::map<std::string, Allocation *>;

static Error appendArgument(const ModuleArgument &A,
                            const BuffersByName &Buffers,
                            SmallVectorImpl<uint8_t> &Bytes) {
  for (const ModuleArgument &Part : A.Parts)
    if (Error E = appendArgument(Part, Buffers, Bytes))
      return E;
  if (!A.Parts.empty())
    return Error::success();
  Bytes.append(A.Value.begin(), A.Value.end());
  if (A.Buffer.empty())
    return Error::success();
  auto It = Buffers.find(A.Buffer);
  if (It == Buffers.end())
    return createStringError("there is no buffer '" + A.Buffer + "'");
  append(Bytes, It->second->Begin);
  return Error::success();
}

Expected<ModuleResult>
sluice::emulator::runModule(StringRef Module,
                            const ModuleDescription &Description,
                            const EmulatorOptions &Options) {
  Device D(Options);
  unsigned Image = D.registerImage(Module);
  BuffersByName Buffers;
  for (const ModuleBuffer &B : Description.Buffers) {
    Allocation *A =
        D.memory().allocate(B.bytes(), MemoryKind::Device, HostPlace());
    if (!A)
      return createStringError("no memory is left for buffer '" + B.Name + "'");
    if (!Buffers.emplace(B.Name, A).second)
      return createStringError("there are two buffers '" + B.Name + "'");
    if (B.Fill == BufferFill::Uninitialised)
      continue;
    fill(B, A->host());
    D.memory().markWritten(A->Begin, B.bytes());
  }

  ModuleResult Result;
  for (const ModuleLaunch &L : Description.Launches) {
    auto Kernel = D.kernel(Image, L.Kernel);
    if (!Kernel)
      return Kernel.takeError();
    const std::vector<unsigned> &Sizes = (*Kernel)->ParameterBytes;
    if (Sizes.size() != L.Arguments.size())
      return createStringError("kernel '%s' has %zu parameters, not %zu",
                               L.Kernel.c_str(), Sizes.size(),
                               L.Arguments.size());
    std::vector<SmallVector<uint8_t, 8>> Values;
    for (auto [Index, Argument, Size] : enumerate(L.Arguments, Sizes)) {
      SmallVector<uint8_t, 8> Value;
      if (Error E = appendArgument(Argument, Buffers, Value))
        return E;
      if (Value.size() != Size)
        return createStringError(
            "kernel '%s': parameter %zu has %u bytes, its argument %zu",
            L.Kernel.c_str(), Index + 1, Size, Value.size());
      Values.push_back(std::move(Value));
    }
    std::vector<void *> Pointers;
    Pointers.reserve(Values.size());
    for (SmallVector<uint8_t, 8> &Value : Values)
      Pointers.push_back(Value.data());
    Result.Launches.push_back(
        D.launch(**Kernel, L.Shape, Pointers.data(), HostPlace()));
  }

  for (const ModuleBuffer &B : Description.Buffers)
    Result.Buffers.push_back(
        {B.Name, B.OrderDependent, bytesOf(*Buffers[B.Name])});
  for (const Allocation *A : D.memory().live())
    if (A->Kind == MemoryKind::Variable && !A->ReadOnly)
      Result.Buffers.push_back({"variable " + A->Name, false, bytesOf(*A)});
  D.finish();
  Result.Counts = D.counts();
  return Result;
}
