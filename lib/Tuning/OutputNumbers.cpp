// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/OutputNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace sluice;

namespace {

using Append = void (*)(StringRef Element, std::vector<double> &To);

template <typename T> void append(StringRef Element, std::vector<double> &To) {
  To.push_back(
      double(support::endian::read<T, endianness::little>(Element.data())));
}

/// How each type is called, where, and how large it is.
struct TypeRow {
  NumberType Type;
  StringLiteral Name;
  StringLiteral Endings; ///< Of files, with a blank around each.
  StringLiteral Pointee; ///< As demanglers call it.
  unsigned Bytes;
  Append Read;
};

constexpr TypeRow Types[] = {
    {NumberType::Text, "text", " .txt .text .csv .tsv .json .out .log ", "", 0,
     nullptr},
    {NumberType::F32, "f32", " .f32 .float ", "float", 4, append<float>},
    {NumberType::F64, "f64", " .f64 .double ", "double", 8, append<double>},
    {NumberType::I8, "i8", " .i8 ", "signed char", 1, append<int8_t>},
    {NumberType::U8, "u8", " .u8 ", "unsigned char", 1, append<uint8_t>},
    {NumberType::I16, "i16", " .i16 ", "short", 2, append<int16_t>},
    {NumberType::U16, "u16", " .u16 ", "unsigned short", 2, append<uint16_t>},
    {NumberType::I32, "i32", " .i32 .int ", "int", 4, append<int32_t>},
    {NumberType::U32, "u32", " .u32 ", "unsigned int", 4, append<uint32_t>},
    {NumberType::I64, "i64", " .i64 ", "long", 8, append<int64_t>},
    {NumberType::U64, "u64", " .u64 ", "unsigned long", 8, append<uint64_t>},
};

} // namespace

std::optional<NumberType> sluice::parseNumberType(StringRef Name) {
  for (const TypeRow &Row : Types)
    if (Row.Name == Name)
      return Row.Type;
  return std::nullopt;
}

std::string sluice::numberTypes() {
  return join(map_range(Types, [](const TypeRow &Row) { return Row.Name; }),
              ", ");
}

std::optional<NumberType> sluice::numberTypeOfFile(StringRef Path) {
  const std::string Ending = (" " + sys::path::extension(Path).lower() + " ");
  for (const TypeRow &Row : Types)
    if (Row.Endings.contains(Ending))
      return Row.Type;
  return std::nullopt;
}

std::optional<NumberType> sluice::numberTypeOfPointer(StringRef Parameter) {
  Parameter.consume_back(" __restrict");
  if (!Parameter.consume_back("*"))
    return std::nullopt;
  for (StringRef Qualifier : {" volatile", " const"})
    Parameter.consume_back(Qualifier);
  // CUDA's vectors are made of such numbers.
  if (Parameter.size() > 1 && StringRef("234").contains(Parameter.back()) &&
      (Parameter.starts_with("float") || Parameter.starts_with("double")))
    Parameter = Parameter.drop_back();
  for (const TypeRow &Row : Types)
    if (!Row.Pointee.empty() && Row.Pointee == Parameter)
      return Row.Type;
  return std::nullopt;
}

std::optional<double> sluice::readOneNumber(StringRef Text) {
  Text = Text.trim();
  const std::string Terminated = Text.str();
  char *End = nullptr;
  const double Value = std::strtod(Terminated.c_str(), &End);
  if (Text.empty() || End != Terminated.c_str() + Terminated.size())
    return std::nullopt;
  return Value;
}

static std::vector<double> readText(StringRef Text) {
  std::vector<double> Numbers;
  while (!Text.empty()) {
    const size_t End = Text.find_first_of(" \t\r\n\v\f,;:=()[]{}<>|\"'");
    if (auto Value = readOneNumber(Text.take_front(End)))
      Numbers.push_back(*Value);
    Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 1);
  }
  return Numbers;
}

Expected<std::vector<double>> sluice::readNumbers(StringRef Bytes,
                                                  NumberType Type) {
  if (Type == NumberType::Text)
    return readText(Bytes);
  const TypeRow &Row =
      *find_if(Types, [&](const TypeRow &R) { return R.Type == Type; });
  if (Bytes.size() % Row.Bytes != 0)
    return createStringError(Twine(Bytes.size()) +
                             " bytes are no whole number of " + Row.Name);
  std::vector<double> Numbers;
  Numbers.reserve(Bytes.size() / Row.Bytes);
  for (; !Bytes.empty(); Bytes = Bytes.drop_front(Row.Bytes))
    Row.Read(Bytes, Numbers);
  return Numbers;
}
