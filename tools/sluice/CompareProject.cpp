// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program goes its way for itself: threads of this process compile it into
// its folder, and then a worker of the pool measures the folder. What has come
// to its end stays in the folder for the next call.

#include "CompareProject.h"
#include "Arguments.h"
#include "CompareList.h"
#include "DeviceCompile.h"
#include "Driver.h"
#include "ProjectPool.h"
#include "TemporaryFolder.h"
#include "Toolkit.h"
#include "TuneCompiler.h"
#include "TuneProjectFile.h"
#include "TuneWorkers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace llvm;
using namespace sluice;

namespace {

std::atomic<bool> Interrupted = false;

struct Case {
  ProjectCase Of;
  std::string Folder;
  std::string Problem; ///< Why it could not be compiled.
};

class ProjectComparer {
public:
  ProjectComparer(CompareProjectArguments Given, const char *Argv0)
      : A(std::move(Given)), Argv0(Argv0),
        Compilers(hardware_concurrency(Jobs())) {}

  Expected<bool> run();

private:
  /// A program is compiled by three processes at a time.
  static unsigned Jobs() {
    return std::max(1u, hardware_concurrency().compute_thread_count() / 3);
  }

  Error makePathsAbsolute();
  Error makeFolder();
  Error measureAll(ArrayRef<ProjectWorkers> Workers);
  void compileAll();
  Error writeList() const;
  Error writeRunner() const;

  void prepare(Case &C);
  Error compile(Case &C);
  Expected<std::string> keyOf(const ComparedProgram &Program,
                              const Case &C) const;
  void takeBack(const std::string &Name, const std::string &Why);

  CompareProjectArguments A;
  const char *Argv0;
  bool IsHere = true; ///< Not: another machine measures.
  std::vector<Case> Cases;
  ProjectPool Pool{"sluice compare", "programs", Interrupted};

  std::mutex Lock;                   ///< For what is below.
  std::map<std::string, Case *> Out; ///< With the pool, by name.
  unsigned Kept = 0;                 ///< Measured by an earlier call.

  DefaultThreadPool Compilers; ///< Last: its threads use all else.
};

} // namespace

