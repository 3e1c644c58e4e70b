// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// M thread blocks on an SM (CATT's throttling of blocks), by a claim of shared
// memory at the launch. It is decided with the turns (Throttle.cpp).

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/BlockClaim.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"blocks", "auto|prefer|off", "auto", "auto, prefer, or off",
     "limit the blocks on an SM where turns of warps cannot be taken; prefer: "
     "also in place of turns, where one loop is the kernel",
     [](StringRef Value, Options &Result) {
       Result.LimitBlocks = Value != "off";
       Result.PreferBlocks = Value == "prefer";
       return check(Value == "auto" || Value == "prefer" || Value == "off");
     }},
};

namespace {

/// A number from 1 to 32, what an SM holds at most.
struct BlockCount {
  unsigned Value;
};

/// What a block can have without the program's opting in.
struct ClaimedBytes {
  uint64_t Value = 0;
  friend bool operator==(const ClaimedBytes &A, const ClaimedBytes &B) {
    return A.Value == B.Value;
  }
};

} // namespace

namespace llvm::yaml {

template <> struct ScalarTraits<BlockCount> {
  static void output(const BlockCount &M, void *, raw_ostream &OS) {
    OS << M.Value;
  }
  static StringRef input(StringRef Text, void *, BlockCount &M) {
    if (Text.getAsInteger(10, M.Value) || M.Value < 1 || M.Value > 32)
      return "resident-blocks must be a number from 1 to 32";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<ClaimedBytes> {
  static void output(const ClaimedBytes &S, void *, raw_ostream &OS) {
    OS << S.Value;
  }
  static StringRef input(StringRef Text, void *, ClaimedBytes &S) {
    static_assert(MostSharedWithoutOptIn == 49152,
                  "the message below names the limit");
    if (Text.getAsInteger(10, S.Value) || S.Value > MostSharedWithoutOptIn)
      return "claimed-shared-bytes must be a number up to 49152";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

} // namespace llvm::yaml

/// Shared memory of a block, if it is known and the same in all launches.
static std::optional<uint64_t> sharedBytesOf(const KernelPlan &Kernel) {
  std::optional<uint64_t> Bytes;
  for (const LaunchPlan &Launch : Kernel.Launches) {
    if (!Launch.DynamicSharedBytes || Launch.BlocksPerSM == 0)
      return std::nullopt;
    uint64_t OfThis = Kernel.StaticSharedBytes + *Launch.DynamicSharedBytes;
    if (Bytes && *Bytes != OfThis)
      return std::nullopt;
    Bytes = OfThis;
  }
  return Bytes;
}

/// M, from all that an SM can hold down to one. Its claim brings a carveout.
static std::vector<Choice> residentBlocks(const KernelPlan &Kernel,
                                          const GPUModel &GPU) {
  std::optional<uint64_t> OwnBytes = sharedBytesOf(Kernel);
  if (!OwnBytes)
    return {};
  unsigned Most = 0;
  for (const LaunchPlan &Launch : Kernel.Launches)
    Most = std::max(Most, Launch.BlocksPerSM);
  Choice C;
  C.Name = "blocks";
  C.Goes = Choice::InRecord;
  C.Overrides = "carveout";
  C.Values.push_back("all");
  std::vector<std::pair<unsigned, BlockClaim>> Claims;
  for (unsigned M = Most; M-- > 1;) {
    auto Claim = claimForBlocks(GPU, M, *OwnBytes);
    if (!Claim || *OwnBytes + Claim->Bytes > MostSharedWithoutOptIn)
      continue;
    if (Kernel.ResidentBlocks == M)
      C.Planned = C.Values.size();
    Claims.push_back({M, *Claim});
    C.Values.push_back(std::to_string(M));
  }
  C.Set = [Claims](KernelPlan &K, unsigned Index) {
    if (Index == 0)
      return;
    const auto &[M, Claim] = Claims[Index - 1];
    K.ResidentBlocks = M;
    K.ClaimedSharedBytes = Claim.Bytes;
    K.CarveoutPercent = Claim.CarveoutPercent;
    K.BlocksWhy = "tuned";
  };
  if (Claims.empty())
    return {};
  return {C};
}

namespace {

class BlocksTechnique final : public Technique {
public:
  StringLiteral name() const override { return "blocks"; }
  unsigned changes() const override { return Host; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override {
    return Opts.Throttle && Opts.LimitBlocks;
  }
  /// But for the M that is asked for by `throttle=N,M`.
  void switchOff(Options &Opts) const override {
    Opts.LimitBlocks = Opts.ForcedResidentBlocks.has_value();
  }
  StringLiteral saidByPlans() const override { return "resident-blocks"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return !Opts.LimitBlocks || Opts.PreferBlocks;
  }

  unsigned newestVersion() const override { return 2; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.ResidentBlocks || K.ClaimedSharedBytes || !K.BlocksWhy.empty() ? 2
                                                                            : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    mapOptionalAs<BlockCount>(YAML, "resident-blocks", K.ResidentBlocks);
    ClaimedBytes Claim{K.ClaimedSharedBytes};
    YAML.mapOptional("claimed-shared-bytes", Claim, ClaimedBytes());
    K.ClaimedSharedBytes = Claim.Value;
    YAML.mapOptional("blocks-why", K.BlocksWhy, std::string());
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &,
                 KernelPlan &Ours) const override {
    Ours.ResidentBlocks = Given ? Given->ResidentBlocks : std::nullopt;
    Ours.ClaimedSharedBytes = Given ? Given->ClaimedSharedBytes : 0;
    Ours.BlocksWhy.clear();
    if (Ours.ResidentBlocks || Ours.ClaimedSharedBytes != 0)
      Ours.BlocksWhy = "the given plan says so";
  }
  void forget(KernelPlan &K) const override {
    if (!K.ResidentBlocks && K.ClaimedSharedBytes == 0)
      return;
    K.CarveoutPercent.reset(); // it is for nothing else
    K.ResidentBlocks.reset();
    K.ClaimedSharedBytes = 0;
    K.BlocksWhy.clear();
  }

  TechniquePass pass() const override {
    return {"sluice-host-record", PassStage::Start};
  }
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &GPU) const override {
    return residentBlocks(K, GPU);
  }
};

} // namespace

const Technique &sluice::blocksTechnique() {
  static const BlocksTechnique Row;
  return Row;
}
