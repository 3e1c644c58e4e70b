// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "QualityJudge.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace sluice;

static std::optional<sys::TimePoint<>> timeOf(const NamedOutput &Output) {
  sys::fs::file_status Status;
  if (Output.Of != NamedOutput::File || sys::fs::status(Output.Text, Status))
    return std::nullopt;
  return Status.getLastModificationTime();
}

void QualityJudge::before() {
  Written.clear();
  for (const NamedOutput &Output : Quality.Outputs)
    Written.push_back(timeOf(Output));
}

/// A file of an earlier run is no output of this one.
Error QualityJudge::checkWritten() const {
  for (auto [Output, Before] : zip_equal(Quality.Outputs, Written))
    if (Output.Of == NamedOutput::File && timeOf(Output) == Before)
      return createStringError("the program did not write '" + Output.Text +
                               "', which --output-file names");
  return Error::success();
}

/// Copies what the user's command may compare with.
Error QualityJudge::keep(const MachineRun &Run) const {
  const std::string Folder = File("exact");
  if (std::error_code EC = sys::fs::create_directories(Folder))
    return createStringError(EC, "cannot make a folder");
  auto Copy = [&](StringRef From, StringRef Name) {
    return sys::fs::copy_file(From, Folder + "/" + Name);
  };
  if (std::error_code EC = Copy(Run.PrintedInto, "stdout"))
    return createStringError(EC, "cannot keep what the program printed");
  for (const NamedOutput &Output : Quality.Outputs)
    if (Output.Of == NamedOutput::File)
      if (std::error_code EC =
              Copy(pathOf(Output, Run), sys::path::filename(Output.Text)))
        return createStringError(EC, "cannot keep '" + Output.Text + "'");
  return Error::success();
}

Expected<double> QualityJudge::askCommand(unsigned Lambda,
                                          const MachineRun &Run) {
  const std::string Answer = File("answer");
  setenv("SLUICE_LAMBDA", std::to_string(Lambda).c_str(), /*overwrite=*/1);
  setenv("SLUICE_EXACT", File("exact").c_str(), /*overwrite=*/1);
  setenv("SLUICE_OUTPUTS", Run.Folder.empty() ? "." : Run.Folder.c_str(),
         /*overwrite=*/1);
  std::string Problem;
  const int Status = sys::ExecuteAndWait(
      "/bin/sh", {"sh", "-c", Quality.Command}, std::nullopt,
      {StringRef(Run.PrintedInto), StringRef(Answer), std::nullopt}, 0, 0,
      &Problem);
  if (Status != 0)
    return createStringError("--qos-command ended with " + Twine(Status) +
                             (Problem.empty() ? "" : ": " + Problem));
  auto Said = MemoryBuffer::getFile(Answer);
  if (!Said)
    return createStringError(Said.getError(), "cannot read what --qos-command "
                                              "printed");
  auto Value = readOneNumber((*Said)->getBuffer());
  if (!Value)
    return createStringError("--qos-command printed '" +
                             (*Said)->getBuffer().trim().take_front(80) +
                             "'; a number is expected, and nothing else");
  return *Value;
}

Expected<Reading> QualityJudge::read(unsigned Lambda, const MachineRun &Run,
                                     bool IsExact) {
  // Of a run elsewhere there are no older files.
  if (Run.Folder.empty())
    if (Error E = checkWritten())
      return std::move(E);
  if (IsExact)
    if (Error E = keep(Run))
      return std::move(E);
  Reading Result;
  if (isOfCommand(Quality.Wish.Metric)) {
    auto Printed = askCommand(Lambda, Run);
    if (!Printed)
      return Printed.takeError();
    Result.Printed = *Printed;
    return Result;
  }
  for (const NamedOutput &Output : Quality.Outputs) {
    auto Numbers = readOutput(Output, Run);
    if (!Numbers)
      return Numbers.takeError();
    Result.Numbers.push_back(std::move(*Numbers));
  }
  return Result;
}

double QualityJudge::value(const Reading &Reference, const Reading &Got) const {
  const QualityMetric Metric = Quality.Wish.Metric;
  if (isOfCommand(Metric))
    return Got.Printed;
  std::optional<double> Worst;
  for (auto [R, X] : zip_equal(Reference.Numbers, Got.Numbers)) {
    const double Value = measureQuality(Metric, R, X);
    Worst = Worst ? worse(Metric, *Worst, Value) : Value;
  }
  return *Worst;
}

static bool isSame(double A, double B) {
  return A == B || (std::isnan(A) && std::isnan(B));
}

static Error differ(const Twine &What, double A, double B) {
  std::string Text;
  raw_string_ostream(Text) << What << " is " << format("%.9g", A)
                           << " in one run and " << format("%.9g", B)
                           << " in the next, with no warp approximate: what "
                              "differs from run to run cannot be judged. Times "
                              "and dates are not for --output-file; sums by "
                              "atomics differ by their order";
  return createStringError(Text);
}

Error QualityJudge::checkSame(const Reading &First,
                              const Reading &Second) const {
  if (!isSame(First.Printed, Second.Printed))
    return differ("what --qos-command prints", First.Printed, Second.Printed);
  for (auto [Number, A, B] : enumerate(First.Numbers, Second.Numbers)) {
    const std::string &Name = Quality.Outputs[Number].Text;
    if (A.size() != B.size())
      return differ("how many numbers '" + Name + "' has", double(A.size()),
                    double(B.size()));
    for (auto [At, X, Y] : enumerate(A, B))
      if (!isSame(X, Y))
        return differ("number " + Twine(At + 1) + " of '" + Name + "'", X, Y);
  }
  return Error::success();
}

std::string QualityJudge::outputs() const {
  if (isOfCommand(Quality.Wish.Metric))
    return "what '" + Quality.Command + "' prints";
  return join(
      map_range(Quality.Outputs, [](const NamedOutput &O) { return O.Text; }),
      ", ");
}
