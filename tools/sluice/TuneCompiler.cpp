// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneCompiler.h"
#include "Arguments.h"
#include "CacheNote.h"
#include "Driver.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace sluice;

Expected<Plan> TuneCompiler::staticPlan(const std::string &File) const {
  if (Error E = run(
          {"--sluice-emit-plan=" + File, "--cuda-device-only", "-fsyntax-only"},
          File + ".log"))
    return std::move(E);
  auto Plans = readPlanFile(File);
  if (!Plans)
    return Plans.takeError();
  if (Plans->size() != 1)
    return createStringError(
        "a plan for one source and one GPU is expected, and there are " +
        Twine(Plans->size()) + ": give one .cu file and one --cuda-gpu-arch");
  return std::move(Plans->front());
}

Error TuneCompiler::image(const std::string &PlanFile,
                          const std::string &Output,
                          const std::string &Header) const {
  const bool HasPlan = !PlanFile.empty();
  std::vector<std::string> Words = {"--cuda-device-only", "-c", "-o", Output};
  if (!Header.empty())
    append_range(Words, ArrayRef<std::string>{"-Xclang", "-include-pch",
                                              "-Xclang", Header});
  if (HasPlan)
    Words.push_back("--sluice-plan=" + PlanFile);
  return run(Words, Output + ".log",
             HasPlan ? User::ButPlannerOptions : User::AllUntuned);
}

/// Clang has read the same when it comes to the first line of the source: that
/// of an empty one.
Expected<std::vector<std::string>>
TuneCompiler::headerCommand(const std::string &Output) const {
  auto Command = command(
      {"--cuda-device-only", "-S", "-o", Output, "-Xclang", "-emit-pch"},
      User::None);
  if (!Command)
    return Command.takeError();
  erase_if(*Command, [](StringRef Arg) { return Arg.ends_with(".cu"); });
  Command->push_back(Output + ".cu");
  return Command;
}

Error TuneCompiler::parsedHeader(const std::string &Output) const {
  auto Command = headerCommand(Output);
  if (!Command)
    return Command.takeError();
  if (Error E = writeOutput(Command->back(), ""))
    return E;
  return runLogged(*Command, Output + ".log");
}

std::string TuneCompiler::headerOptions() const {
  auto Command = headerCommand("");
  if (Command)
    return join(*Command, "\n");
  consumeError(Command.takeError()); // as that of all compiles
  return "";
}

Error TuneCompiler::image(Decides Who, const std::string &Output) const {
  const User Options = Who == Decides::Nobody    ? User::None
                       : Who == Decides::Planner ? User::ButPlanAndProfile
                       : Who == Decides::Profile ? User::ButPlan
                                                 : User::ButPlannerOptions;
  return run({"--cuda-device-only", "-c", "-Xcuda-ptxas", "-v", "-o", Output},
             Output + ".log", Options);
}

Error TuneCompiler::preprocessed(const std::string &Output) const {
  auto Command = command({"--cuda-device-only", "-E", "-o", Output}, User::All);
  if (!Command)
    return Command.takeError();
  if (Error E = runLogged(*Command, Log))
    return E;
  return addCacheNote(*Command);
}

Error TuneCompiler::assembly(const std::string &Output) const {
  return run({"--cuda-device-only", "-S", "-o", Output}, Output + ".log",
             User::AllUntuned);
}

Error TuneCompiler::record(const std::string &Pass,
                           const std::string &File) const {
  return run({"--cuda-device-only", "-S", "-o", "/dev/null",
              "-fsave-optimization-record",
              "-foptimization-record-passes=" + Pass,
              "-foptimization-record-file=" + File},
             Log);
}

static std::vector<std::string> linked(const std::string &Output) {
  return {"-o", Output, "-lcudart_static", "-ldl", "-lrt", "-lpthread"};
}

Error TuneCompiler::imageAsSaid(const std::string &Output) const {
  return run({"--cuda-device-only", "-c", "-o", Output}, Log);
}

Error TuneCompiler::programAsSaid(const std::string &Output) const {
  return run(linked(Output), Log);
}

