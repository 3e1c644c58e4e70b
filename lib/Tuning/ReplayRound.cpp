// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that come out as the same code are measured once. In a round that
// is read again the manifest says which was which plan.

#include "sluice/Tuning/ReplayRound.h"
#include "ReplayFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <map>

using namespace llvm;
using namespace sluice;

//===- Writing ------------------------------------------------------------===//

namespace {

/// One line of round.json.
struct Candidate {
  std::string Kernel, Plan;
  std::string Id;     ///< In the job; empty: not measured itself.
  std::string SameAs; ///< "base", or the Id of one with the same code.
};

class RoundWriter {
public:
  explicit RoundWriter(const RoundOptions &Options) : Options(Options) {}

  Error write(const std::vector<Request> &Requests,
              const StringMap<std::string> &BaseCode, CandidateCode *From) {
    for (const char *Name : {"", "images"})
      if (std::error_code EC =
              sys::fs::create_directories(pathIn(Options.Folder, Name)))
        return createStringError(EC, "cannot make the folder '" +
                                         pathIn(Options.Folder, Name) +
                                         "': " + EC.message());
    if (Error E = compile(Requests, From))
      return E;
    std::string Job =
        "results results.jsonl\ncandidate base program\nbase base\n" +
        jobSettings(Options);
    std::vector<Candidate> Candidates;
    std::map<std::string, std::string> ByCode;
    for (auto [Index, R] : enumerate(Requests)) {
      Candidate C{R.Plan.Name, R.Text, "", ""};
      const auto &[Image, Code] = Codes[Index];
      auto Of = take(Image);
      if (!Of)
        return Of.takeError();
      std::string AtLaunch;
      if (R.Plan.CarveoutPercent)
        AtLaunch = " carveout=" + std::to_string(*R.Plan.CarveoutPercent);
      if (R.Plan.ClaimedSharedBytes)
        AtLaunch += " claim=" + std::to_string(R.Plan.ClaimedSharedBytes);
      std::string Key = (Twine(R.Plan.Name) + " " + Code + AtLaunch).str();
      auto [Twin, IsNew] = ByCode.try_emplace(Key);
      if (AtLaunch.empty() && Code == BaseCode.lookup(R.Plan.Name)) {
        C.SameAs = "base";
      } else if (!IsNew) {
        C.SameAs = Twin->second;
      } else {
        Twin->second = C.Id = "c" + std::to_string(Index);
        Job += "candidate " + C.Id + " images/" + std::to_string(*Of) +
               ".cubin kernel=" + R.Plan.Name + AtLaunch + "\n";
      }
      Candidates.push_back(std::move(C));
    }
    if (Error E = writeFile(pathIn(Options.Folder, "job"), Job))
      return E;
    if (Error E = writeManifest(Candidates, BaseCode))
      return E;
    return writeRunner(Options);
  }

private:
  Error compile(const std::vector<Request> &Requests, CandidateCode *From) {
    if (Requests.empty())
      return Error::success();
    std::vector<KernelPlan> Kernels;
    for (const Request &R : Requests)
      Kernels.push_back(R.Plan);
    auto Compiled = From->get(Kernels, Options.Turn, Options.What);
    if (Compiled)
      Codes = std::move(*Compiled);
    return Compiled.takeError();
  }

  /// Puts an image into the folder, with its plan for who looks there.
  Expected<size_t> take(const std::string &Image) {
    auto [Place, IsNew] = Taken.try_emplace(Image, Taken.size());
    if (!IsNew)
      return Place->second;
    for (const char *Kind : {".cubin", ".yaml"}) {
      const std::string To =
          pathIn(Options.Folder, "images/" + Twine(Place->second) + Kind);
      if (!sys::fs::create_hard_link(Image + Kind, To))
        continue;
      if (std::error_code EC = sys::fs::copy_file(Image + Kind, To))
        return createStringError(EC,
                                 "cannot write '" + To + "': " + EC.message());
    }
    return Place->second;
  }

  Error writeManifest(const std::vector<Candidate> &Candidates,
                      const StringMap<std::string> &BaseCode) {
    json::Array List;
    json::Object Code;
    for (const Candidate &C : Candidates) {
      Code[C.Kernel] = BaseCode.lookup(C.Kernel);
      List.push_back(json::Object{{"kernel", C.Kernel},
                                  {"plan", C.Plan},
                                  {"id", C.Id},
                                  {"same_as", C.SameAs}});
    }
    json::Object Round{{"candidates", std::move(List)},
                       {"code", std::move(Code)},
                       {"arguments", Options.Arguments}};
    return writeFile(pathIn(Options.Folder, "round.json"),
                     formatv("{0:2}\n", json::Value(std::move(Round))).str());
  }