/// What is in a file; empty: there is none.
static std::string textOf(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

static bool isMeasured(const std::string &Folder) {
  return textOf(Folder + "/ended") == "0\n" &&
         StringRef(textOf(Folder + "/results.jsonl")).contains("\"measured\"");
}

//===- Compiles -----------------------------------------------------------===//

/// All that a program's folder depends on.
Expected<std::string> ProjectComparer::keyOf(const ComparedProgram &Program,
                                             const Case &C) const {
  TemporaryFolder Temporary;
  if (Error E = Temporary.create())
    return std::move(E);
  const std::string Text = Temporary.file("device.cui");
  if (Error E = TuneCompiler(Program.ForClang, Argv0, Temporary.file("log"))
                    .preprocessed(Text))
    return std::move(E);
  MD5 Hash;
  auto Add = [&](StringRef Word) {
    Hash.update(Word);
    Hash.update(StringRef("\0", 1));
  };
  Add(textOf(Text));
  for (const std::string &Word : Program.ForClang)
    Add(Word);
  for (const std::string &Word : Program.ForProgram)
    Add(Word);
  Add(Program.Command);
  const std::string Nvcc = nvccOf(A.How, Program.ForClang);
  Add(Nvcc.empty() ? "" : outputOf({Nvcc, "--version"}));
  Add(A.How.NvccOptions);
  Add(utostr(A.How.Rounds) + " " + utostr(A.How.Launches));
  Add(A.How.IsHere ? C.Folder : ""); // which stands in run.sh
  MD5::MD5Result Result;
  Hash.final(Result);
  return Result.digest().str().str();
}

/// Makes the folder, if it is not of the same code already.
Error ProjectComparer::compile(Case &C) {
  const std::string Tool = "sluice compare: " + C.Of.Name;
  auto ForClang = deviceOptions(C.Of.ForClang, Tool);
  if (!ForClang)
    return ForClang.takeError();
  const ComparedProgram Program{std::move(*ForClang), C.Of.ForProgram,
                                C.Of.Command};
  auto Key = keyOf(Program, C);
  if (!Key)
    return Key.takeError();
  if (textOf(C.Folder + "/key") == *Key)
    return Error::success();
  sys::fs::remove_directories(C.Folder);
  auto Count = writeCompareRound(Program, A.How, C.Folder, Tool, Argv0);
  if (!Count)
    return Count.takeError();
  return writeOutput(C.Folder + "/key", *Key);
}

/// In a thread of Compilers.
void ProjectComparer::prepare(Case &C) {
  if (Interrupted)
    return Pool.over();
  if (Error E = compile(C)) {
    C.Problem = toString(std::move(E));
    sys::fs::remove_directories(C.Folder);
    Pool.progress().take("failed", C.Of.Name, "", firstErrorOf(C.Problem));
    return Pool.over();
  }
  const bool IsKept = isMeasured(C.Folder);
  if (IsKept || !IsHere) {
    Pool.progress().take("ended", C.Of.Name, "", "");
    std::lock_guard<std::mutex> Guard(Lock);
    Kept += IsKept;
    return Pool.over();
  }
  // What a run that was cut has left would be blamed for its end.
  sys::fs::remove(C.Folder + "/results.jsonl");
  sys::fs::remove(C.Folder + "/ended");
  std::lock_guard<std::mutex> Guard(Lock);
  Out[C.Of.Name] = &C;
  Pool.add({C.Of.Name, C.Folder, C.Of.Workers.Name, A.Limit, /*First=*/0,
            /*Best=*/""});
}

/// Begins with it.
void ProjectComparer::compileAll() {
  Pool.open(Cases.size());
  for (Case &C : Cases) {
    Pool.progress().add();
    Compilers.async([this, &C] { prepare(C); });
  }
}

//===- Measures -----------------------------------------------------------===//

void ProjectComparer::takeBack(const std::string &Name,
                               const std::string &Why) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto At = Out.find(Name);
  if (At == Out.end())
    return;
  consumeError(writeOutput(At->second->Folder + "/ended",
                           (Why.empty() ? "0" : Why) + "\n"));
  Out.erase(At);
  Pool.over();
}

Error ProjectComparer::measureAll(ArrayRef<ProjectWorkers> Workers) {
  if (Error E = Pool.start(A.Folder + "/pool.py",
                           A.Engine.empty() ? "local" : A.Engine, Workers))
    return E;
  Pool.run(std::to_string(Cases.size()) + " programs",
           [this](const std::string &Name, const std::string &Why, double) {
             takeBack(Name, Why);
           });
  compileAll();
  Pool.wait();
  Compilers.wait();
  Pool.end();
  sys::fs::remove(A.Folder + "/pool.py");
  if (Kept)
    errs() << "sluice compare: note: the times of " << Kept << " of "
           << Cases.size() << " programs are an earlier call's; remove '"
           << A.Folder << "' to measure them anew\n";
  return Error::success();
}

//===- The folder ---------------------------------------------------------===//

/// A program of the list: what is in its folder.
static ListedProgram readProgram(const std::string &Folder, StringRef Name,
                                 StringRef Problem) {
  ListedProgram P;
  P.Name = Name.str();
  P.Problem = Problem.str();
  if (!P.Problem.empty())
    return P;
  const std::string Own = Folder + "/" + P.Name;
  const std::string Ended = StringRef(textOf(Own + "/ended")).trim().str();
  const bool HasStatus =
      !Ended.empty() && all_of(Ended, [](char Of) { return isDigit(Of); });
  auto Read = readVariantRound(Own);
  if (Read && Read->hasTimes()) {
    if (Ended.empty())
      P.Warning = "its run was cut";
    else if (Ended != "0")
      P.Warning = HasStatus ? "it ended with status " + Ended : Ended;
    P.Results = std::move(*Read);
    return P;
  }
  if (!Read)
    consumeError(Read.takeError());
  // 124 is what timeout(1) ends with.
  if (Ended.empty())
    P.Problem = "it is not measured yet";
  else if (Ended == "124")
    P.Problem = "it did not come to its end in time";
  else
    P.Problem = HasStatus ? whyNothingRan(Own, Ended) : Ended;
  return P;
}

