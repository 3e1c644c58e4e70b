// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"

using namespace sluice::nvcc;
using namespace llvm;

bool CommandLine::has(Opt Id) const {
  return any_of(Options, [&](const Occurrence &O) { return O.Row->Id == Id; });
}

StringRef CommandLine::last(Opt Id) const {
  for (const Occurrence &O : reverse(Options))
    if (O.Row->Id == Id && !O.Values.empty())
      return O.Values.back();
  return "";
}

std::vector<std::string> CommandLine::all(Opt Id) const {
  std::vector<std::string> Result;
  for (const Occurrence &O : Options)
    if (O.Row->Id == Id)
      llvm::append_range(Result, O.Values);
  return Result;
}

bool CommandLine::isTrue(Opt Id, bool Default) const {
  StringRef Value = last(Id);
  return Value.empty() ? Default : Value == "true";
}

static std::vector<std::string> splitWords(StringRef Text) {
  BumpPtrAllocator Storage;
  StringSaver Saver(Storage);
  SmallVector<const char *, 16> Words;
  cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return std::vector<std::string>(Words.begin(), Words.end());
}

/// At commas that have no backslash before them.
static std::vector<std::string> splitList(StringRef Text) {
  std::vector<std::string> Items(1);
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '\\' && I + 1 < Text.size() && Text[I + 1] == ',')
      Items.back() += Text[++I];
    else if (Text[I] == ',')
      Items.emplace_back();
    else
      Items.back() += Text[I];
  }
  return Items;
}

static std::vector<std::string> valuesOf(const OptionRow &Row, StringRef Text) {
  switch (Row.ValueForm) {
  case Form::Flag:
    return {};
  case Form::Value:
    return {Text.str()};
  case Form::List:
    return splitList(Text);
  case Form::Words:
    // nvcc has a shell split them.
    return splitWords(join(splitList(Text), " "));
  }
  llvm_unreachable("a form");
}

namespace {

class Reader {
public:
  Error read(ArrayRef<std::string> Args);
  /// When all has been read.
  Error finish();

  CommandLine Line;

private:
  bool readSluiceOption(StringRef Arg);
  Error readOption(ArrayRef<std::string> &Args);
  Error take(const OptionRow &Row, std::vector<std::string> Given,
             StringRef Value);
  void setPhase(Opt Id);

  std::vector<std::string> Unknown;
  unsigned Depth = 0; ///< Of files of options that name files.
};

} // namespace

bool Reader::readSluiceOption(StringRef Arg) {
  if (!Arg.starts_with("--sluice-"))
    return false;
  if (Arg == "--sluice-strict")
    Line.Strict = true;
  else if (Arg == "--sluice-libomp")
    Line.LibOmp = true;
  else if (Arg == "--sluice-strict-aliasing")
    Line.StrictAliasing = true;
  else
    Line.SluiceOptions.push_back(Arg.str());
  return true;
}

void Reader::setPhase(Opt Id) {
  switch (Id) {
  case Opt::DeviceC:
    Line.Rdc = true;
    [[fallthrough]];
  case Opt::DeviceW:
  case Opt::Compile:
    Line.What = Phase::Compile;
    return;
  case Opt::DeviceLink:
    Line.What = Phase::DeviceLink;
    return;
  case Opt::Lib:
    Line.What = Phase::Library;
    return;
  case Opt::Ptx:
    Line.What = Phase::Ptx;
    return;
  case Opt::Cubin:
    Line.What = Phase::Cubin;
    return;
  case Opt::Fatbin:
    Line.What = Phase::Fatbin;
    return;
  case Opt::Preprocess:
    Line.What = Phase::Preprocess;
    return;
  case Opt::M:
  case Opt::MM:
    Line.What = Phase::Dependencies;
    return;
  default:
    return;
  }
}

