// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates of several kernels share an image, which saves compiles.

#include "sluice/Tuning/CandidateCode.h"
#include "ReplayFolder.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/MachineCode.h"
#include "sluice/Tuning/SearchSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

Expected<StringMap<std::string>>
sluice::hashKernels(const std::string &CubinPath) {
  auto Buffer = MemoryBuffer::getFile(CubinPath);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read '" + CubinPath + "'");
  auto All = readKernelCode((*Buffer)->getBuffer());
  if (!All)
    return All.takeError();
  StringMap<std::string> Hashes;
  for (const KernelCode &Code : *All) {
    SHA256 Hash;
    Hash.update(Code.Bytes);
    Hash.update((Twine(Code.Flags) + " " + Twine(Code.Info)).str());
    Hashes[Code.Name] = toHex(Hash.result(), /*LowerCase=*/true).substr(0, 16);
  }
  return Hashes;
}

static Plan untuned(const Plan &Skeleton) {
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

static std::string textOf(const KernelPlan &K) {
  Plan P;
  P.GPU = "sm_90"; // a plan must have one
  P.Kernels.push_back(K);
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  return Text;
}

static void put(Plan &P, const KernelPlan &K) {
  for (KernelPlan &Old : P.Kernels)
    if (Old.Name == K.Name) {
      Old = K;
      return;
    }
  P.Kernels.push_back(K);
}

CandidateCode::CandidateCode(const Plan &Skeleton, std::string Folder,
                             CompileImage Compile, CompileSlots &Slots)
    : Untuned(untuned(Skeleton)), Folder(std::move(Folder)),
      Compile(std::move(Compile)), Slots(Slots) {}

std::vector<CandidateCode::Entry *>
CandidateCode::claim(const std::vector<Key> &Keys, ArrayRef<KernelPlan> Kernels,
                     std::vector<Image> &New) {
  std::vector<Entry *> Entries;
  StringMap<size_t> Codes; // of a kernel, that are new
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto [K, Kernel] : zip_equal(Keys, Kernels)) {
    auto [Place, IsNew] = Known.try_emplace(K);
    Entries.push_back(&Place->second);
    if (!IsNew)
      continue;
    const size_t N = Codes[Kernel.Name]++;
    if (N == New.size())
      New.push_back({Untuned, pathIn(Folder, Twine(Images++)), {}});
    put(New[N].ThePlan, Kernel);
    New[N].Kernels.push_back({Kernel.Name, Entries.back()});
  }
  return Entries;
}

Error CandidateCode::compile(Image &I) {
  if (Error E = writePlanFile(I.Stem + ".yaml", I.ThePlan))
    return E;
  if (Error E = Compile(I.Stem + ".yaml", I.Stem + ".cubin"))
    return E;
  auto Hashes = hashKernels(I.Stem + ".cubin");
  if (!Hashes)
    return Hashes.takeError();
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto &[Name, Of] : I.Kernels) {
    Of->Image = I.Stem;
    Of->Hash = Hashes->lookup(Name);
    Of->IsDone = true;
  }
  Changed.notify_all();
  return Error::success();
}

Expected<std::vector<CandidateCode::Compiled>>
CandidateCode::get(ArrayRef<KernelPlan> Kernels, CompileTurn Turn,
                   StringRef What) {
  std::vector<KernelPlan> Codes(Kernels.begin(), Kernels.end());
  std::vector<Key> Keys;
  for (KernelPlan &Code : Codes) {
    sayNothingAtLaunch(Code);
    Keys.push_back({Code.Name, textOf(Code)});
  }
  std::vector<Image> New;
  const std::vector<Entry *> Entries = claim(Keys, Codes, New);
  std::vector<CompileTask> Tasks;
  for (Image &I : New)
    Tasks.push_back({What.str(), [this, &I] { return compile(I); }});
  std::string Problem = toString(Slots.run(Turn, std::move(Tasks)));

  std::unique_lock<std::mutex> Guard(Lock);
  // Others wait for those that were left out.
  for (Image &I : New)
    for (auto &[Name, Of] : I.Kernels)
      if (!std::exchange(Of->IsDone, true))
        Of->Problem = Problem;
  Changed.notify_all();
  std::vector<Compiled> All;
  for (Entry *E : Entries) {
    // Another thread compiles it: it waits for nobody before it is done.
    Changed.wait(Guard, [&] { return E->IsDone; });
    if (!E->Problem.empty())
      return createStringError(E->Problem);
    All.push_back(*E);
  }
  return All;
}
