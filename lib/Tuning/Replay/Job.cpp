// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for each directive, which answers with what is wrong with its
// line. People write jobs too.

#include "Job.h"
#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

using namespace sluice::replay;

static int lookUp(const std::map<std::string, int> &ByKernel,
                  const std::string &Kernel, int Otherwise) {
  for (const std::string &Name : {Kernel, std::string()})
    if (auto Found = ByKernel.find(Name); Found != ByKernel.end())
      return Found->second;
  return Otherwise;
}

int Candidate::carveout(const std::string &OfKernel) const {
  return lookUp(Carveouts, OfKernel, -1);
}

unsigned Candidate::claim(const std::string &OfKernel) const {
  return static_cast<unsigned>(lookUp(Claims, OfKernel, 0));
}

bool Job::wants(const std::string &Kernel) const {
  for (const std::string &Text : Ignored)
    if (Kernel.find(Text) != std::string::npos)
      return false;
  return Kernels.empty() ||
         std::find(Kernels.begin(), Kernels.end(), Kernel) != Kernels.end();
}

namespace {

/// What a launch can have without its kernel's opting in.
constexpr int MostClaimedBytes = 48 * 1024;

class Reader {
public:
  Reader(const std::string &Path, Job &Result)
      : Folder(folderOf(Path)), Result(Result) {}

  /// What is wrong with the line, or nothing.
  std::string line(const std::string &Text) {
    std::istringstream In(Text.substr(0, Text.find('#')));
    Words.clear();
    for (std::string Word; In >> Word;)
      Words.push_back(Word);
    return Words.empty() ? "" : directive();
  }

  std::string end() {
    if (Result.Results.empty())
      return "no 'results FILE'";
    if (Result.Candidates.empty())
      return "no 'candidate ID IMAGE'";
    if (Base.empty())
      return "";
    for (size_t I = 0; I < Result.Candidates.size(); ++I)
      if (Result.Candidates[I].Id == Base) {
        Result.Base = I;
        return "";
      }
    return "base '" + Base + "' is none of the candidates";
  }

private:
  static std::string folderOf(const std::string &Path) {
    size_t Slash = Path.rfind('/');
    return Slash == std::string::npos ? "" : Path.substr(0, Slash + 1);
  }
  std::string resolve(const std::string &Path) const {
    return Path.front() == '/' ? Path : Folder + Path;
  }

  std::string directive() {
    const std::string &Name = Words[0];
    if (Name == "candidate")
      return candidate();
    if (Name == "dump")
      return dump();
    if (Words.size() != 2)
      return "'" + Name + "' takes one value";
    const std::string &Value = Words[1];
    if (Name == "results")
      Result.Results = resolve(Value);
    else if (Name == "best")
      Result.Best = resolve(Value);
    else if (Name == "base")
      Base = Value;
    else if (Name == "kernel")
      Result.Kernels.push_back(Value);
    else if (Name == "ignore")
      Result.Ignored.push_back(Value);
    else if (Name == "time-wrong" && (Value == "yes" || Value == "no"))
      Result.TimeWrong = Value == "yes";
    else if (Name == "time-wrong")
      return "'time-wrong' is yes or no";
    else
      return number(Name, Value);
    return "";
  }

  std::string number(const std::string &Name, const std::string &Text) {
    // Not strtod: the program's locale may have a comma for the point.
    double Value = 0;
    auto [End, Problem] =
        std::from_chars(Text.data(), Text.data() + Text.size(), Value);
    bool IsNumber = Problem == std::errc() &&
                    End == Text.data() + Text.size() && Value >= 0;
    bool IsCount = IsNumber && Value >= 1 && Value <= 1e6 &&
                   Value == static_cast<unsigned>(Value);
    if (Name == "rounds" || Name == "launches") {
      if (!IsCount)
        return "'" + Name + "' takes a number from 1, not '" + Text + "'";
      (Name == "rounds" ? Result.Rounds : Result.Launches) =
          static_cast<unsigned>(Value);
    } else if (Name == "stop-losers" || Name == "time-limit") {
      if (!IsNumber)
        return "'" + Name + "' takes a number, not '" + Text + "'";
      (Name == "stop-losers" ? Result.StopLosers : Result.TimeLimit) = Value;
    } else {
      return "there is no directive '" + Name +
             "' (results, candidate, base, kernel, ignore, dump, rounds, "
             "launches, stop-losers, best, time-limit, time-wrong)";
    }
    return "";
  }

  static std::string property(Candidate &C, const std::string &Word) {
    size_t Equals = Word.find('=');
    std::string Key = Word.substr(0, Equals);
    std::string Value =
        Equals == std::string::npos ? "" : Word.substr(Equals + 1);
    if (Key == "kernel" && !Value.empty()) {
      C.Kernel = Value;
      return "";
    }
    bool IsClaim = Key == "claim";
    if (Key != "carveout" && !IsClaim)
      return "'" + Word +
             "' is not known here (carveout=PERCENT, claim=BYTES, "
             "kernel=NAME)";
    size_t Colon = Value.rfind(':');
    std::string Kernel;
    if (Colon != std::string::npos) {
      Kernel = Value.substr(0, Colon);
      Value = Value.substr(Colon + 1);
    }
    int Number = 0;
    auto [End, Problem] =
        std::from_chars(Value.data(), Value.data() + Value.size(), Number);
    if (Problem != std::errc() || End != Value.data() + Value.size() ||
        Number < 0 || Number > (IsClaim ? MostClaimedBytes : 100))
      return "'" + Word + "': " +
             (IsClaim ? "a claim is 0 to 48 KiB, in bytes"
                      : "a carveout is 0 to 100 per cent");
    (IsClaim ? C.Claims : C.Carveouts)[Kernel] = Number;
    return "";
  }

  std::string candidate() {
    if (Words.size() < 3)
      return "'candidate' takes an identifier and an image";
    Candidate C;
    C.Id = Words[1];
    for (const Candidate &Other : Result.Candidates)
      if (Other.Id == C.Id)
        return "a second candidate '" + C.Id + "'";
    if (Words[2] != "program")
      C.Image = resolve(Words[2]);
    for (size_t I = 3; I < Words.size(); ++I) {
      std::string Problem = property(C, Words[I]);
      if (!Problem.empty())
        return Problem;
    }
    Result.Candidates.push_back(C);
    return "";
  }

  std::string dump() {
    if (Words.size() != 4)
      return "'dump' takes a kernel, an argument's number and a file";
    Dump D{Words[1], 0, resolve(Words[3])};
    const char *EndOfWord = Words[2].data() + Words[2].size();
    auto [End, Problem] =
        std::from_chars(Words[2].data(), EndOfWord, D.Argument);
    if (Problem != std::errc() || End != EndOfWord)
      return "'" + Words[2] + "' is no argument's number";
    Result.Dumps.push_back(D);
    return "";
  }

  std::string Folder;
  std::string Base;
  std::vector<std::string> Words;
  Job &Result;
};

} // namespace

bool sluice::replay::readJob(const std::string &Path, Job &Result,
                             std::string &Error) {
  std::ifstream In(Path);
  if (!In) {
    Error = Path + ": cannot be read";
    return false;
  }
  Reader R(Path, Result);
  unsigned Number = 0;
  for (std::string Line; std::getline(In, Line);) {
    ++Number;
    Error = R.line(Line);
    if (!Error.empty()) {
      Error.insert(0, Path + ":" + std::to_string(Number) + ": ");
      return false;
    }
  }
  Error = R.end();
  if (!Error.empty())
    Error = Path + ": " + Error;
  return Error.empty();
}