Error Reader::take(const OptionRow &Row, std::vector<std::string> Given,
                   StringRef Value) {
  if (Row.Id == Opt::OptionsFile) {
    if (++Depth > 20)
      return createStringError("files of options name one another: '%s'",
                               Value.str().c_str());
    for (const std::string &Name : splitList(Value)) {
      auto Text = MemoryBuffer::getFile(Name, /*IsText=*/true);
      if (!Text)
        return createStringError("cannot read the file of options '%s': %s",
                                 Name.c_str(),
                                 Text.getError().message().c_str());
      if (Error E = read(splitWords((*Text)->getBuffer())))
        return E;
    }
    --Depth;
    return Error::success();
  }
  setPhase(Row.Id);
  if (Row.Id == Opt::Rdc) {
    if (Value != "true" && Value != "false")
      return createStringError("'-rdc': expected true or false, not '%s'",
                               Value.str().c_str());
    Line.Rdc = Value == "true";
  }
  Line.Options.push_back({&Row, valuesOf(Row, Value), std::move(Given)});
  return Error::success();
}

/// Takes one option, and its value, from the front of \p Args.
Error Reader::readOption(ArrayRef<std::string> &Args) {
  StringRef Arg = Args.front();
  Args = Args.drop_front();
  auto [Name, Text] = Arg.split('=');
  bool HasText = Name.size() != Arg.size();
  const OptionRow *Row = findOption(Name);
  // -DX, -Ifolder, -lname, -O3: a name of one letter, and its value.
  static constexpr StringLiteral Joined = "DUILlOtm";
  if (!Row && Arg.size() > 2 && !Arg.starts_with("--") &&
      Joined.contains(Arg[1])) {
    Row = findOption(Arg.take_front(2));
    Text = Arg.drop_front(2);
    HasText = true;
  }
  if (!Row) {
    if (Arg.starts_with("-R"))
      Line.ClangOptions.push_back(Arg.str());
    else
      Unknown.push_back(Arg.str());
    return Error::success();
  }
  if (Row->ValueForm == Form::Flag) {
    if (HasText)
      return createStringError("'%s' takes no value, but has '%s'",
                               Name.str().c_str(), Text.str().c_str());
    return take(*Row, {Arg.str()}, "");
  }
  if (HasText)
    return take(*Row, {Arg.str()}, Text);
  if (Args.empty())
    return createStringError("'%s' needs a value", Name.str().c_str());
  std::string Value = Args.front();
  Args = Args.drop_front();
  return take(*Row, {Arg.str(), Value}, Value);
}

Error Reader::read(ArrayRef<std::string> Args) {
  while (!Args.empty()) {
    const std::string &Arg = Args.front();
    if (readSluiceOption(Arg)) {
      Args = Args.drop_front();
    } else if (StringRef(Arg).starts_with("-") && Arg != "-") {
      if (Error E = readOption(Args))
        return E;
    } else {
      Line.Inputs.push_back(Arg);
      Args = Args.drop_front();
    }
  }
  return Error::success();
}

Error Reader::finish() {
  bool Both = Line.has(Opt::ForwardToBoth);
  if (Both || Line.has(Opt::ForwardToCompiler))
    Line.ToCompiler = Unknown;
  if (Both || Line.has(Opt::ForwardToLinker))
    Line.ToLinker = Unknown;
  if (!Unknown.empty() && Line.ToCompiler.empty() && Line.ToLinker.empty())
    return createStringError(
        "unknown option '%s'; nvcc does not know it either. If it is for the "
        "host compiler, write '-Xcompiler %s'",
        Unknown.front().c_str(), Unknown.front().c_str());
  return Error::success();
}

Expected<CommandLine>
sluice::nvcc::readCommandLine(ArrayRef<std::string> Args) {
  Reader R;
  auto ReadVariable = [&](StringRef Name) -> Error {
    auto Text = sys::Process::GetEnv(Name);
    return Text ? R.read(splitWords(*Text)) : Error::success();
  };
  if (Error E = ReadVariable("NVCC_PREPEND_FLAGS"))
    return E;
  if (Error E = R.read(Args))
    return E;
  if (Error E = ReadVariable("NVCC_APPEND_FLAGS"))
    return E;
  if (Error E = R.finish())
    return E;
  return std::move(R.Line);
}
