// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A base is split in two: multiples of arguments, whose factors are numbers in
// each thread, and the rest, which is compared as a form (BoundForms.h) once
// for all threads that it cannot tell apart.

#include "ThreadBases.h"
#include "RunTimePitch.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

/// For each term and factor of a form whose numbers are looked up, in the time
/// of a product.
constexpr uint64_t StepsOfLookup = 8;

const ThreadBases::Bases &ThreadBases::of(const AddressForm &Base) {
  if (auto Found = Done.find(Base); Found != Done.end())
    return Found->second;
  Bases New;
  New.Form = unsigned(Done.size());
  New.Numbers = byMultiples(Base);
  New.DifferInAWarp = differInAWarp(New.Numbers);
  return Done.emplace(Base, std::move(New)).first->second;
}

std::vector<unsigned> ThreadBases::byMultiples(const AddressForm &Base) {
  // Multiples of arguments are most of what there is, and are numbers.
  PitchedBase Split = splitPitches(Base);
  std::vector<unsigned> OfThread = byName(Split.Rest);
  for (const PitchedBase::Pitch &Pitch : Split.Pitches) {
    LaneOffsets Factors(Pitch.Factor);
    Steps += Tids.size() * Factors.steps();
    for (auto [Number, Tid] : llvm::zip(OfThread, Tids)) {
      auto Factor = Factors.at(Tid);
      if (!Factor)
        Number = Next++;
      else if (*Factor != 0)
        Number = numberOf(
            Multiples.try_emplace({{Number, Pitch.Argument}, *Factor}, Next));
    }
  }
  return OfThread;
}

/// The rest of one base is often another's, or a base itself. It counts each
/// time: what is too much must not depend on the order.
std::vector<unsigned> ThreadBases::byName(const AddressForm &Base) {
  if (auto Found = DoneNames.find(Base); Found != DoneNames.end()) {
    Steps += Found->second.Steps;
    return Found->second.Numbers;
  }
  const uint64_t Before = Steps;
  std::vector<unsigned> OfThread = findNames(Base);
  DoneNames.emplace(Base, Names{OfThread, Steps - Before});
  return OfThread;
}

std::vector<unsigned> ThreadBases::findNames(const AddressForm &Base) {
  bool Differs = false;
  std::array<bool, 3> Varies = {false, false, false};
  Base.any([&](Variable V) {
    Differs |= V.Kind == Variable::Varying;
    if (V.Kind == Variable::Tid)
      Varies[V.Index] = true;
    return false;
  });
  Steps += Base.size() + Tids.size();
  // Threads that differ along other axes only have the same.
  llvm::DenseMap<std::tuple<int64_t, int64_t, int64_t>, unsigned> Bound;
  std::vector<unsigned> OfThread;
  OfThread.reserve(Tids.size());
  for (unsigned Thread = 0; Thread < Tids.size(); ++Thread) {
    ThreadIndex Tid = {0, 0, 0};
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      if (Varies[Axis])
        Tid[Axis] = Tids[Thread][Axis];
    auto [It, Inserted] = Bound.try_emplace({Tid[0], Tid[1], Tid[2]}, 0);
    if (Inserted) {
      Steps += StepsOfLookup * Base.size();
      It->second = Forms.numberOf(Base, Tid);
    }
    OfThread.push_back(numberOf(
        Named.try_emplace({It->second, Differs ? Thread + 1 : 0}, Next)));
  }
  return OfThread;
}

bool ThreadBases::differInAWarp(llvm::ArrayRef<unsigned> Numbers) const {
  for (unsigned Thread = 1; Thread < Numbers.size(); ++Thread)
    if (Thread % WarpSize != 0 && Numbers[Thread] != Numbers[Thread - 1])
      return true;
  return false;
}
