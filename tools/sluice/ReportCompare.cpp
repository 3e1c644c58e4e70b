// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are the same if their mangled names are, decisions if what they do
// and why they do it is: the place may have moved between two versions of a
// source.

#include "ReportCompare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace sluice;

template <typename T> using Both = std::array<T, 2>;

//===- A kernel -----------------------------------------------------------===//

namespace {

/// Null: that side has none such.
using KernelPair = Both<const ComparedKernel *>;

class Writer {
public:
  Writer(json::OStream &J, const Comparison &C) : J(J), C(C) {}
  void write();

private:
  void writeText(StringRef Key, StringRef Text) {
    J.attribute(Key, json::fixUTF8(Text));
  }
  /// One value for each side of what \p Of gives for its part of the report.
  void writeBoth(StringRef Key, const KernelPair &K,
                 function_ref<json::Value(const json::Object &)> Of);
  void writeMilliseconds(const Both<std::optional<double>> &Ms);
  void writeTimes(const KernelPair &K);
  void writeTime(const KernelPair &K);
  void writeFacts(const KernelPair &K);
  void writeDecisions(const KernelPair &K);
  void writeRemarks(const KernelPair &K);
  void writeKernel(const KernelPair &K);
  void writeSides();

  json::OStream &J;
  const Comparison &C;
};

} // namespace

void Writer::writeBoth(StringRef Key, const KernelPair &K,
                       function_ref<json::Value(const json::Object &)> Of) {
  J.attributeArray(Key, [&] {
    for (const ComparedKernel *Side : K)
      J.value(Side ? Of(Side->Report) : nullptr);
  });
}

void Writer::writeMilliseconds(const Both<std::optional<double>> &Ms) {
  J.attributeArray("ms", [&] {
    for (const auto &One : Ms)
      J.value(One ? json::Value(*One) : nullptr);
  });
  if (Ms[0] && Ms[1] && *Ms[1] > 0)
    J.attribute("speed-up", *Ms[0] / *Ms[1]);
}

/// What stands at a path of keys; null: nothing does.
static json::Value valueAt(const json::Object &O, ArrayRef<StringRef> Keys) {
  const json::Object *At = &O;
  for (const StringRef Key : Keys.drop_back())
    if (!(At = At->getObject(Key)))
      return nullptr;
  const json::Value *Found = At->get(Keys.back());
  return Found ? *Found : nullptr;
}

/// A line for each alternative and source of times.
void Writer::writeTimes(const KernelPair &K) {
  std::vector<StringRef> Names;
  for (const ComparedKernel *Side : K)
    for (const Alternative &A :
         Side ? ArrayRef(Side->Times) : ArrayRef<Alternative>())
      if (!is_contained(Names, A.What))
        Names.push_back(A.What);
  J.attributeArray("times", [&] {
    for (const StringRef What : Names)
      for (const TimeSource &From : TimeSources) {
        Both<std::optional<double>> Ms;
        Both<bool> IsDecided = {};
        for (auto [I, Side] : enumerate(K))
          for (const Alternative &A :
               Side ? ArrayRef(Side->Times) : ArrayRef<Alternative>())
            if (A.What == What) {
              Ms[I] = A.*From.Time;
              IsDecided[I] = A.IsDecided;
            }
        if (!Ms[0] && !Ms[1])
          continue;
        J.object([&] {
          writeText("what", What);
          J.attribute("by", From.Name);
          writeMilliseconds(Ms);
          J.attribute("decided", json::Array{IsDecided[0], IsDecided[1]});
        });
      }
  });
}

