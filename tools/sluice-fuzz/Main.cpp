// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice-fuzz: each file of kernels is a process of its own, --jobs of them at
// a time, which tells its part of the report and what it counted.

#include "Check.h"
#include "Generate.h"
#include "Reduce.h"
#include "Report.h"
#include "TemporaryFolder.h"
#include "sluice/Emulator/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;

static cl::OptionCategory Category("Options of sluice-fuzz");
static cl::opt<uint64_t> Seed("seed", cl::desc("Which kernels are made"),
                              cl::init(1), cl::cat(Category));
static cl::opt<unsigned> First("first", cl::desc("Number of the first kernel"),
                               cl::init(0), cl::cat(Category));
static cl::opt<unsigned> Kernels("kernels", cl::desc("How many kernels"),
                                 cl::init(1000), cl::cat(Category));
static cl::opt<unsigned> PerFile("per-file", cl::desc("Kernels in one source"),
                                 cl::init(200), cl::cat(Category));
static cl::opt<std::string> TransformName("transform",
                                          cl::desc("What is tested"),
                                          cl::init("throttle"),
                                          cl::cat(Category));
static cl::opt<unsigned> Jobs("jobs", cl::desc("Files at a time"), cl::init(1),
                              cl::cat(Category));
static cl::opt<std::string>
    Output("output", cl::desc("Folder for what is found (made if need be)"),
           cl::value_desc("folder"), cl::init("sluice-fuzz-findings"),
           cl::cat(Category));
static cl::opt<std::string>
    ReduceOne("reduce", cl::desc("Check this one kernel and shrink it"),
              cl::value_desc("SEED:KERNEL"), cl::cat(Category));
static cl::opt<unsigned>
    ReduceSteps("reduce-steps",
                cl::desc("Smaller kernels tried for a finding; 0: none"),
                cl::init(400), cl::cat(Category));
static cl::opt<std::string> CheckFile("check",
                                      cl::desc("Check a file that was found"),
                                      cl::value_desc("file.cu"),
                                      cl::cat(Category));
static cl::opt<bool> Print("print",
                           cl::desc("Print the first file's source and end"),
                           cl::cat(Category));
static cl::opt<bool>
    Break("break",
          cl::desc("Make the transform wrong; succeed only if that is found"),
          cl::cat(Category));
static cl::opt<std::string>
    Fault("fault", cl::desc("The fault for --break, if not the usual one"),
          cl::cat(Category));
static cl::opt<std::string>
    Wait("wait", cl::desc("Kernels with waits have this kind of them"),
         cl::value_desc("kind"), cl::cat(Category));
static cl::opt<unsigned> MaxFindings("max-findings",
                                     cl::desc("End after so many"), cl::init(5),
                                     cl::cat(Category));
static cl::opt<unsigned> TimeLimit("time-limit",
                                   cl::desc("Begin no new file after that"),
                                   cl::value_desc("seconds"), cl::init(0),
                                   cl::cat(Category));

enum ExitStatus { Clean = 0, FoundSomething = 1, CannotRun = 2 };

static int cannotRun(const Twine &Why) {
  errs() << "sluice-fuzz: error: " << Why << "\n";
  return CannotRun;
}

namespace {

/// Of one file or of all.
struct Counts {
  unsigned Checked = 0, Changed = 0, Limited = 0, Findings = 0;
  /// Of those checked and changed: where no other transform is on.
  unsigned CheckedAlone = 0, ChangedAlone = 0;
  /// Kernels with waits, and those with each kind of them.
  /// WaitingTouched: changed by this transform alone, or with fewer blocks.
  unsigned Waiting = 0, WaitingTouched = 0;
  std::map<std::string, unsigned> Waits;

  void add(const Counts &Other);
  /// As text, for the process that adds them up.
  void print(raw_ostream &OS) const;
  bool parse(StringRef Text);

private:
  static constexpr unsigned Counts::*Numbers[] = {
      &Counts::Checked,  &Counts::Changed,       &Counts::Limited,
      &Counts::Findings, &Counts::CheckedAlone,  &Counts::ChangedAlone,
      &Counts::Waiting,  &Counts::WaitingTouched};
};

} // namespace

