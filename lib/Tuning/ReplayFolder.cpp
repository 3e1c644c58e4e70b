// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReplayFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <thread>

using namespace llvm;
using namespace sluice;

std::string sluice::pathIn(StringRef Folder, const Twine &Name) {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  return std::string(Path);
}

Error sluice::writeFile(const std::string &Path, StringRef Text) {
  return writeToOutput(Path, [&](raw_ostream &OS) {
    OS << Text;
    return Error::success();
  });
}

std::string sluice::jobSettings(const RoundOptions &Options) {
  std::string Text = "rounds " + std::to_string(Options.Rounds) +
                     "\nlaunches " + std::to_string(Options.Launches) + "\n";
  if (Options.StopLosers > 0)
    Text += "stop-losers " + std::to_string(Options.StopLosers) + "\n";
  if (!Options.BestFile.empty())
    Text += "best " + Options.BestFile + "\n";
  if (Options.TimeLimit > 0)
    Text += "time-limit " + std::to_string(Options.TimeLimit) + "\n";
  return Text;
}

static std::string quoted(StringRef Word) {
  std::string Text = "'";
  for (char C : Word)
    Text += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Text + "'";
}

// A candidate that ends the program is left out when the runner starts it
// again: the replay library sees how far it came.
Error sluice::writeRunner(const RoundOptions &Options) {
  std::string Library = pathIn(Options.Folder, "SluiceReplay.so");
  if (std::error_code EC = sys::fs::copy_file(Options.ReplayLibrary, Library))
    return createStringError(EC, "cannot copy '" + Options.ReplayLibrary +
                                     "' to '" + Library + "': " + EC.message());
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "#!/bin/sh\n"
        "# Measures this folder's candidates; results.jsonl is what comes "
        "out.\n"
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\n";
  OS << "cd "
     << (Options.WorkingFolder.empty() ? "\"$here\""
                                       : quoted(Options.WorkingFolder))
     << " || exit 2\n"
        "status=1\n"
        "for attempt in 1 2 3 4 5 6 7 8; do\n"
        "  SLUICE_REPLAY=\"$here/job\" LD_PRELOAD=\"$here/SluiceReplay.so\" "
        "\\\n"
        "    ";
  for (const std::string &Word : Options.Command)
    OS << quoted(Word) << " ";
  OS << "\n"
        "  status=$?\n"
        "  [ $status -eq 0 ] && break\n"
        "  # Once more only if a candidate was at work when it ended.\n"
        "  tail -n 1 \"$here/results.jsonl\" 2>/dev/null | grep -q trying || "
        "break\n"
        "done\n"
        "exit $status\n";
  std::string Path = pathIn(Options.Folder, "run.sh");
  if (Error E = writeFile(Path, Text))
    return E;
  auto Permissions =
      sys::fs::all_exe | sys::fs::all_read | sys::fs::owner_write;
  if (std::error_code EC = sys::fs::setPermissions(Path, Permissions))
    return createStringError(EC, "cannot make '" + Path + "' executable");
  return Error::success();
}

static uint64_t countMeasured(StringRef Folder) {
  auto Lines = MemoryBuffer::getFile(pathIn(Folder, "results.jsonl"));
  return Lines ? (*Lines)->getBuffer().count("{\"event\": \"measured\"") : 0;
}

int sluice::runRound(const std::string &Folder,
                     function_ref<void(uint64_t)> Watch) {
  std::string Script = pathIn(Folder, "run.sh");
  std::string Output = pathIn(Folder, "output.txt");
  const SmallVector<StringRef, 2> Args = {"/bin/sh", Script};
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Output),
                                          StringRef(Output)};
  if (!Watch)
    return sys::ExecuteAndWait(Args.front(), Args, std::nullopt, Redirects);
  bool Failed = false;
  const sys::ProcessInfo Run =
      sys::ExecuteNoWait(Args.front(), Args, std::nullopt, Redirects, 0,
                         /*ErrMsg=*/nullptr, &Failed);
  if (Failed)
    return -1;
  // Short rounds wait little, long ones look seldom.
  for (unsigned Milliseconds = 5;;
       Milliseconds = std::min(Milliseconds * 2, 500u)) {
    std::string Problem;
    const sys::ProcessInfo Ended = sys::Wait(Run, /*SecondsToWait=*/0, &Problem,
                                             nullptr, /*Polling=*/true);
    if (Ended.Pid == Run.Pid || !Problem.empty())
      return Ended.ReturnCode;
    Watch(countMeasured(Folder));
    std::this_thread::sleep_for(std::chrono::milliseconds(Milliseconds));
  }
}

Error sluice::readResults(StringRef Folder,
                          function_ref<void(const json::Object &)> Take) {
  std::string Results = pathIn(Folder, "results.jsonl");
  auto Lines = MemoryBuffer::getFile(Results);
  if (!Lines)
    return createStringError(Lines.getError(),
                             "'" + Results + "' cannot be read: run '" +
                                 pathIn(Folder, "run.sh") +
                                 "' on the machine with the GPU first");
  SmallVector<StringRef> Split;
  (*Lines)->getBuffer().split(Split, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Split) {
    // The last line of a run that was killed has no end, and the next run
    // writes after it.
    if (size_t At = Line.rfind("{\"event\""); At != StringRef::npos)
      Line = Line.drop_front(At);
    Expected<json::Value> Value = json::parse(Line);
    if (Value && Value->getAsObject())
      Take(*Value->getAsObject());
    else if (!Value)
      consumeError(Value.takeError());
  }
  return Error::success();
}

std::pair<double, unsigned> sluice::medianTime(const json::Object &Line) {
  std::vector<double> Values;
  if (const json::Array *Ms = Line.getArray("ms"))
    for (const json::Value &V : *Ms)
      Values.push_back(V.getAsNumber().value_or(0));
  if (Values.empty())
    return {0, 0};
  auto Middle = Values.begin() + static_cast<ptrdiff_t>(Values.size() / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  return {*Middle, static_cast<unsigned>(Values.size())};
}
