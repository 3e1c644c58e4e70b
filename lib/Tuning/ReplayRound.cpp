// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates of several kernels share an image, which saves compiles; those
// that come out as the same code are measured once. In a round that is read
// again the manifest says which was which plan.

#include "sluice/Tuning/ReplayRound.h"
#include "ReplayFolder.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Tuning/SearchSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

using namespace llvm;
using namespace sluice;

//===- Code ---------------------------------------------------------------===//

Expected<StringMap<std::string>>
sluice::hashKernels(const std::string &CubinPath) {
  auto Buffer = MemoryBuffer::getFile(CubinPath);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read '" + CubinPath + "'");
  auto File = object::ELF64LEFile::create((*Buffer)->getBuffer());
  if (!File)
    return File.takeError();
  auto Sections = File->sections();
  if (!Sections)
    return Sections.takeError();
  StringMap<std::string> Hashes;
  for (const auto &Section : *Sections) {
    Expected<StringRef> Name = File->getSectionName(Section);
    if (!Name)
      return Name.takeError();
    if (!Name->consume_front(".text."))
      continue;
    Expected<ArrayRef<uint8_t>> Code = File->getSectionContents(Section);
    if (!Code)
      return Code.takeError();
    SHA256 Hash;
    Hash.update(*Code);
    // Registers and barriers are in the section's header.
    Hash.update((Twine(Section.sh_flags) + " " + Twine(Section.sh_info)).str());
    Hashes[*Name] = toHex(Hash.result(), /*LowerCase=*/true).substr(0, 16);
  }
  return Hashes;
}

//===- Writing ------------------------------------------------------------===//

namespace {

/// One line of round.json.
struct Candidate {
  std::string Kernel, Plan;
  std::string Id;     ///< In the job; empty: not measured itself.
  std::string SameAs; ///< "base", or the Id of one with the same code.
};

/// The plans of one image: a kernel's entry each.
struct Image {
  Plan ThePlan;
  StringMap<std::string> Hashes;
};

class RoundWriter {
public:
  RoundWriter(const RoundOptions &Options, const Plan &Skeleton)
      : Options(Options), Skeleton(Skeleton) {}

  Error write(const std::vector<Request> &Requests,
              const StringMap<std::string> &BaseCode,
              const CompileImage &Compile) {
    for (const char *Name : {"", "images"})
      if (std::error_code EC =
              sys::fs::create_directories(pathIn(Options.Folder, Name)))
        return createStringError(EC, "cannot make the folder '" +
                                         pathIn(Options.Folder, Name) +
                                         "': " + EC.message());
    for (const Request &R : Requests)
      place(R);
    if (Error E = compileAll(Compile))
      return E;
    std::string Job =
        "results results.jsonl\ncandidate base program\nbase base\n" +
        jobSettings(Options);
    std::vector<Candidate> Candidates;
    std::map<std::string, std::string> ByCode;
    for (auto [Index, R] : enumerate(Requests)) {
      Candidate C{R.Plan.Name, R.Text, "", ""};
      size_t Of = Places[Index];
      std::string Code = Images[Of].Hashes.lookup(R.Plan.Name);
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
        Job += "candidate " + C.Id + " images/" + std::to_string(Of) +
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
  /// Puts a request's code, which is its plan without what is said at the
  /// launch, into the first image with room for it.
  void place(const Request &R) {
    KernelPlan Code = R.Plan;
    sayNothingAtLaunch(Code);
    auto [Place, IsNew] = ImageOf.try_emplace({Code.Name, textOf(Code)});
    if (IsNew) {
      Place->second = Codes[Code.Name]++; // image n has the n-th code
      if (Place->second == Images.size())
        Images.push_back({untuned(), {}});
      put(Images[Place->second].ThePlan, Code);
    }
    Places.push_back(Place->second);
  }

  static std::string textOf(const KernelPlan &K) {
    Plan P;
    P.GPU = "sm_90"; // a plan must have one
    P.Kernels.push_back(K);
    std::string Text;
    raw_string_ostream OS(Text);
    writePlans(P, OS);
    return Text;
  }

  /// Without what the tuner chooses.
  Plan untuned() const {
    Plan P = Skeleton;
    const GPUModel &GPU = *cantFail(findGPUModel(P.GPU)); // it was planned for
    for (KernelPlan &K : P.Kernels) {
      SearchSpace Space = searchSpace(K, GPU);
      K = Space.at(Space.untuned());
    }
    return P;
  }

  static void sayNothingAtLaunch(KernelPlan &K) {
    for (const Technique *T : techniques())
      if (!(T->changes() & Technique::Kernel))
        T->forget(K);
  }

  static void put(Plan &P, const KernelPlan &K) {
    for (KernelPlan &Old : P.Kernels)
      if (Old.Name == K.Name) {
        Old = K;
        return;
      }
    P.Kernels.push_back(K);
  }

  Error compileAll(const CompileImage &Compile) {
    DefaultThreadPool Pool(hardware_concurrency(Options.Jobs));
    std::mutex Lock;
    Error All = Error::success();
    for (auto [Index, I] : enumerate(Images)) {
      std::string Stem = pathIn(Options.Folder, "images/" + Twine(Index));
      Pool.async([&, Stem, &I = I] {
        Error E = compileOne(I, Stem, Compile);
        std::lock_guard<std::mutex> Guard(Lock);
        All = joinErrors(std::move(All), std::move(E));
      });
    }
    Pool.wait();
    return All;
  }

  static Error compileOne(Image &I, const std::string &Stem,
                          const CompileImage &Compile) {
    if (Error E = writePlanFile(Stem + ".yaml", I.ThePlan))
      return E;
    if (Error E = Compile(Stem + ".yaml", Stem + ".cubin"))
      return E;
    auto Hashes = hashKernels(Stem + ".cubin");
    if (!Hashes)
      return Hashes.takeError();
    I.Hashes = std::move(*Hashes);
    return Error::success();
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
  const Plan &Skeleton;
  std::vector<Image> Images;
  std::vector<size_t> Places; ///< A request's image.
  /// By kernel and plan.
  std::map<std::pair<std::string, std::string>, size_t> ImageOf;
  StringMap<size_t> Codes; ///< Of a kernel, so far.
};

} // namespace

Error sluice::writeRound(const std::vector<Request> &Requests,
                         const Plan &Skeleton, const RoundOptions &Options,
                         const StringMap<std::string> &BaseCode,
                         const CompileImage &Compile) {
  return RoundWriter(Options, Skeleton).write(Requests, BaseCode, Compile);
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