void Counts::add(const Counts &Other) {
  for (auto Number : Numbers)
    this->*Number += Other.*Number;
  for (const auto &[Kind, Count] : Other.Waits)
    Waits[Kind] += Count;
}

void Counts::print(raw_ostream &OS) const {
  for (auto Number : Numbers)
    OS << this->*Number << ' ';
  for (const auto &[Kind, Count] : Waits)
    OS << Kind << ' ' << Count << ' ';
}

bool Counts::parse(StringRef Text) {
  for (auto Number : Numbers)
    if ((Text = Text.ltrim()).consumeInteger(10, this->*Number))
      return false;
  for (Text = Text.ltrim(); !Text.empty(); Text = Text.ltrim()) {
    auto [Kind, Rest] = Text.split(' ');
    if (Rest.consumeInteger(10, Waits[Kind.str()]))
      return false;
    Text = Rest;
  }
  return true;
}

static unsigned fileOf(unsigned Number) { return Number / PerFile * PerFile; }

static Settings settingsFor(uint64_t OfSeed, unsigned Number) {
  const Transform &T = *findTransform(TransformName);
  Settings How = chooseSettings(OfSeed, fileOf(Number), T);
  if (Break)
    How.TransformFlags.push_back(T.wrongFlag(Fault));
  return How;
}

//===- Findings -----------------------------------------------------------===//

/// An error is not to become another one, as of a kernel that was cut where it
/// does not compile.
static bool isSameError(const KernelResult &A, const KernelResult &B) {
  if (A.Found != Finding::BadKernel && A.Found != Finding::Error)
    return true;
  return StringRef(A.Details).split('\n').first ==
         StringRef(B.Details).split('\n').first;
}

/// Shrinks and writes a kernel. Returns the file's name.
static std::string writeFinding(const Environment &Where, uint64_t OfSeed,
                                Kernel K, const Settings &How,
                                KernelResult Result, raw_ostream &Log) {
  KernelResult Alone = ReduceSteps ? check(Where, How, K)[0] : Result;
  std::string Name = (Twine("seed") + Twine(OfSeed) + "-kernel" +
                      Twine(K.Number) + "-" + nameOf(Result.Found) + ".cu")
                         .str();
  if (Alone.Found != Result.Found) {
    Log << "  by itself: " << nameOf(Alone.Found) << "; not shrunk\n";
  } else {
    Result = Alone;
    Finding Kind = Result.Found;
    K = reduce(std::move(K), ReduceSteps, [&](const Kernel &Smaller) {
      KernelResult R = check(Where, How, Smaller)[0];
      if (R.Found != Kind || !isSameError(R, Result))
        return false;
      Result = R;
      return true;
    });
  }
  SmallString<128> Path(Output);
  sys::path::append(Path, Name);
  std::error_code EC = sys::fs::create_directories(Output);
  raw_fd_ostream OS(Path, EC);
  std::string Origin = ("--transform=" + Twine(TransformName) +
                        " --reduce=" + Twine(OfSeed) + ":" + Twine(K.Number))
                           .str();
  if (PerFile != PerFile.getDefault().getValue())
    Origin += " --per-file=" + std::to_string(PerFile);
  if (!Wait.empty())
    Origin += " --wait=" + Wait;
  OS << writeCase(K, How, Result, Origin);
  return std::string(Path);
}

static void report(const Environment &Where, uint64_t OfSeed, const Kernel &K,
                   const Settings &How, const KernelResult &Result,
                   raw_ostream &Log) {
  StringRef Details = Result.Details;
  Log << "finding: " << nameOf(Result.Found) << " in kernel " << OfSeed << ":"
      << K.Number << ": " << Details.trim().split('\n').first << "\n";
  Log << "  written to " << writeFinding(Where, OfSeed, K, How, Result, Log)
      << "\n";
  Log.flush();
}

static Features features() {
  Features With = findTransform(TransformName)->With;
  With.Wait = Wait;
  return With;
}

//===- Files --------------------------------------------------------------===//

static std::vector<Kernel> kernelsFrom(unsigned Number, unsigned Count) {
  const Features With = features();
  std::vector<Kernel> Result;
  Result.reserve(Count);
  for (unsigned I = 0; I < Count; ++I)
    Result.push_back(generate(Seed, Number + I, With));
  return Result;
}

