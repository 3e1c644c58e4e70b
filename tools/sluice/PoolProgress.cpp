// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PoolProgress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using std::chrono::steady_clock;

void PoolProgress::begin(const std::string &What,
                         const std::map<std::string, unsigned> &Workers) {
  std::lock_guard<std::mutex> Guard(Lock);
  Began = Said = steady_clock::now();
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
    errs() << Tool << ": " << Piece << " failed on "
           << (Running.count(Piece.str()) ? Running[Piece.str()] : Where.str())
           << " and is tried once more: " << Why << "\n";
    Running.erase(Piece.str());
  } else if (Event == "ended" || Event == "failed") {
    ++(Event == "ended" ? Done : Failed);
    if (Event == "failed")
      errs() << Tool << ": " << Piece << " failed: " << Why << "\n";
    Running.erase(Piece.str());
  } else if (Event == "retired") {
    errs() << Tool << ": " << Where << " is given nothing more: " << Why
           << "\n";
  } else {
    return;
  }
  if (steady_clock::now() - Said > std::chrono::seconds(1))
    say();
}

void PoolProgress::end() {
  std::lock_guard<std::mutex> Guard(Lock);
  say();
}

void PoolProgress::say() {
  constexpr unsigned MostNamed = 8;
  Said = steady_clock::now();
  double Gone = std::chrono::duration<double>(Said - Began).count();
  errs() << formatv("{0}: {1:F0} s, {2} of {3} {4} done", Tool, Gone, Done,
                    Known, Unit);
  if (Failed)
    errs() << ", " << Failed << " failed";
  unsigned Named = 0;
  for (const auto &[Piece, Where] : Running) {
    if (Named == MostNamed) {
      errs() << " and " << Running.size() - Named << " more";
      break;
    }
    errs() << (Named++ ? ", " : "; running: ") << Piece << " on " << Where;
  }
  errs() << "\n";
}
