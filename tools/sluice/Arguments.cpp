// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"
#include "sluice/Analysis/FileReplacement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

static const ToolOption *findOption(StringRef Arg, ArrayRef<ToolOption> Table) {
  if (!Arg.consume_front("--"))
    return nullptr;
  const auto *Found = find_if(Table, [&](const ToolOption &O) {
    return O.Name == Arg.split('=').first;
  });
  return Found == Table.end() ? nullptr : Found;
}

Expected<SplitArguments> sluice::splitArguments(ArrayRef<const char *> Args,
                                                ArrayRef<ToolOption> Table) {
  SplitArguments Result;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--") {
      Result.ForProgram.assign(Args.begin() + I + 1, Args.end());
      break;
    }
    if (Arg == "--help" || Arg == "-help") {
      Result.Help = true;
      break;
    }
    const ToolOption *Option = findOption(Arg, Table);
    if (!Option) {
      Result.ForClang.push_back(Arg.str());
      continue;
    }
    bool IsFlag = Option->Values.empty();
    bool IsOptional = Option->Values.starts_with("[");
    StringRef Value = IsFlag ? "1" : "";
    if (Arg.contains('=')) {
      if (IsFlag)
        return createStringError("--" + Option->Name + " takes no value");
      Value = Arg.split('=').second;
    } else if (!IsFlag && !IsOptional) {
      if (I + 1 == Args.size() || StringRef(Args[I + 1]) == "--")
        return createStringError("--" + Option->Name +
                                 " has no value; write --" + Option->Name +
                                 "=" + Option->Values);
      Value = Args[++I];
    }
    Result.Settings.push_back({Option->Name, Value});
  }
  return Result;
}

void sluice::printOptions(raw_ostream &OS, ArrayRef<ToolOption> Table) {
  for (const ToolOption &O : Table) {
    std::string Left = ("--" + O.Name).str();
    if (!O.Values.empty())
      Left += ("=" + O.Values).str();
    OS << "  " << left_justify(Left, 37) << "  " << O.Help << "\n";
  }
}

StringRef sluice::findValue(ArrayRef<std::string> ForClang, StringRef Option) {
  StringRef Value;
  for (StringRef Arg : ForClang)
    if (Arg.consume_front(Option))
      Value = Arg;
  return Value;
}

Error sluice::readSeconds(const Setting &S, double &To) {
  StringRef Number = S.Value;
  Number.consume_back("s");
  if (Number.getAsDouble(To) || !(To > 0)) // not a number
    return createStringError("--" + S.Name + "=" + S.Value +
                             ": seconds are expected, such as 120s");
  return Error::success();
}

Error sluice::checkEngine(const Setting &S) {
  if (S.Value == "local" || S.Value == "ray" || S.Value == "slurm")
    return Error::success();
  return createStringError("--engine=" + S.Value +
                           ": local, ray or slurm is expected");
}

Error sluice::checkBesideProject(ArrayRef<std::string> ForClang, bool HasRun) {
  if (!ForClang.empty())
    return createStringError("'" + ForClang.front() +
                             "': with --project sources and clang's options "
                             "stand in the project");
  if (HasRun)
    return createStringError("with --project arguments and commands stand in "
                             "the project");
  return Error::success();
}

bool sluice::consumeSluicePrefix(StringRef &Arg) {
  return Arg.consume_front("--sluice-") ||
         Arg.consume_front("-fplugin-arg-sluice-");
}

bool sluice::isSluiceOption(StringRef Arg, StringRef Name) {
  return consumeSluicePrefix(Arg) && Arg.consume_front(Name) &&
         Arg.starts_with("=");
}

std::string sluice::takeSluiceOption(std::vector<std::string> &ForClang,
                                     StringRef Name) {
  std::string Value;
  erase_if(ForClang, [&](StringRef Arg) {
    if (!isSluiceOption(Arg, Name))
      return false;
    Value = Arg.split('=').second.str();
    return true;
  });
  return Value;
}

bool sluice::namesGPU(StringRef Arg) {
  return Arg.starts_with("--cuda-gpu-arch") ||
         Arg.starts_with("--offload-arch") || Arg.starts_with("@");
}

Error sluice::writeOutput(StringRef Path, StringRef Text) {
  if (Error E = writeWholeFile(Path, Text))
    return createStringError("cannot write '" + Path +
                             "': " + toString(std::move(E)));
  return Error::success();
}
