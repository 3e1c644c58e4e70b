// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuneTimeline.h"
#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral GroupNames[] = {"workers", "compile slots",
                                               "searches", "pieces"};

void TuneTimeline::compiled(unsigned Slot, const std::string &What, Time Began,
                            Time Ended) {
  std::lock_guard<std::mutex> Guard(Lock);
  Spans.push_back(
      {Compiles, formatv("slot {0,3}", Slot).str(), What, Began, Ended});
}

void TuneTimeline::searched(StringRef Search, StringRef What, Time Began) {
  std::lock_guard<std::mutex> Guard(Lock);
  Spans.push_back({Searches, Search.str(), What.str(), Began, Clock::now()});
}

void TuneTimeline::sent(StringRef Piece, Time Asked) {
  std::lock_guard<std::mutex> Guard(Lock);
  const Time Now = Clock::now();
  Spans.push_back({Pieces, Piece.str(), "is compiled", Asked, Now});
  Places[Piece.str()] = {Now, ""};
}

void TuneTimeline::take(StringRef Event, StringRef Piece, StringRef Where) {
  const bool IsStart = Event == "started";
  if (!IsStart && Event != "again" && Event != "ended" && Event != "failed")
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = Places.find(Piece.str());
  if (Found == Places.end())
    return;
  auto &[Since, On] = Found->second;
  const Time Now = Clock::now();
  if (On.empty()) {
    Spans.push_back({Pieces, Piece.str(), "waits for a worker", Since, Now});
  } else {
    Spans.push_back({Pieces, Piece.str(), "is measured", Since, Now});
    Spans.push_back({Workers, On, Piece.str(), Since, Now});
  }
  Since = Now;
  On = IsStart ? Where.str() : "";
}

Expected<std::string> TuneTimeline::write(const std::string &File, Time Began,
                                          unsigned Slots) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Microseconds = [](Clock::duration D) {
    return int64_t(
        std::chrono::duration_cast<std::chrono::microseconds>(D).count());
  };
  std::map<std::pair<Group, std::string>, Clock::duration> Lanes; // busy
  for (const Span &S : Spans)
    Lanes[{S.In, S.Lane}] += S.Ended - S.Began;
  std::map<std::pair<Group, std::string>, int64_t> Numbers;
  json::Array Events;
  auto Name = [&](StringRef What, int64_t Group, int64_t Lane, StringRef Text) {
    Events.push_back(json::Object{{"name", What},
                                  {"ph", "M"},
                                  {"pid", Group},
                                  {"tid", Lane},
                                  {"args", json::Object{{"name", Text}}}});
  };
  for (auto [Group, Text] : enumerate(GroupNames))
    Name("process_name", int64_t(Group), 0, Text);
  for (const auto &[Lane, Busy] : Lanes) {
    const int64_t Number = Numbers[Lane] = int64_t(Numbers.size());
    Name("thread_name", Lane.first, Number, Lane.second);
  }
  for (const Span &S : Spans)
    Events.push_back(json::Object{{"name", S.What},
                                  {"ph", "X"},
                                  {"pid", int64_t(S.In)},
                                  {"tid", Numbers.at({S.In, S.Lane})},
                                  {"ts", Microseconds(S.Began - Began)},
                                  {"dur", Microseconds(S.Ended - S.Began)}});
  json::Value All = json::Object{{"traceEvents", std::move(Events)}};
  if (Error E = writeOutput(File, formatv("{0}\n", All).str()))
    return std::move(E);

  const double Whole = double(Microseconds(Clock::now() - Began));
  std::string Text;
  Clock::duration Compiling{};
  for (const auto &[Lane, Busy] : Lanes)
    if (Lane.first == Workers)
      Text += formatv("{0} was busy {1:P0}, ", Lane.second,
                      double(Microseconds(Busy)) / Whole);
    else if (Lane.first == Compiles)
      Compiling += Busy;
  return Text + formatv("the {0} compile slots {1:P0} of {2:F1} s", Slots,
                        double(Microseconds(Compiling)) / Whole / Slots,
                        Whole / 1e6)
                    .str();
}