static std::string listFile(const std::string &Folder) {
  return Folder + "/compare.json";
}

bool sluice::isComparedList(const std::string &Folder) {
  return sys::fs::exists(listFile(Folder));
}

Expected<bool> sluice::showComparedList(const std::string &Folder,
                                        const std::string &Json) {
  const std::string Path = listFile(Folder);
  auto Read = json::parse(textOf(Path));
  if (!Read)
    return createStringError("'" + Path + "': " + toString(Read.takeError()));
  const json::Object *Top = Read->getAsObject();
  const json::Array *Programs = Top ? Top->getArray("programs") : nullptr;
  if (!Programs)
    return createStringError("'" + Path + "' has no \"programs\"");
  std::vector<ListedProgram> All;
  for (const json::Value &Value : *Programs)
    if (const json::Object *O = Value.getAsObject())
      All.push_back(readProgram(Folder, O->getString("name").value_or(""),
                                O->getString("problem").value_or("")));
  if (none_of(All,
              [](const ListedProgram &P) { return P.Results.has_value(); }))
    errs() << "sluice compare: warning: no program of '" << Folder
           << "' was measured; without a GPU here, use --export=FOLDER and run "
              "FOLDER/run.sh on another machine\n";
  printComparedList(outs(), All);
  outs().flush();
  for (const ListedProgram &P : All)
    if (P.Results)
      warnOfWrongResults(errs(), *P.Results, P.Name + ": ");
  if (!Json.empty())
    if (Error E = writeComparedList(Json, All))
      return std::move(E);
  return all_of(All, [](const ListedProgram &P) { return P.Problem.empty(); });
}

Error ProjectComparer::writeList() const {
  json::Array Programs;
  for (const Case &C : Cases) {
    json::Object Of{{"name", C.Of.Name}};
    if (!C.Problem.empty())
      Of["problem"] = json::fixUTF8(C.Problem);
    Programs.push_back(std::move(Of));
  }
  json::Object All{{"sluice-compare", 1}, {"programs", std::move(Programs)}};
  return writeOutput(listFile(A.Folder),
                     formatv("{0:1}\n", json::Value(std::move(All))).str());
}

