// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is wrong is wrong in a million threads: the first of a kind and
// line is told in full, the others are a number.

#include "Report.h"
#include "Launch.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

using namespace sluice::emulator;

std::string CodePlace::str() const {
  return File.empty() ? "an unknown line" : File + ":" + std::to_string(Line);
}

std::string CodePlace::fullPath() const {
  if (File.empty() || Folder.empty() || llvm::sys::path::is_absolute(File))
    return File;
  llvm::SmallString<128> Path(Folder);
  llvm::sys::path::append(Path, File);
  return Path.str().str();
}

Reporter::~Reporter() = default;

// Reports of one kind and line beyond these are only counted.
static constexpr size_t MaxReports = 100;

void Reporter::error(const std::string &What, const std::string &Key,
                     const std::vector<std::string> &Lines) {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Errors;
  uint64_t &Times = Seen[What + "\n" + Key];
  Heads.emplace(What + "\n" + Key, What);
  if (++Times > 1 || Seen.size() > MaxReports)
    return;
  std::fflush(stdout);
  std::string Text = "sluice emulate: error: " + What + "\n";
  for (const std::string &Line : Lines)
    Text += "  " + Line + "\n";
  std::fputs(Text.c_str(), stderr);
  std::fflush(stderr);
  if (FailFast)
    _exit(86);
}

void Reporter::warnOnce(const void *Key,
                        llvm::function_ref<std::string()> Text) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Warned.insert(Key).second || Warned.size() > MaxReports)
    return;
  std::fflush(stdout);
  std::fprintf(stderr, "sluice emulate: warning: %s\n", Text().c_str());
}

void Reporter::summary() {
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t Repeats = 0;
  for (const auto &[Key, Times] : Seen)
    Repeats += Times - 1;
  if (Errors)
    std::fprintf(
        stderr,
        "sluice emulate: %zu different error%s, %llu repeat%s of them\n",
        Seen.size(), Seen.size() == 1 ? "" : "s", (unsigned long long)Repeats,
        Repeats == 1 ? "" : "s");
}

const CodePlace &sluice::emulator::placeOf(const Context &C,
                                           const Instruction *PC) {
  static const CodePlace Unknown;
  const Function *F = C.Running;
  return F && PC && PC->Place < F->Places.size() ? F->Places[PC->Place]
                                                 : Unknown;
}

void sluice::emulator::reportLane(Context *C, const Instruction *PC,
                                  unsigned Lane, const std::string &What,
                                  std::vector<std::string> Detail,
                                  const uint64_t *Address) {
  const LaunchRun &Run = *C->Run;
  const CodePlace &Place = placeOf(*C, PC);
  std::string Where, Who;
  {
    llvm::raw_string_ostream OS(Where);
    OS << "at " << Place.str() << " in kernel " << Run.E.Kernel->PrettyName;
    if (C->Running != Run.E.Kernel)
      OS << ", in " << C->Running->PrettyName;
  }
  {
    llvm::raw_string_ostream OS(Who);
    const Dim3 &B = C->Block->Index;
    OS << "block (" << B.X << ',' << B.Y << ',' << B.Z << "), thread ("
       << C->Warp->Tid[0][Lane] << ',' << C->Warp->Tid[1][Lane] << ','
       << C->Warp->Tid[2][Lane] << ')';
    if (Address)
      OS << ", address " << llvm::format_hex(*Address, 1);
  }
  std::vector<std::string> Lines = {Where, Who};
  Lines.insert(Lines.end(), Detail.begin(), Detail.end());
  std::string Launched = Run.E.Where.str();
  if (!Launched.empty())
    Lines.push_back("launched at " + Launched);
  Run.E.Reports->error(What, Place.str() + Run.E.Kernel->Name, Lines);
}
