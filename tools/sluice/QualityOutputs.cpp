// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "QualityOutputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <set>

using namespace llvm;
using namespace sluice;

//===- Names --------------------------------------------------------------===//

/// Takes ":TYPE" from the end of \p Text.
static std::optional<NumberType> takeType(StringRef &Text) {
  auto [Rest, Name] = Text.rsplit(':');
  auto Type = Rest.empty() ? std::nullopt : parseNumberType(Name);
  if (Type)
    Text = Rest;
  return Type;
}

Expected<NamedOutput> sluice::parseOutputFile(StringRef Text) {
  NamedOutput Output;
  StringRef Path = Text;
  Output.Type = takeType(Path);
  Output.Text = Path.str();
  if (Path == "-") {
    Output.Of = NamedOutput::Printed;
    Output.Text = "what the program prints";
    if (Output.Type.value_or(NumberType::Text) != NumberType::Text)
      return createStringError("--output-file=" + Text +
                               ": what is printed is text");
    Output.Type = NumberType::Text;
    return Output;
  }
  if (!Output.Type)
    Output.Type = numberTypeOfFile(Path);
  if (!Output.Type)
    return createStringError("--output-file=" + Text +
                             ": what is in it? Write --output-file=" + Text +
                             ":TYPE, where TYPE is one of " + numberTypes());
  return Output;
}

Expected<NamedOutput> sluice::parseOutputBuffer(StringRef Text) {
  NamedOutput Output;
  StringRef Name = Text;
  Output.Type = takeType(Name);
  Output.Text = Name.str();
  const size_t Colon = Name.rfind(':');
  if (Output.Type == NumberType::Text)
    return createStringError("--output-buffer=" + Text +
                             ": a buffer holds no text");
  if (Colon == StringRef::npos || Name.take_front(Colon).ends_with(":")) {
    Output.Of = NamedOutput::Variable;
    if (!Output.Type || Name.empty())
      return createStringError(
          "--output-buffer=" + Text +
          ": KERNEL:ARGUMENT is expected, such as forces:1, or VARIABLE:TYPE, "
          "where TYPE is one of " +
          numberTypes());
    return Output;
  }
  Output.Of = NamedOutput::Buffer;
  Output.Kernel = Name.take_front(Colon).str();
  Output.Argument = Name.drop_front(Colon + 1).str();
  if (Output.Kernel.empty() || Output.Argument.empty())
    return createStringError("--output-buffer=" + Text +
                             ": KERNEL:ARGUMENT is expected, such as forces:1");
  return Output;
}

using DemangledText = char *(ItaniumPartialDemangler::*)(char *,
                                                         size_t *) const;

/// Empty: \p Mangled is no function's mangled name.
static std::string demangled(StringRef Mangled, DemangledText What) {
  const std::string Name = Mangled.str(); // the demangler keeps parts of it
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Name.c_str()) || !Demangler.isFunction())
    return "";
  char *Text = (Demangler.*What)(nullptr, nullptr);
  std::string Result = Text ? Text : "";
  std::free(Text);
  return Result;
}

bool sluice::isNameOf(StringRef Name, StringRef Mangled) {
  if (Name == Mangled)
    return true;
  const std::string Qualified =
      demangled(Mangled, &ItaniumPartialDemangler::getFunctionName);
  return !Qualified.empty() &&
         (Name == Qualified || Name == StringRef(Qualified).split('<').first ||
          Name == demangled(Mangled,
                            &ItaniumPartialDemangler::getFunctionBaseName));
}

/// The type of parameter \p Index, as a demangler writes it; empty: unknown.
static std::string parameterType(StringRef Mangled, unsigned Index) {
  const std::string All =
      demangled(Mangled, &ItaniumPartialDemangler::getFunctionParameters);
  std::vector<std::string> Types(1);
  unsigned Depth = 0;
  for (char C : All) {
    if (C == ')' || C == '>')
      --Depth;
    if (Depth == 1 && C == ',')
      Types.emplace_back();
    else if (Depth > 0)
      Types.back() += C;
    if (C == '(' || C == '<')
      ++Depth;
  }
  return Index < Types.size() ? StringRef(Types[Index]).trim().str() : "";
}

//===- Numbers ------------------------------------------------------------===//