/// The least of what is decided, by the best source that both have, or else
/// that one has.
void Writer::writeTime(const KernelPair &K) {
  const TimeSource *Best = nullptr;
  Both<std::optional<double>> BestMs;
  for (const TimeSource &From : TimeSources) {
    Both<std::optional<double>> Ms;
    for (auto [I, Side] : enumerate(K))
      for (const Alternative &A :
           Side ? ArrayRef(Side->Times) : ArrayRef<Alternative>())
        if (A.IsDecided && A.*From.Time)
          Ms[I] = std::min(Ms[I].value_or(*(A.*From.Time)), *(A.*From.Time));
    auto Known = [](const auto &Of) { return bool(Of[0]) + bool(Of[1]); };
    if (Known(Ms) > Known(BestMs)) {
      Best = &From;
      BestMs = Ms;
    }
  }
  J.attributeObject("time", [&] {
    if (Best)
      J.attribute("by", Best->Name);
    writeMilliseconds(BestMs);
  });
}

void Writer::writeFacts(const KernelPair &K) {
  struct Fact {
    StringRef What;
    std::vector<StringRef> Keys;
  };
  const Fact Facts[] = {
      {"bound by (simulator)", {"bound-by"}},
      {"bound by (X-model)", {"x-model", "bound"}},
      {"launches", {"launches"}},
      {"ms of all launches, by the profile", {"ms"}},
      {"warps on an SM", {"occupancy", "warps"}},
      {"blocks on an SM", {"occupancy", "blocks"}},
      {"limited by", {"occupancy", "limited-by"}},
      {"registers of a thread", {"occupancy", "registers"}},
      {"shared memory of a block, B", {"occupancy", "static-shared-bytes"}},
      {"L1, B", {"occupancy", "l1-bytes"}},
      {"hits, a share", {"x-model", "hit-rate"}},
      {"Z, instructions/B", {"x-model", "parameters", "Z"}},
      {"E, side by side", {"x-model", "parameters", "E"}},
      {"M, instructions/cycle", {"x-model", "parameters", "M"}},
      {"R, B/cycle", {"x-model", "parameters", "R"}},
      {"L, cycles", {"x-model", "parameters", "L"}},
      {"request, B", {"x-model", "parameters", "request-bytes"}}};
  J.attributeArray("facts", [&] {
    for (const Fact &F : Facts) {
      auto Of = [&](const json::Object &O) { return valueAt(O, F.Keys); };
      if (none_of(K, [&](const ComparedKernel *Side) {
            return Side && Of(Side->Report) != nullptr;
          }))
        continue;
      J.object([&] {
        J.attribute("what", F.What);
        writeBoth("values", K, Of);
      });
    }
  });
}

//===- Decisions and remarks ----------------------------------------------===//

/// The objects of a list of \p K's.
static std::vector<const json::Object *> listOf(const ComparedKernel *K,
                                                StringRef Key) {
  std::vector<const json::Object *> Objects;
  const json::Array *Listed = K ? K->Report.getArray(Key) : nullptr;
  if (!Listed)
    return Objects;
  for (const json::Value &One : *Listed)
    if (const json::Object *O = One.getAsObject())
      Objects.push_back(O);
  return Objects;
}

/// Takes out of both what is alike in all of \p Keys, each with one of the
/// other; how many pairs it took.
static unsigned takeEqual(Both<std::vector<const json::Object *>> &Of,
                          ArrayRef<StringRef> Keys) {
  unsigned Pairs = 0;
  llvm::erase_if(Of[0], [&](const json::Object *A) {
    const auto Found = find_if(Of[1], [&](const json::Object *B) {
      return all_of(Keys, [&](StringRef Key) {
        return textOf(*A, Key) == textOf(*B, Key);
      });
    });
    if (Found == Of[1].end())
      return false;
    Of[1].erase(Found);
    ++Pairs;
    return true;
  });
  return Pairs;
}

