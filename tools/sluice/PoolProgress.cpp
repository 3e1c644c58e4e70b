// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PoolProgress.h"
#include "sluice/Emulator/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using std::chrono::steady_clock;

static constexpr std::chrono::milliseconds BarInterval(200),
    LineInterval(10000);

void PoolProgress::begin(const std::string &What,
                         const std::map<std::string, unsigned> &Workers) {
  std::lock_guard<std::mutex> Guard(Lock);
  Began = steady_clock::now();
  Said = OnTerminal ? steady_clock::time_point() : Began; // a bar at once
  errs() << Tool << ": " << What << " on";
  ListSeparator Comma;
  for (const auto &[Kind, Count] : Workers)
    errs() << Comma << " " << Count << " x " << Kind;
  errs() << "\n";
}

void PoolProgress::add() {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Known;
}

void PoolProgress::take(StringRef Event, StringRef Piece, StringRef Where,
                        StringRef Why) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Event == "started") {
    Running[Piece.str()] = Where.str();
  } else if (Event == "again") {
    message() << Tool << ": " << Piece << " failed on "
              << (Running.count(Piece.str()) ? Running[Piece.str()]
                                             : Where.str())
              << " and is tried once more: " << Why << "\n";
    Running.erase(Piece.str());
  } else if (Event == "ended" || Event == "failed") {
    ++(Event == "ended" ? Done : Failed);
    if (Event == "failed")
      message() << Tool << ": " << Piece << " failed: " << Why << "\n";
    Running.erase(Piece.str());
  } else if (Event == "retired") {
    message() << Tool << ": " << Where << " is given nothing more: " << Why
              << "\n";
  } else {
    return;
  }
  if (steady_clock::now() - Said > (OnTerminal ? BarInterval : LineInterval))
    say();
}

void PoolProgress::end() {
  std::lock_guard<std::mutex> Guard(Lock);
  message();
  IsOver = true;
  say();
}

raw_ostream &PoolProgress::message() {
  if (OnTerminal)
    errs() << ClearLine;
  return errs();
}

std::string PoolProgress::running() const {
  constexpr unsigned MostNamed = 8;
  std::string Text;
  unsigned Named = 0;
  for (const auto &[Piece, Where] : Running) {
    if (Named == MostNamed)
      return Text + " and " + std::to_string(Running.size() - Named) + " more";
    Text += (Named++ ? ", " : "; running: ") + Piece + " on " + Where;
  }
  return Text;
}

void PoolProgress::say() {
  Said = steady_clock::now();
  const double Gone = std::chrono::duration<double>(Said - Began).count();
  const unsigned Over = Done + Failed;
  if (OnTerminal && !IsOver) {
    const std::string Bar =
        describeProgress(Tool, Over, Known, Unit, Gone, BarWidth) + running();
    // A line that is too long would not be cleared.
    const size_t Columns = std::max(80u, sys::Process::StandardErrColumns());
    errs() << ClearLine << StringRef(Bar).take_front(Columns - 1);
    return;
  }
  errs() << formatv("{0}: {1:F0} s, {2} of {3} {4} done", Tool, Gone, Done,
                    Known, Unit);
  if (Failed)
    errs() << ", " << Failed << " failed";
  if (Over < Known)
    errs() << timeLeft(Over, Known, Gone);
  errs() << running() << "\n";
}