Error TuneCompiler::program(const std::string &Output) const {
  return run(linked(Output), Log, User::AllUntuned);
}

Error TuneCompiler::clangsProgram(const std::string &Output) const {
  return run(linked(Output), Log, User::None);
}

std::string TuneCompiler::describe() const {
  std::string Text = "clang " LLVM_VERSION_STRING;
  for (StringRef Arg : ForClang)
    if (!Arg.ends_with(".cu"))
      Text += " " + Arg.str();
  return Text;
}

static std::vector<const char *> asPointers(ArrayRef<std::string> Words) {
  std::vector<const char *> Pointers;
  Pointers.reserve(Words.size());
  for (const std::string &Word : Words)
    Pointers.push_back(Word.c_str());
  return Pointers;
}

static bool isProfile(StringRef Option) {
  return Option.starts_with("profile=") || Option.starts_with("profile-dir=");
}

/// Does \p Arg only tell how a plan is made? A compile with a plan refuses it.
static bool isForPlanner(StringRef Arg) {
  return consumeSluicePrefix(Arg) &&
         (isProfile(Arg) || Arg.starts_with("hints="));
}

/// Does one of our own \p Words set the option \p Name?
static bool isSaidIn(ArrayRef<std::string> Words, StringRef Name) {
  return any_of(Words,
                [&](StringRef Word) { return isSluiceOption(Word, Name); });
}

Expected<std::vector<std::string>>
TuneCompiler::command(const std::vector<std::string> &Last,
                      User Options) const {
  auto FromUser = expandArguments(asPointers(ForClang));
  if (!FromUser)
    return FromUser.takeError();
  // What the user says comes after our defaults and before what must be.
  std::vector<std::string> Words = {"-O3"};
  if (none_of(*FromUser, namesGPU))
    Words.push_back("--cuda-gpu-arch=sm_90");
  erase_if(*FromUser, [&](StringRef Arg) {
    const bool IsPlanners = isForPlanner(Arg);
    if (!consumeSluicePrefix(Arg))
      return false;
    if (isSaidIn(Last, Arg.split('=').first))
      return true;
    const bool IsPlan = Arg.starts_with("plan=");
    switch (Options) {
    case User::All:
    case User::AllUntuned:
      return false;
    case User::ButPlannerOptions:
      return IsPlanners;
    case User::ButPlan:
      return IsPlan;
    case User::ButPlanAndProfile:
      return IsPlan || isProfile(Arg);
    case User::None:
      return true;
    }
    llvm_unreachable("all are above");
  });
  append_range(Words, *FromUser);
  append_range(Words, Last);
  if (Options == User::None)
    Words.push_back("--sluice-transforms=off");
  for (const Technique *T : techniques())
    if (Options == User::AllUntuned && T->isOffUntuned() &&
        none_of(*FromUser, [&](StringRef Arg) {
          return Arg.contains(("sluice-" + T->name() + "=").str());
        }))
      Words.push_back(("--sluice-" + T->name() + "=off").str());
  return clangCommand(asPointers(Words), Argv0);
}

Error TuneCompiler::run(const std::vector<std::string> &Last,
                        const std::string &LogFile, User Options) const {
  auto Command = command(Last, Options);
  return Command ? runLogged(*Command, LogFile) : Command.takeError();
}

Error TuneCompiler::runLogged(ArrayRef<std::string> Command,
                              const std::string &LogFile) {
  SmallVector<StringRef, 32> Args(Command.begin(), Command.end());
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(LogFile),
                                          StringRef(LogFile)};
  std::string Problem;
  int Status = sys::ExecuteAndWait(Args.front(), Args, std::nullopt, Redirects,
                                   0, 0, &Problem);
  if (Status == 0)
    return Error::success();
  auto Said = MemoryBuffer::getFile(LogFile);
  return createStringError(
      "the compile failed" + (Problem.empty() ? "" : ": " + Problem) +
      (Said ? ":\n" + (*Said)->getBuffer().trim() : Twine("")));
}