static Counts checkFile(const Environment &Where, unsigned Number,
                        unsigned Count, raw_ostream &Log) {
  Settings How = settingsFor(Seed, Number);
  std::vector<Kernel> All = kernelsFrom(Number, Count);
  std::vector<KernelResult> Results = check(Where, How, All);
  Counts C;
  C.Checked = Count;
  for (auto [K, Result] : zip(All, Results)) {
    C.Changed += Result.Changed;
    C.Limited += Result.Limited;
    C.Waiting += !K.Waits.empty();
    C.WaitingTouched +=
        !K.Waits.empty() && ((Result.Changed && How.Alone) || Result.Limited);
    for (const std::string &Kind : K.Waits)
      ++C.Waits[Kind];
    // A fault that is planted is not shown by a compile that fails.
    if (Break ? !isOfTransform(Result.Found) : Result.Found == Finding::None)
      continue;
    // A wrong transform is found everywhere.
    if (C.Findings++ < (Break ? 1u : MaxFindings.getValue()))
      report(Where, Seed, K, How, Result, Log);
  }
  if (How.Alone) {
    C.CheckedAlone = C.Checked;
    C.ChangedAlone = C.Changed;
  }
  return C;
}

namespace {

/// A file's process.
struct Job {
  pid_t Process;
  int Pipe;
  unsigned Number, Count;
};

} // namespace

static Job startJob(const Environment &Where, unsigned Number, unsigned Count) {
  int Pipe[2];
  if (pipe(Pipe) != 0)
    report_fatal_error("no pipe could be made");
  outs().flush();
  pid_t Child = fork();
  if (Child == 0) {
    close(Pipe[0]);
    raw_fd_ostream Log(Pipe[1], /*shouldClose=*/true);
    Counts C = checkFile(Where, Number, Count, Log);
    Log << "counts ";
    C.print(Log);
    Log << "\n";
    Log.close();
    _exit(0);
  }
  close(Pipe[1]);
  return {Child, Pipe[0], Number, Count};
}

/// Passes its report on.
static Counts finishJob(const Job &J) {
  std::string Told;
  char Bytes[4096];
  for (ssize_t N; (N = read(J.Pipe, Bytes, sizeof(Bytes))) > 0;)
    Told.append(Bytes, size_t(N));
  close(J.Pipe);
  int Status = 0;
  waitpid(J.Process, &Status, 0);
  auto [Report, Last] = StringRef(Told).rsplit("counts ");
  outs() << (Last.empty() ? StringRef(Told) : Report);
  Counts C;
  if (!C.parse(Last)) {
    outs() << "finding: sluice-fuzz itself ended early with kernels " << Seed
           << ":" << J.Number << " to " << J.Number + J.Count - 1 << "\n";
    C = {};
    C.Checked = J.Count;
    C.Findings = 1;
  }
  return C;
}

static void printWaits(const Counts &All) {
  if (!All.Waiting)
    return;
  outs() << All.Waiting << " with waits (" << All.WaitingTouched
         << " of them changed alone or with fewer blocks): ";
  ListSeparator Comma;
  for (const auto &[Kind, Count] : All.Waits)
    outs() << Comma << Kind << ' ' << Count;
  outs() << "\n";
}

