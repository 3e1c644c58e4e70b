// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Emulator/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace sluice;

/// Between two looks of a bar, before the first, and between lines of a log.
static constexpr std::chrono::milliseconds BarInterval(200), BarBegins(1000);
static constexpr std::chrono::minutes LineInterval(1);

/// "12 s", "3 min", "2 h".
static std::string duration(double Seconds) {
  if (Seconds < 100)
    return formatv("{0:F0} s", Seconds);
  if (Seconds < 100 * 60)
    return formatv("{0:F0} min", Seconds / 60);
  return formatv("{0:F0} h", Seconds / 3600);
}

std::string sluice::timeLeft(uint64_t Done, uint64_t Total, double Seconds) {
  if (Total == 0)
    return ", 0 s left";
  const double Share = double(Done) / double(Total);
  return Share > 0 ? ", " + duration(Seconds / Share - Seconds) + " left" : "";
}

std::string sluice::describeProgress(StringRef What, uint64_t Done,
                                     uint64_t Total, StringRef Unit,
                                     double Seconds, unsigned Width) {
  const double Share = Total ? double(Done) / double(Total) : 1;
  std::string Text = What.str() + ": ";
  if (Width) {
    const unsigned Filled = unsigned(Share * Width);
    Text += "[" + std::string(Filled, '#') + std::string(Width - Filled, '-') +
            "] ";
  }
  Text += formatv("{0:F0} % of {1} {2}", 100 * Share, Total, Unit);
  return Text + timeLeft(Done, Total, Seconds);
}

Progress::Progress(std::string What, uint64_t Total, std::string Unit)
    : What(std::move(What)), Unit(std::move(Unit)), Total(Total),
      OnTerminal(sys::Process::StandardErrIsDisplayed()), Begin(Clock::now()),
      Next((Begin + (OnTerminal ? Clock::duration(BarBegins)
                                : Clock::duration(LineInterval)))
               .time_since_epoch()
               .count()) {}

Progress::~Progress() {
  if (HasBar)
    errs() << ClearLine;
}

void Progress::update(uint64_t Done) {
  const Clock::time_point Now = Clock::now();
  if (Now.time_since_epoch().count() < Next.load(std::memory_order_relaxed))
    return;
  std::unique_lock<std::mutex> Held(Lock, std::try_to_lock);
  if (!Held) // another is printing
    return;
  Next = (Now + (OnTerminal ? Clock::duration(BarInterval)
                            : Clock::duration(LineInterval)))
             .time_since_epoch()
             .count();
  const double Seconds = std::chrono::duration<double>(Now - Begin).count();
  const std::string Text = describeProgress(What, Done, Total, Unit, Seconds,
                                            OnTerminal ? BarWidth : 0);
  HasBar = OnTerminal;
  if (OnTerminal)
    errs() << ClearLine << Text;
  else
    errs() << Text << "\n";
  errs().flush();
}