static Expected<std::vector<double>> readAs(const NamedOutput &Output,
                                            StringRef Bytes, NumberType Type) {
  auto Numbers = readNumbers(Bytes, Type);
  if (!Numbers)
    return createStringError("'" + Output.Text +
                             "': " + toString(Numbers.takeError()));
  if (Numbers->empty())
    return createStringError("'" + Output.Text + "' has no numbers in it");
  return Numbers;
}

static Expected<std::vector<double>> readFile(const NamedOutput &Output,
                                              StringRef Path) {
  auto Bytes = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return createStringError("cannot read the output '" + Output.Text +
                             "': " + Bytes.getError().message());
  return readAs(Output, (*Bytes)->getBuffer(), *Output.Type);
}

static StringRef bytesOf(const emulator::BufferContents &B) {
  return toStringRef(B.Bytes);
}

static bool isArgument(StringRef Name, const emulator::BufferUse &Use) {
  return Name == std::to_string(Use.Index) ||
         (!Use.Parameter.empty() && Name == Use.Parameter);
}

/// What might have been meant.
static std::string writtenBuffers(const LeftByRun &Left) {
  std::set<std::string> Names;
  for (const emulator::BufferContents &B : Left.Buffers)
    for (const emulator::BufferUse &Use : B.Uses)
      if (Use.MayWrite) {
        const std::string Kernel =
            demangled(Use.Kernel, &ItaniumPartialDemangler::getFunctionName);
        Names.insert((Kernel.empty() ? Use.Kernel : Kernel) + ":" +
                     (Use.Parameter.empty() ? std::to_string(Use.Index)
                                            : Use.Parameter));
      }
  return Names.empty() ? "no kernel writes to a buffer"
                       : "kernels write to " + join(Names, ", ");
}

static Expected<std::vector<double>> readBuffers(const NamedOutput &Output,
                                                 const LeftByRun &Left) {
  std::vector<double> All;
  bool IsThere = false;
  for (const emulator::BufferContents &B : Left.Buffers) {
    const auto Use = find_if(B.Uses, [&](const emulator::BufferUse &U) {
      return isNameOf(Output.Kernel, U.Kernel) &&
             isArgument(Output.Argument, U);
    });
    if (Use == B.Uses.end())
      continue;
    IsThere = true;
    const std::string Parameter = parameterType(Use->Kernel, Use->Index);
    const auto Type =
        Output.Type ? Output.Type : numberTypeOfPointer(Parameter);
    if (!Type)
      return createStringError(
          "--output-buffer=" + Output.Text + ": what is in it? " +
          (Parameter.empty() ? Twine("The kernel's name does not say")
                             : "'" + Twine(Parameter) + "' does not say") +
          "; write --output-buffer=" + Output.Text +
          ":TYPE, where TYPE is one of " + numberTypes());
    auto Numbers = readAs(Output, bytesOf(B), *Type);
    if (!Numbers)
      return Numbers.takeError();
    append_range(All, *Numbers);
  }
  if (!IsThere)
    return createStringError("--output-buffer=" + Output.Text +
                             ": no launch has it as an argument; " +
                             writtenBuffers(Left));
  return All;
}

static Expected<std::vector<double>> readVariable(const NamedOutput &Output,
                                                  const LeftByRun &Left) {
  const auto Found =
      find_if(Left.Buffers, [&](const emulator::BufferContents &B) {
        StringRef Name = B.Name;
        return Name.consume_front("variable ") &&
               (Name == Output.Text || demangle(Name) == Output.Text);
      });
  if (Found == Left.Buffers.end())
    return createStringError("--output-buffer=" + Output.Text +
                             ": the program has no such variable; " +
                             writtenBuffers(Left));
  return readAs(Output, bytesOf(*Found), *Output.Type);
}

std::string sluice::pathOf(const NamedOutput &Output, const LeftByRun &Left) {
  SmallString<128> Path(Output.Text);
  sys::path::make_absolute(Left.Folder, Path);
  return Left.Folder.empty() ? Output.Text : std::string(Path);
}

Expected<std::vector<double>> sluice::readOutput(const NamedOutput &Output,
                                                 const LeftByRun &Left) {
  switch (Output.Of) {
  case NamedOutput::File:
    return readFile(Output, pathOf(Output, Left));
  case NamedOutput::Printed:
    return readFile(Output, Left.PrintedInto);
  case NamedOutput::Buffer:
    return readBuffers(Output, Left);
  case NamedOutput::Variable:
    return readVariable(Output, Left);
  }
  llvm_unreachable("all are above");
}