void Writer::writeDecisions(const KernelPair &K) {
  Both<std::vector<const json::Object *>> Of = {listOf(K[0], "decisions"),
                                                listOf(K[1], "decisions")};
  unsigned Equal = takeEqual(Of, {"of", "why", "at"});
  Equal += takeEqual(Of, {"of", "why"});
  J.attribute("equal-decisions", Equal);
  // "throttle: N = 2" is of the technique throttle.
  auto TechniqueOf = [](const json::Object &O) {
    return StringRef(textOf(O, "of")).split(": ").first.str();
  };
  auto Write = [&](const json::Object *A, const json::Object *B) {
    const json::Object &Known = A ? *A : *B;
    const std::string Technique = TechniqueOf(Known);
    J.object([&] {
      writeText("of", Technique);
      writeText("at", textOf(Known, "at"));
      J.attributeArray("values", [&] {
        for (const json::Object *O : {A, B}) {
          if (!O) {
            J.value(nullptr);
            continue;
          }
          std::string Said = textOf(*O, "of").substr(Technique.size());
          if (!Said.empty())
            Said = Said.substr(2) + ": ";
          J.value(json::fixUTF8(Said + textOf(*O, "why")));
        }
      });
    });
  };
  J.attributeArray("decisions", [&] {
    for (const json::Object *A : Of[0]) {
      const auto Found = find_if(Of[1], [&](const json::Object *B) {
        return TechniqueOf(*A) == TechniqueOf(*B) &&
               textOf(*A, "at") == textOf(*B, "at");
      });
      Write(A, Found == Of[1].end() ? nullptr : *Found);
      if (Found != Of[1].end())
        Of[1].erase(Found);
    }
    for (const json::Object *B : Of[1])
      Write(nullptr, B);
  });
}

void Writer::writeRemarks(const KernelPair &K) {
  // What is done, by the names of the techniques.
  J.attributeArray("does", [&] {
    for (const ComparedKernel *Side : K) {
      if (!Side || Side->Report.empty()) {
        J.value(nullptr);
        continue;
      }
      std::vector<std::string> Done;
      for (const json::Object *R : listOf(Side, "remarks"))
        if (textOf(*R, "kind") == "passed" &&
            !is_contained(Done, textOf(*R, "pass")))
          Done.push_back(textOf(*R, "pass"));
      J.array([&] {
        for (const std::string &Pass : Done)
          J.value(Pass);
      });
    }
  });
  Both<std::vector<const json::Object *>> Of = {listOf(K[0], "remarks"),
                                                listOf(K[1], "remarks")};
  J.attribute("equal-remarks", takeEqual(Of, {"kind", "pass", "message"}));
  J.attributeArray("remarks", [&] {
    for (const auto &Side : Of)
      J.array([&] {
        for (const json::Object *R : Side)
          J.value(json::Object(*R));
      });
  });
}

void Writer::writeKernel(const KernelPair &K) {
  const ComparedKernel &Known = K[0] ? *K[0] : *K[1];
  J.object([&] {
    writeText("name", Known.Name);
    writeText("display", Known.DisplayName);
    writeText("signature", demangle(Known.Name));
    if (!K[0] || !K[1])
      J.attribute("only-in", K[0] ? 0 : 1);
    writeTime(K);
    writeTimes(K);
    writeBoth("bound-by", K, [](const json::Object &O) {
      json::Value Bound = valueAt(O, {"x-model", "bound"});
      return Bound == nullptr ? valueAt(O, {"bound-by"}) : Bound;
    });
    writeFacts(K);
    writeRemarks(K);
    if (all_of(K, [](auto *Side) { return Side && !Side->Report.empty(); }))
      writeDecisions(K);
    for (const StringRef Key : {"x-graph", "x-graph-words"})
      writeBoth(Key, K, [&](auto &O) { return valueAt(O, {Key}); });
    writeBoth("ptx", K, [](auto &O) { return valueAt(O, {"ptx-after"}); });
  });
}

//===- The whole ----------------------------------------------------------===//