// A program is ended by timeout(1), whose child it is: the shell waits for it
// in the background, so that Ctrl-C is heard at once.
Error ProjectComparer::writeRunner() const {
  std::string Names;
  for (const Case &C : Cases)
    if (C.Problem.empty())
      Names += C.Of.Name + "\n";
  if (Error E = writeOutput(A.Folder + "/programs", Names))
    return E;
  const std::string Script = A.Folder + "/run.sh";
  if (Error E = writeOutput(
          Script,
          formatv("#!/bin/sh\n"
                  "# Measures this folder's programs, or those whose names "
                  "match the pattern $1.\n"
                  "# What is measured is not measured again.\n"
                  "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                  "total=$(grep -c . \"$here/programs\")\n"
                  "number=0\n"
                  "child=\n"
                  "trap 'kill $child 2>/dev/null; exit 130' INT TERM\n"
                  "while IFS= read -r name; do\n"
                  "  number=$((number + 1))\n"
                  "  folder=$here/$name\n"
                  "  case $name in ${{1-*}) ;; *) continue ;; esac\n"
                  "  [ \"$(cat \"$folder/ended\" 2>/dev/null)\" = 0 ] && "
                  "continue\n"
                  "  echo \"$number of $total: $name\"\n"
                  "  rm -f \"$folder/results.jsonl\" \"$folder/ended\"\n"
                  "  timeout {0} sh \"$folder/run.sh\" > "
                  "\"$folder/output.txt\" 2>&1 < /dev/null &\n"
                  "  child=$!\n"
                  "  wait $child\n"
                  "  status=$?\n"
                  "  echo $status > \"$folder/ended\"\n"
                  "  [ $status = 0 ] || echo \"  it ended with status "
                  "$status\"\n"
                  "done < \"$here/programs\"\n",
                  A.Limit)
              .str()))
    return E;
  sys::fs::setPermissions(Script, sys::fs::all_exe | sys::fs::all_read |
                                      sys::fs::owner_write);
  return Error::success();
}

//===- The whole ----------------------------------------------------------===//

/// Programs' folders in it are made anew, so it must be ours.
Error ProjectComparer::makeFolder() {
  std::error_code EC;
  if (sys::fs::exists(A.Folder) && !isComparedList(A.Folder) &&
      sys::fs::directory_iterator(A.Folder, EC) !=
          sys::fs::directory_iterator())
    return createStringError("'" + A.Folder +
                             "' is there already, and not from sluice compare "
                             "--project; name another folder");
  EC = sys::fs::create_directories(A.Folder);
  if (EC)
    return createStringError(EC, "cannot make the folder '" + A.Folder +
                                     "': " + EC.message());
  return writeList();
}

/// The programs run beside the project; what the user named is here.
Error ProjectComparer::makePathsAbsolute() {
  if (A.Folder.empty())
    A.Folder = A.Export;
  if (A.Folder.empty()) {
    SmallString<128> Beside(A.File);
    sys::path::replace_extension(Beside, "compare");
    A.Folder = std::string(Beside);
  }
  std::string *Paths[] = {&A.File, &A.Folder, &A.Json, &A.How.Nvcc};
  for (std::string *Path : Paths) {
    if (Path->empty() ||
        (Path == &A.How.Nvcc && !StringRef(*Path).contains('/')))
      continue;
    SmallString<128> Absolute(*Path);
    if (std::error_code EC = sys::fs::make_absolute(Absolute))
      return createStringError(EC, "the current folder is not there");
    *Path = std::string(Absolute);
  }
  return Error::success();
}

Expected<bool> ProjectComparer::run() {
  IsHere = A.Export.empty();
  auto File = readTuneProject(A.File);
  if (!File)
    return File.takeError();
  const std::string Shown = A.Export;
  if (Error E = makePathsAbsolute())
    return std::move(E);
  const StringRef Home = sys::path::parent_path(A.File);
  if (std::error_code EC = sys::fs::set_current_path(Home))
    return createStringError(EC, "cannot go to '" + Home + "'");
  if (A.Limit == 0)
    A.Limit = 600;
  // Ray's pieces travel with their program.
  A.How.IsHere = IsHere && A.Engine != "ray";
  if (Error E = findWorkers(File->Workers,
                            !IsHere            ? "elsewhere"
                            : A.Engine.empty() ? "local"
                                               : A.Engine,
                            A.GPUs.empty() ? "all" : A.GPUs))
    return std::move(E);
  for (ProjectCase &Of : casesOf(File->Programs, File->Workers)) {
    std::string Own = A.Folder + "/" + Of.Name;
    Cases.push_back({std::move(Of), std::move(Own), ""});
  }
  if (Error E = makeFolder())
    return std::move(E);
  sys::SetInterruptFunction([] { Interrupted = true; });
  if (IsHere) {
    if (Error E = measureAll(File->Workers))
      return std::move(E);
  } else {
    errs() << "sluice compare: compiling " << Cases.size() << " programs\n";
    compileAll();
    Compilers.wait();
    Pool.progress().end();
  }
  if (Error E = writeList())
    return std::move(E);
  if (IsHere) {
    auto IsWhole = showComparedList(A.Folder, A.Json);
    if (IsWhole && (!*IsWhole || Interrupted))
      errs() << "sluice compare: not all was measured; the same call does what "
                "is left\n";
    return IsWhole;
  }
  if (Error E = writeRunner())
    return std::move(E);
  const auto Left =
      count_if(Cases, [](const Case &C) { return !C.Problem.empty(); });
  outs() << Cases.size() - Left << " programs in " << Shown << ": run " << Shown
         << "/run.sh on the machine with the GPU, then sluice compare with "
            "--import="
         << Shown << "\n";
  return Left == 0 && !Interrupted;
}

Expected<bool> sluice::compareProject(CompareProjectArguments A,
                                      const char *Argv0) {
  return ProjectComparer(std::move(A), Argv0).run();
}
