// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/OutputNumbers.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace sluice;

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers(StringRef Text) {
  return cantFail(readNumbers(Text, NumberType::Text));
}

TEST(OutputNumbersTest, Text) {
  EXPECT_EQ(numbers("1 2.5\n-3e-2,+4;x=5:[6](.7)"),
            std::vector<double>({1, 2.5, -0.03, 4, 5, 6, 0.7}));
  EXPECT_EQ(numbers("inf -inf 1e-310 5"),
            std::vector<double>({Infinity, -Infinity, 1e-310, 5}));
  EXPECT_TRUE(std::isnan(numbers("-nan").front()));
  EXPECT_EQ(numbers("{\"sum\": \"8\"}"), std::vector<double>({8}));
}

TEST(OutputNumbersTest, WordsAreNoNumbers) {
  EXPECT_EQ(numbers("a1 sm_90 3ms 1.2.3 - + e5 x"), std::vector<double>());
  EXPECT_EQ(numbers(""), std::vector<double>());
}

template <typename T>
std::vector<double> elements(std::vector<T> Of, NumberType Type) {
  std::string Bytes(Of.size() * sizeof(T), '\0');
  std::memcpy(Bytes.data(), Of.data(), Bytes.size());
  return cantFail(readNumbers(Bytes, Type));
}

TEST(OutputNumbersTest, Elements) {
  EXPECT_EQ(elements<float>({1.5f, -2}, NumberType::F32),
            std::vector<double>({1.5, -2}));
  EXPECT_EQ(elements<double>({0.1}, NumberType::F64),
            std::vector<double>({0.1}));
  EXPECT_EQ(elements<uint8_t>({200}, NumberType::U8),
            std::vector<double>({200}));
  EXPECT_EQ(elements<int8_t>({-56}, NumberType::I8),
            std::vector<double>({-56}));
  EXPECT_EQ(elements<int16_t>({-2}, NumberType::I16),
            std::vector<double>({-2}));
  EXPECT_EQ(elements<uint16_t>({65534}, NumberType::U16),
            std::vector<double>({65534}));
  EXPECT_EQ(elements<int32_t>({-2}, NumberType::I32),
            std::vector<double>({-2}));
  EXPECT_EQ(elements<uint32_t>({~1U}, NumberType::U32),
            std::vector<double>({4294967294}));
  EXPECT_EQ(elements<int64_t>({-2}, NumberType::I64),
            std::vector<double>({-2}));
  EXPECT_EQ(elements<uint64_t>({1ULL << 40}, NumberType::U64),
            std::vector<double>({std::ldexp(1, 40)}));
}

TEST(OutputNumbersTest, PartOfAnElement) {
  EXPECT_EQ(toString(readNumbers("12345", NumberType::F32).takeError()),
            "5 bytes are no whole number of f32");
}

TEST(OutputNumbersTest, TypesOfFiles) {
  EXPECT_EQ(numberTypeOfFile("a/b.CSV"), NumberType::Text);
  EXPECT_EQ(numberTypeOfFile("b.f32"), NumberType::F32);
  EXPECT_EQ(numberTypeOfFile("b.double"), NumberType::F64);
  EXPECT_EQ(numberTypeOfFile("b.bin"), std::nullopt);
  EXPECT_EQ(numberTypeOfFile("b"), std::nullopt);
}

TEST(OutputNumbersTest, TypesOfPointers) {
  EXPECT_EQ(numberTypeOfPointer("float*"), NumberType::F32);
  EXPECT_EQ(numberTypeOfPointer("double const* __restrict"), NumberType::F64);
  EXPECT_EQ(numberTypeOfPointer("float4*"), NumberType::F32);
  EXPECT_EQ(numberTypeOfPointer("double2 const*"), NumberType::F64);
  EXPECT_EQ(numberTypeOfPointer("unsigned int*"), NumberType::U32);
  EXPECT_EQ(numberTypeOfPointer("unsigned char volatile*"), NumberType::U8);
  EXPECT_EQ(numberTypeOfPointer("Particle*"), std::nullopt);
  EXPECT_EQ(numberTypeOfPointer("float**"), std::nullopt);
  EXPECT_EQ(numberTypeOfPointer("float"), std::nullopt);
  EXPECT_EQ(numberTypeOfPointer("void*"), std::nullopt);
}

TEST(OutputNumbersTest, NamesOfTypes) {
  EXPECT_EQ(parseNumberType("u16"), NumberType::U16);
  EXPECT_EQ(parseNumberType("text"), NumberType::Text);
  EXPECT_EQ(parseNumberType(""), std::nullopt);
  EXPECT_EQ(numberTypes(),
            "text, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64");
}

TEST(OutputNumbersTest, OneNumber) {
  EXPECT_EQ(readOneNumber(" 0.25\n"), 0.25);
  EXPECT_EQ(readOneNumber("1 2"), std::nullopt);
  EXPECT_EQ(readOneNumber(""), std::nullopt);
  EXPECT_EQ(readOneNumber("none"), std::nullopt);
}

} // namespace
