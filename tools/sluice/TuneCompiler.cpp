// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneCompiler.h"
#include "Arguments.h"
#include "Driver.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace sluice;

Expected<Plan> TuneCompiler::staticPlan(const std::string &File) const {
  if (Error E = run(
          {"--sluice-emit-plan=" + File, "--cuda-device-only", "-fsyntax-only"},
          Log))
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
                          const std::string &Output) const {
  const bool HasPlan = !PlanFile.empty();
  std::vector<std::string> Words = {"--cuda-device-only", "-c", "-o", Output};
  if (HasPlan)
    Words.push_back("--sluice-plan=" + PlanFile);
  return run(Words, Output + ".log",
             HasPlan ? User::ButPlannerOptions : User::AllUntuned);
}

Error TuneCompiler::assembly(const std::string &Output) const {
  return run({"--cuda-device-only", "-S", "-o", Output}, Log, User::AllUntuned);
}

Error TuneCompiler::program(const std::string &Output) const {
  return run({"-o", Output, "-lcudart_static", "-ldl", "-lrt", "-lpthread"},
             Log, User::AllUntuned);
}

std::string TuneCompiler::describe() const {
  std::string Text = "clang " LLVM_VERSION_STRING;
  for (StringRef Arg : Arguments.ForClang)
    if (Arg != Arguments.Source)
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

/// Does \p Arg only tell how a plan is made? A compile with a plan refuses it.
static bool isForPlanner(StringRef Arg) {
  return (Arg.consume_front("--sluice-") ||
          Arg.consume_front("-fplugin-arg-sluice-")) &&
         (Arg.starts_with("profile=") || Arg.starts_with("hints="));
}

Error TuneCompiler::run(const std::vector<std::string> &Last,
                        const std::string &LogFile, User Options) const {
  auto FromUser = expandArguments(asPointers(Arguments.ForClang));
  if (!FromUser)
    return FromUser.takeError();
  // What the user says comes after our defaults and before what must be.
  std::vector<std::string> Words = {"-O3"};
  if (none_of(*FromUser, namesGPU))
    Words.push_back("--cuda-gpu-arch=sm_90");
  if (Options == User::ButPlannerOptions)
    erase_if(*FromUser, isForPlanner);
  append_range(Words, *FromUser);
  append_range(Words, Last);
  for (const Technique *T : techniques())
    if (Options == User::AllUntuned && T->isOffUntuned() &&
        none_of(*FromUser, [&](StringRef Arg) {
          return Arg.contains(("sluice-" + T->name() + "=").str());
        }))
      Words.push_back(("--sluice-" + T->name() + "=off").str());
  std::vector<const char *> Pointers = asPointers(Words);
  auto Command = clangCommand(Pointers, Argv0);
  if (!Command)
    return Command.takeError();
  SmallVector<StringRef, 32> Args(Command->begin(), Command->end());
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