  const RoundOptions &Options;
  std::vector<CandidateCode::Compiled> Codes; ///< Of the requests.
  std::map<std::string, size_t> Taken; ///< Images that are in the folder.
};

} // namespace

Error sluice::writeRound(const std::vector<Request> &Requests,
                         const RoundOptions &Options,
                         const StringMap<std::string> &BaseCode,
                         CandidateCode *From) {
  return RoundWriter(Options).write(Requests, BaseCode, From);
}

//===- Reading ------------------------------------------------------------===//

namespace {

class RoundReader {
public:
  Expected<Answers> read(const std::string &Folder) {
    std::string Manifest = pathIn(Folder, "round.json");
    auto Text = MemoryBuffer::getFile(Manifest);
    if (!Text)
      return createStringError(Text.getError(),
                               "'" + Manifest + "' cannot be read: is '" +
                                   Folder + "' a folder that --export wrote?");
    Expected<json::Value> Round = json::parse((*Text)->getBuffer());
    if (!Round)
      return Round.takeError();
    if (const json::Object *Top = Round->getAsObject()) {
      if (std::optional<StringRef> Arguments = Top->getString("arguments"))
        Result.Arguments = Arguments->str();
      if (const json::Object *Code = Top->getObject("code"))
        for (const auto &[Kernel, Hash] : *Code)
          Result.Code[Kernel] = Hash.getAsString().value_or("").str();
    }
    if (Error E = readResults(
            Folder, [&](const json::Object &Line) { readLine(Line); }))
      return std::move(E);
    addCandidates(Round->getAsObject()
                      ? Round->getAsObject()->getArray("candidates")
                      : nullptr);
    return std::move(Result);
  }

private:
  void readLine(const json::Object &Line) {
    StringRef Event = Line.getString("event").value_or("");
    std::string Kernel = Line.getString("kernel").value_or("").str();
    if (Event == "device") {
      Result.GPU = Line.getString("name").value_or("").str();
    } else if (Event == "launches") {
      KernelRun &Run = Result.Runs[Kernel];
      Run.Launches = Line.getInteger("launches").value_or(0);
      double Timed = Line.getNumber("timed").value_or(0);
      if (Timed > 0)
        Run.Ms = Line.getNumber("ms").value_or(0) / Timed * Run.Launches;
    } else if (Event == "measured") {
      readMeasurement(Line, Kernel);
    }
  }

  void readMeasurement(const json::Object &Line, const std::string &Kernel) {
    Evaluation E;
    E.Launch = Line.getInteger("launch").value_or(0);
    std::string Id = Line.getString("candidate").value_or("").str();
    std::tie(E.Ms, E.Runs) = medianTime(Line);
    E.WrongWords = Line.getInteger("wrong_words").value_or(0);
    E.Stopped = Line.getBoolean("stopped").value_or(false);
    E.Error = Line.getString("error").value_or("").str();
    // The base of a replay comes before its candidates.
    if (Id == "base")
      BaseMs[{Kernel, E.Launch}] = E.Ms;
    E.BaseMs = BaseMs[{Kernel, E.Launch}];
    ById[{Kernel, Id}].push_back(std::move(E));
  }

  void addCandidates(const json::Array *List) {
    if (!List)
      return;
    for (const json::Value &V : *List) {
      const json::Object *C = V.getAsObject();
      if (!C)
        continue;
      std::string Kernel = C->getString("kernel").value_or("").str();
      std::string Id = C->getString("id").value_or("").str();
      if (Id.empty())
        Id = C->getString("same_as").value_or("").str();
      auto Found = ById.find({Kernel, Id});
      if (Found == ById.end())
        continue;
      for (Evaluation E : Found->second) {
        E.Plan = C->getString("plan").value_or("").str();
        Result.Evaluations[Kernel].push_back(std::move(E));
      }
    }
  }

  Answers Result;
  std::map<std::pair<std::string, unsigned>, double> BaseMs; ///< Of a launch.
  std::map<std::pair<std::string, std::string>, std::vector<Evaluation>> ById;
};

} // namespace

Expected<Answers> sluice::readRound(const std::string &Folder) {
  return RoundReader().read(Folder);
}
