// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;
using emulator::BufferFill;
using emulator::ElementType;

/// Before each line of the description, and before the command's parts.
static constexpr StringLiteral DescriptionMark = "//! ";
static constexpr StringLiteral FlagsMark = "// FLAGS: ";
static constexpr StringLiteral TransformMark = "// TRANSFORM: ";
static constexpr StringLiteral ScheduleMark = "// SCHEDULE: ";

static StringRef nameOf(ElementType T) {
  static constexpr StringLiteral Names[] = {"i8",  "i16", "i32",
                                            "i64", "f32", "f64"};
  return Names[unsigned(T)];
}

static StringRef nameOf(BufferFill F) {
  static constexpr StringLiteral Names[] = {"uninitialised", "zero", "iota",
                                            "random"};
  return Names[unsigned(F)];
}

static std::string sizes(const emulator::Dim3 &D) {
  return formatv("[{0}, {1}, {2}]", D.X, D.Y, D.Z);
}

static void writeDescription(const Kernel &K, raw_ostream &OS) {
  OS << DescriptionMark << "buffers:\n";
  for (const Parameter &P : K.Parameters) {
    if (!P.isBuffer() || !P.SameAs.empty())
      continue;
    const emulator::ModuleBuffer &B = P.Buffer;
    OS << DescriptionMark
       << formatv("  - {{ name: {0}, type: {1}, elements: {2}, fill: {3}",
                  P.Name, nameOf(B.Type), B.Elements, nameOf(B.Fill));
    if (B.Fill == BufferFill::Random)
      OS << formatv(", low: {0}, high: {1}, seed: {2}", B.Low, B.High, B.Seed);
    OS << " }\n";
  }
  // The mangled name is looked up by what it contains.
  OS << DescriptionMark << "launches:\n"
     << DescriptionMark
     << formatv("  - {{ kernel: {0}, grid: {1}, block: {2},\n", K.name(),
                sizes(K.Grid), sizes(K.Block))
     << DescriptionMark << "      ";
  if (K.DynamicSharedBytes)
    OS << formatv("shared: {0}, ", K.DynamicSharedBytes);
  OS << "arguments: [";
  ListSeparator Comma;
  for (const Parameter &P : K.Parameters)
    OS << Comma
       << (!P.isBuffer()      ? "bytes " + toHex(P.Value.Value, true)
           : P.SameAs.empty() ? P.Name
                              : P.SameAs);
  OS << "] }\n";
}

std::string fuzz::writeCase(const Kernel &K, const Settings &How,
                            const KernelResult &Result, StringRef Origin) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "// Found by sluice-fuzz (" << Origin
     << "): " << fuzz::nameOf(Result.Found) << ".\n";
  SmallVector<StringRef, 16> Lines;
  StringRef(Result.Details).trim().split(Lines, '\n');
  for (StringRef Line : ArrayRef(Lines).take_front(12))
    OS << "//   " << Line << "\n";
  OS << "//\n// RUN: %sluice-fuzz --check %s\n//\n";
  OS << FlagsMark << join(How.Flags, " ") << "\n"
     << TransformMark << join(How.TransformFlags, " ") << "\n"
     << ScheduleMark << How.Schedule << "\n";
  writeDescription(K, OS);
  OS << "\n" << StringRef(printSource(K)).ltrim('\n');
  return Text;
}

Expected<Case> fuzz::readCase(StringRef Path, StringRef Text) {
  Case Result;
  std::string YAML;
  for (StringRef Line : split(Text, '\n')) {
    SmallVector<StringRef, 8> Words;
    if (Line.consume_front(FlagsMark)) {
      Line.split(Words, ' ', -1, /*KeepEmpty=*/false);
      Result.How.Flags.assign(Words.begin(), Words.end());
    } else if (Line.consume_front(TransformMark)) {
      Line.split(Words, ' ', -1, /*KeepEmpty=*/false);
      Result.How.TransformFlags.assign(Words.begin(), Words.end());
    } else if (Line.consume_front(ScheduleMark)) {
      if (Line.trim().getAsInteger(10, Result.How.Schedule))
        return createStringError("%s: '%s' is not a number", Path.str().c_str(),
                                 Line.str().c_str());
    } else if (Line.consume_front(DescriptionMark)) {
      YAML += Line;
    }
    // Lines keep their numbers.
    YAML += '\n';
  }
  auto Description =
      emulator::readModuleDescription(MemoryBufferRef(YAML, Path));
  if (!Description)
    return Description.takeError();
  Result.Description = std::move(*Description);
  return Result;
}