static int checkAll(const Environment &Where) {
  using namespace std::chrono;
  auto Begin = steady_clock::now();
  auto Seconds = [&] {
    return duration<double>(steady_clock::now() - Begin).count();
  };
  Counts All;
  std::vector<Job> Running;
  unsigned Next = First, End = First + Kernels;
  std::optional<Progress> Shown;
  Shown.emplace("sluice-fuzz", Kernels, "kernels");
  while (Next < End || !Running.empty()) {
    bool Enough = All.Findings >= (Break ? 1u : MaxFindings.getValue());
    if (Enough || (TimeLimit && Seconds() > TimeLimit))
      End = Next;
    if (Next < End && Running.size() < Jobs) {
      unsigned Count = std::min(End, fileOf(Next) + PerFile) - Next;
      Running.push_back(startJob(Where, Next, Count));
      Next += Count;
      continue;
    }
    if (Running.empty())
      break;
    All.add(finishJob(Running.front()));
    Running.erase(Running.begin());
    Shown->update(All.Checked);
  }
  Shown.reset(); // before anything is printed

  double Took = Seconds();
  outs() << All.Checked << " kernels in " << format("%.1f", Took) << " s ("
         << format("%.1f", All.Checked / Took) << " a second), " << All.Changed
         << " changed by '" << TransformName << "' (" << All.ChangedAlone
         << " of " << All.CheckedAlone << " alone), " << All.Limited
         << " with fewer blocks, " << All.Findings << " findings\n";
  printWaits(All);
  if (All.Checked < Kernels && !All.Findings)
    outs() << "the time limit of " << TimeLimit << " s left out "
           << Kernels - All.Checked << " kernels\n";
  if (!Wait.empty() && !All.Waits.count(Wait)) {
    errs() << "sluice-fuzz: error: no kernel has waits of the kind '" << Wait
           << "'\n";
    return FoundSomething;
  }
  if (Break) {
    if (All.Findings)
      return Clean;
    errs() << "sluice-fuzz: error: the transform was wrong, and nothing was "
              "found\n";
    return FoundSomething;
  }
  // What transforms nothing tests nothing.
  const unsigned OneIn = findTransform(TransformName)->OneIn;
  if (All.CheckedAlone >= 50 && All.ChangedAlone * OneIn < All.CheckedAlone) {
    errs() << "sluice-fuzz: error: fewer than one in " << OneIn
           << " kernels were changed by '" << TransformName << "' alone\n";
    return FoundSomething;
  }
  return All.Findings ? FoundSomething : Clean;
}

//===- Other modes --------------------------------------------------------===//

static int checkOneFile(const Environment &Where) {
  auto Text = MemoryBuffer::getFile(CheckFile);
  if (!Text)
    return cannotRun("'" + CheckFile + "': " + Text.getError().message());
  auto Read = readCase(CheckFile, (*Text)->getBuffer());
  if (!Read)
    return cannotRun(toString(Read.takeError()));
  KernelResult Result =
      checkSource(Where, Read->How, (*Text)->getBuffer(), Read->Description);
  outs() << nameOf(Result.Found) << "\n" << Result.Details;
  return Result.Found == Finding::None ? Clean : FoundSomething;
}

static int reduceOne(const Environment &Where) {
  auto [SeedText, NumberText] = StringRef(ReduceOne).split(':');
  uint64_t OfSeed;
  unsigned Number;
  if (SeedText.getAsInteger(10, OfSeed) || NumberText.getAsInteger(10, Number))
    return cannotRun("--reduce wants SEED:KERNEL, two numbers, not '" +
                     ReduceOne + "'");
  Kernel K = generate(OfSeed, Number, features());
  Settings How = settingsFor(OfSeed, Number);
  KernelResult Result = check(Where, How, K)[0];
  if (Result.Found == Finding::None) {
    outs() << "nothing is found in kernel " << OfSeed << ":" << Number
           << (Result.Changed ? "" : ", which is not changed") << "\n";
    return Clean;
  }
  report(Where, OfSeed, K, How, Result, outs());
  return Break ? Clean : FoundSomething;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(Category);
  std::string Overview =
      "Makes CUDA kernels, runs them on the emulator with and without a "
      "transform, and compares.\n\nTransforms: ";
  ListSeparator Comma;
  for (const Transform &T : transforms())
    (Overview += Comma) += T.Name;
  Overview += "\n\nExit status: 0 nothing found, 1 something found, 2 it could "
              "not run.\n";
  if (!cl::ParseCommandLineOptions(argc, argv, Overview, &errs()))
    return CannotRun;
  if (!findTransform(TransformName))
    return cannotRun("there is no transform '" + TransformName + "'");
  if (!PerFile || !Kernels || !Jobs || !MaxFindings)
    return cannotRun("--kernels, --per-file, --jobs and --max-findings must "
                     "not be 0");
  if (Print) {
    outs() << printSource(
        kernelsFrom(First, std::min<unsigned>(Kernels, PerFile)));
    return Clean;
  }
  auto Where = Environment::find(argv[0]);
  if (!Where)
    return cannotRun(toString(Where.takeError()));
  TemporaryFolder Test;
  if (Error E = Test.create())
    return cannotRun(toString(std::move(E)));
  if (!CheckFile.empty())
    return checkOneFile(*Where);
  if (!ReduceOne.empty())
    return reduceOne(*Where);
  return checkAll(*Where);
}