/// "rows.cu on sm_90, 132 SMs, profile by emulator".
static std::string describeSide(const ComparedSide &Side) {
  const json::Object &O = Side.Whole;
  if (!O.get("sluice-report"))
    return "results on " + O.getString("gpu").value_or("a GPU").str();
  std::string Text = formatv("{0} on {1}, {2} SMs, ", textOf(O, "source"),
                             textOf(O, "gpu"), O.getInteger("sms").value_or(0));
  const json::Object *Profile = O.getObject("profile");
  Text += Profile ? "with a profile (" + textOf(*Profile, "origin") + ")"
                  : "without a profile";
  if (auto GPU = O.getString("measured-on"))
    Text += "; measured on " + GPU->str();
  return Text;
}

void Writer::writeSides() {
  J.attributeArray("sides", [&] {
    for (unsigned I : {0, 1}) {
      const ComparedSide &Side = C.Sides[I];
      J.object([&] {
        writeText("name", C.Names[I]);
        writeText("about", describeSide(Side));
        for (const StringRef Key :
             {"source", "gpu", "sms", "profile", "measured-on"})
          if (const json::Value *Found = Side.Whole.get(Key))
            J.attribute(Key, *Found);
      });
    }
  });
}

/// A program's name tells kernels of results apart that have the same name.
static bool isSame(const ComparedKernel &A, const ComparedKernel &B,
                   bool WithProgram) {
  const bool AreResults = A.Report.empty() && B.Report.empty();
  return A.Name == B.Name &&
         (A.Program == B.Program || !(WithProgram || AreResults));
}

static std::vector<KernelPair> pairsOf(const Comparison &C) {
  std::vector<KernelPair> Pairs;
  for (const ComparedKernel &A : C.Sides[0].Kernels)
    Pairs.push_back({&A, nullptr});
  std::vector<const ComparedKernel *> Rest;
  for (const ComparedKernel &B : C.Sides[1].Kernels)
    Rest.push_back(&B);
  for (const bool WithProgram : {true, false})
    for (KernelPair &P : Pairs) {
      const auto Found = find_if(Rest, [&](const ComparedKernel *B) {
        return !P[1] && isSame(*P[0], *B, WithProgram);
      });
      if (Found == Rest.end())
        continue;
      P[1] = *Found;
      Rest.erase(Found);
    }
  for (const ComparedKernel *B : Rest)
    Pairs.push_back({nullptr, B});
  return Pairs;
}

/// Of all launches by the profile, or of one as it was measured; A's first.
static double weightOf(const KernelPair &K) {
  for (const ComparedKernel *Side : K) {
    if (!Side)
      continue;
    if (auto Ms = Side->Report.getNumber("ms"))
      return *Ms;
    for (const Alternative &A : Side->Times)
      if (A.Measured)
        return *A.Measured;
  }
  return 0;
}

void Writer::write() {
  std::vector<KernelPair> Pairs = pairsOf(C);
  // In the files' order where no time is known.
  std::multimap<double, KernelPair, std::greater<>> Sorted;
  for (const KernelPair &K : Pairs)
    Sorted.emplace(weightOf(K), K);
  Pairs.clear();
  for (const auto &[Weight, K] : Sorted)
    Pairs.push_back(K);
  J.object([&] {
    J.attribute("sluice-comparison", 1);
    writeSides();
    J.attributeArray("notes", [&] {
      if (none_of(Pairs, [](const KernelPair &K) { return K[0] && K[1]; }))
        J.value("No kernel is in both.");
      for (unsigned I : {0, 1}) {
        std::string Names;
        for (const KernelPair &K : Pairs)
          if (K[I] && !K[1 - I])
            Names += (Names.empty() ? "" : ", ") + K[I]->DisplayName;
        if (!Names.empty())
          J.value(json::fixUTF8("Only in " + C.Names[I] + ": " + Names + "."));
      }
    });
    J.attributeArray("kernels", [&] {
      for (const KernelPair &K : Pairs)
        writeKernel(K);
    });
    J.attributeArray("text", [&] {
      for (const ComparedSide &Side : C.Sides)
        J.value(valueAt(Side.Whole, {"text"}));
    });
  });
}

void sluice::writeComparison(json::OStream &J, const Comparison &C) {
  Writer(J, C).write();
}
