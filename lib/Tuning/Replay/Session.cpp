// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every step is a line in the results, written before the step is made. So a
// run that a candidate has killed can be continued: who was being tried and
// never measured is left out.

#include "Session.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace sluice::replay;

static void say(const std::string &Text) {
  std::fprintf(stderr, "sluice: replay: %s\n", Text.c_str());
}

static std::string quoted(const std::string &Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += static_cast<unsigned char>(C) < 0x20 ? ' ' : C;
  }
  return Result + "\"";
}

static std::string triple(const unsigned (&Values)[3]) {
  return "[" + std::to_string(Values[0]) + ", " + std::to_string(Values[1]) +
         ", " + std::to_string(Values[2]) + "]";
}

/// The head of every line about one candidate at one launch; lines of an
/// earlier run are told by it.
static std::string lineHead(const char *Event, const std::string &Kernel,
                            unsigned Ordinal, const std::string &Candidate) {
  return std::string("{\"event\": \"") + Event +
         "\", \"kernel\": " + quoted(Kernel) +
         ", \"launch\": " + std::to_string(Ordinal) +
         ", \"candidate\": " + quoted(Candidate);
}

namespace {

/// A file of lines "KERNEL LAUNCH TIME .". The point is the end of a line that
/// is whole: on some file systems two that append may meet.
class BestFile : public SharedBest {
public:
  BestFile(const std::string &Path, const std::string &Kernel, unsigned Ordinal)
      : Path(Path), Head(Kernel + " " + std::to_string(Ordinal) + " ") {}

  double known() override {
    using std::chrono::steady_clock;
    constexpr std::chrono::milliseconds Interval(50);
    const auto Now = steady_clock::now();
    if (IsRead && Now - Read < Interval)
      return Best;
    IsRead = true;
    Read = Now;
    std::ifstream In(Path);
    for (std::string Line; std::getline(In, Line);) {
      if (Line.compare(0, Head.size(), Head) != 0)
        continue;
      double Time = 0;
      const char *End = Line.data() + Line.size();
      auto [Rest, Problem] =
          std::from_chars(Line.data() + Head.size(), End, Time);
      if (Problem == std::errc() && std::string(Rest, End) == " ." && Time > 0)
        Best = std::min(Best, Time);
    }
    return Best;
  }

  void tell(double OverBase) override {
    if (OverBase >= Best)
      return;
    Best = OverBase;
    char Number[32];
    const auto End =
        std::to_chars(Number, Number + sizeof Number, OverBase).ptr;
    std::ofstream Out(Path, std::ios::app);
    Out << Head + std::string(Number, End) + " .\n"; // in one write
  }

private:
  std::string Path, Head;
  double Best = 1;
  bool IsRead = false;
  std::chrono::steady_clock::time_point Read;
};

} // namespace

Session *Session::get() {
  static Session *TheSession = []() -> Session * {
    const char *Path = std::getenv("SLUICE_REPLAY");
    if (!Path)
      return nullptr;
    Job J;
    std::string Problem;
    if (!readJob(Path, J, Problem)) {
      say(Problem);
      return nullptr;
    }
    const Driver *CUDA = findDriver(Problem);
    if (!CUDA) {
      say("the CUDA driver has no " + Problem +
          "; 12.0 is the oldest that will do");
      return nullptr;
    }
    // Never destroyed: the program's own static objects may launch and free
    // after it would have been.
    static Session *Made = new Session(*CUDA, J);
    std::atexit([] { Made->writeCounts(); });
    return Made;
  }();
  return TheSession;
}

Session::Session(const Driver &CUDA, Job J)
    : CUDA(CUDA), TheJob(std::move(J)), Code(CUDA, TheJob) {
  readEarlier();
  Out.open(TheJob.Results, std::ios::app);
  if (!Out)
    say(TheJob.Results + " cannot be written");
}

void Session::writeCounts() {
  for (const auto &[Kernel, C] : Counts) {
    std::ostringstream Line;
    Line << "{\"event\": \"launches\", \"kernel\": " << quoted(Kernel)
         << ", \"launches\": " << C.Launches << ", \"timed\": " << C.Timed
         << ", \"ms\": " << C.Ms << "}";
    write(Line.str());
  }
}

void Session::readEarlier() {
  std::ifstream In(TheJob.Results);
  // What was tried last and not measured when a run ended, ended it. Those
  // that were tried before it in that run came through.
  std::string LastTried;
  auto EndRun = [&] {
    if (!LastTried.empty())
      Deadly.insert(LastTried);
    LastTried.clear();
  };
  for (std::string Line; std::getline(In, Line);) {
    if (Line.find("{\"event\": \"device\"") == 0)
      EndRun();
    if (Line.find("{\"event\": \"timing\"") == 0)
      LastTried.clear();
    size_t End = Line.find("\"candidate\": ");
    if (End == std::string::npos)
      continue;
    End = Line.find('"', End + std::string("\"candidate\": \"").size());
    std::string Head = Line.substr(0, End + 1);
    const std::string Try = "{\"event\": \"trying\"";
    const std::string Done = "{\"event\": \"measured\"";
    if (Head.compare(0, Try.size(), Try) == 0)
      LastTried = Head.substr(Try.size());
    else if (Head.compare(0, Done.size(), Done) == 0) {
      Measured.insert(Head.substr(Done.size()));
      LastTried.clear();
    }
  }
  EndRun();
  for (const std::string &Key : Measured)
    Deadly.erase(Key);
}

void Session::write(const std::string &Line) {
  Out << Line << "\n";
  Out.flush();
}

double Session::secondsGone() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Began)
      .count();
}

uint64_t Session::argumentBytes(const Launch &L) const {
  if (!CUDA.cuFuncGetParamInfo || !L.Parameters)
    return 0;
  std::set<CUdeviceptr> Reached;
  size_t Offset = 0, Bytes = 0;
  for (size_t I = 0;
       CUDA.cuFuncGetParamInfo(L.Function, I, &Offset, &Bytes) == CUDA_SUCCESS;
       ++I)
    for (size_t At = 0; At + sizeof(CUdeviceptr) <= Bytes;
         At += sizeof(CUdeviceptr)) {
      CUdeviceptr Word = 0;
      std::memcpy(&Word, static_cast<char *>(L.Parameters[I]) + At,
                  sizeof(Word));
      auto After = Allocations.upper_bound(Word);
      if (After == Allocations.begin())
        continue;
      auto [Address, Size] = *std::prev(After);
      if (Word < Address + Size)
        Reached.insert(Address);
    }
  uint64_t Sum = 0;
  for (CUdeviceptr Address : Reached)
    Sum += Allocations.at(Address);
  return Sum;
}

/// Gigabytes a second that a large copy on the device reads and writes; 0: not
/// known.
static double copyBandwidth(const Driver &CUDA) {
  constexpr size_t Bytes = 512u << 20;
  CUdeviceptr From = 0, To = 0;
  CUevent Start = nullptr, Stop = nullptr;
  double Best = 0;
  if (CUDA.cuMemAlloc_v2(&From, Bytes) == CUDA_SUCCESS &&
      CUDA.cuMemAlloc_v2(&To, Bytes) == CUDA_SUCCESS &&
      CUDA.cuEventCreate(&Start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
      CUDA.cuEventCreate(&Stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS)
    for (int Round = 0; Round < 5; ++Round) {
      float Ms = 0;
      CUDA.cuEventRecord(Start, nullptr);
      CUDA.cuMemcpyDtoD_v2(To, From, Bytes);
      CUDA.cuEventRecord(Stop, nullptr);
      CUDA.cuCtxSynchronize();
      CUDA.cuEventElapsedTime(&Ms, Start, Stop);
      if (Ms > 0)
        Best = std::max(Best, 2e-6 * static_cast<double>(Bytes) / Ms);
    }
  for (CUdeviceptr Address : {From, To})
    if (Address)
      CUDA.cuMemFree_v2(Address);
  return Best;
}

void Session::writeDevice() {
  if (DeviceWritten)
    return;
  DeviceWritten = true;
  CUdevice Device = 0;
  char Name[256] = "unknown";
  int Driver = 0, Major = 0, Minor = 0, SMs = 0;
  CUDA.cuCtxGetDevice(&Device);
  CUDA.cuDeviceGetName(Name, sizeof(Name), Device);
  CUDA.cuDriverGetVersion(&Driver);
  auto Get = [&](int &Value, CUdevice_attribute Which) {
    CUDA.cuDeviceGetAttribute(&Value, Which, Device);
  };
  Get(Major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  Get(Minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  Get(SMs, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  std::ostringstream Line;
  Line << "{\"event\": \"device\", \"name\": " << quoted(Name)
       << ", \"driver_cuda\": " << Driver << ", \"arch\": \"sm_" << Major
       << Minor << "\", \"sms\": " << SMs
       << ", \"copy_gb_per_s\": " << copyBandwidth(CUDA) << "}";
  write(Line.str());
}

std::vector<size_t> Session::candidatesFor(const Launch &L) {
  std::vector<size_t> Result;
  for (size_t C = 0; C < TheJob.Candidates.size(); ++C) {
    const std::string &For = TheJob.Candidates[C].Kernel;
    if ((For.empty() || For == L.Kernel) && Code.code(C, L).Function)
      Result.push_back(C);
  }
  return Result;
}

void Session::dump(const Launch &L) {
  for (const Dump &D : TheJob.Dumps) {
    size_t Offset = 0, Bytes = sizeof(CUdeviceptr);
    if (D.Kernel != L.Kernel || !L.Parameters)
      continue;
    if (CUDA.cuFuncGetParamInfo &&
        CUDA.cuFuncGetParamInfo(L.Function, D.Argument, &Offset, &Bytes) !=
            CUDA_SUCCESS)
      Bytes = 0;
    CUdeviceptr Word = 0;
    if (Bytes == sizeof Word)
      std::memcpy(&Word, L.Parameters[D.Argument], sizeof Word);
    auto After = Allocations.upper_bound(Word);
    if (After == Allocations.begin() ||
        Word >= std::prev(After)->first + std::prev(After)->second) {
      say("argument " + std::to_string(D.Argument) + " of " + L.Kernel +
          " points into no buffer, and is not written");
      continue;
    }
    const auto [Address, Size] = *std::prev(After);
    std::vector<CUdeviceptr> &Known = Dumped[D.File];
    auto At = std::find(Known.begin(), Known.end(), Address);
    const auto Number = std::to_string(At - Known.begin());
    if (At == Known.end())
      Known.push_back(Address);
    std::vector<char> Contents(Size);
    CUDA.cuCtxSynchronize();
    CUDA.cuMemcpyDtoH_v2(Contents.data(), Address, Size);
    std::ofstream File(D.File + "." + Number, std::ios::binary);
    if (!File.write(Contents.data(), std::streamsize(Size)))
      say(D.File + "." + Number + " cannot be written");
  }
}

CUresult Session::launch(const Launch &L) {
  const CUresult Status = launchAndTime(L);
  dump(L);
  return Status;
}

CUresult Session::launchAndTime(const Launch &L) {
  if (!TheJob.wants(L.Kernel))
    return L.Relaunch({L.Function});
  CUstreamCaptureStatus Capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUDA.cuStreamIsCapturing(L.Stream, &Capture);
  if (Capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return L.Relaunch({L.Function});
  writeDevice();
  Count &Of = Counts[L.Kernel];
  unsigned Ordinal = Of.Launches++;
  if (!isReplayed(Ordinal, TheJob.Launches))
    return runBase(L, Of);
  std::vector<size_t> Candidates = candidatesFor(L);
  bool HasBase = std::find(Candidates.begin(), Candidates.end(), TheJob.Base) !=
                 Candidates.end();
  if (!HasBase || Candidates.size() < 2) {
    if (!Of.Reported && !HasBase)
      say("the base has no kernel " + L.Kernel);
    Of.Reported = true;
    return runBase(L, Of);
  }
  if (!Lost.empty()) {
    if (!Of.Reported)
      say(L.Kernel + " is not replayed: " + Lost);
    Of.Reported = true;
    return runBase(L, Of);
  }
  if (TheJob.TimeLimit > 0 && secondsGone() > TheJob.TimeLimit)
    return runBase(L, Of);
  return replay(L, Ordinal, Candidates, Of);
}

CUresult Session::runBase(const Launch &L, Count &Of) {
  CUDA.cuCtxSynchronize();
  if (!Code.code(TheJob.Base, L).Function)
    return L.Relaunch({L.Function});
  CudaDevice GPU(CUDA, TheJob, Code, L, {});
  Run R = GPU.launch(TheJob.Base, false);
  Of.Ms += R.Ms;
  ++Of.Timed;
  return static_cast<CUresult>(R.Status);
}

CUresult Session::replay(const Launch &L, unsigned Ordinal,
                         const std::vector<size_t> &Candidates, Count &Of) {
  auto Key = [&](size_t C) {
    std::string Head = lineHead("", L.Kernel, Ordinal, TheJob.Candidates[C].Id);
    return Head.substr(std::string("{\"event\": \"\"").size());
  };
  std::vector<size_t> Left;
  bool AnyNew = false;
  for (size_t C : Candidates) {
    if (C != TheJob.Base && Measured.count(Key(C)))
      continue;
    if (C != TheJob.Base && Deadly.count(Key(C))) {
      write(lineHead("measured", L.Kernel, Ordinal, TheJob.Candidates[C].Id) +
            ", \"ms\": [], \"error\": \"the program did not survive it\"}");
      continue;
    }
    AnyNew |= C != TheJob.Base;
    Left.push_back(C);
  }
  if (!AnyNew)
    return runBase(L, Of);

  CUDA.cuCtxSynchronize();
  std::vector<Buffer> Live;
  Live.reserve(Allocations.size());
  for (const auto &[Address, Bytes] : Allocations)
    Live.push_back({Address, Bytes});
  CudaDevice GPU(CUDA, TheJob, Code, L, std::move(Live));
  if (!GPU.isReady()) {
    lose("the driver does not compile the replayer's own kernels");
    say(L.Kernel + " is not replayed: " + Lost);
    Of.Reported = true;
    return runBase(L, Of);
  }
  BestFile Best(TheJob.Best, L.Kernel, Ordinal);
  Settings How{TheJob.Rounds, TheJob.StopLosers, TheJob.TimeWrong,
               TheJob.Best.empty() ? nullptr : &Best};
  auto Trying = [&](size_t C) {
    if (C != TheJob.Base)
      write(lineHead("trying", L.Kernel, Ordinal, TheJob.Candidates[C].Id) +
            "}");
  };
  // From here on an end of the program, an interrupt say, is none's fault.
  auto AllTried = [&] {
    write("{\"event\": \"timing\", \"kernel\": " + quoted(L.Kernel) +
          ", \"launch\": " + std::to_string(Ordinal) + "}");
  };
  Replay R = replayLaunch(GPU, Left, TheJob.Base, How, Trying, AllTried);
  if (!R.Skipped.empty()) {
    say(L.Kernel + ", launch " + std::to_string(Ordinal) +
        ", is not replayed: " + R.Skipped);
    return R.BaseRan ? static_cast<CUresult>(R.BaseStatus) : runBase(L, Of);
  }
  uint64_t ArgumentBytes = argumentBytes(L);
  for (const Measurement &M : R.Measurements) {
    std::ostringstream Line;
    Line << lineHead("measured", L.Kernel, Ordinal,
                     TheJob.Candidates[M.Candidate].Id)
         << ", \"grid\": " << triple(L.Grid)
         << ", \"block\": " << triple(L.Block)
         << ", \"shared\": " << L.SharedBytes
         << ", \"argument_bytes\": " << ArgumentBytes << ", \"ms\": [";
    for (size_t I = 0; I < M.Ms.size(); ++I)
      Line << (I ? ", " : "") << M.Ms[I];
    Line << "], \"wrong_words\": " << M.WrongWords
         << ", \"written_bytes\": " << R.WrittenBytes
         << ", \"unstable_bytes\": " << R.UnstableBytes
         << ", \"stopped\": " << (M.Stopped ? "true" : "false")
         << ", \"base\": " << (M.Candidate == TheJob.Base ? "true" : "false");
    if (!M.Error.empty())
      Line << ", \"error\": " << quoted(M.Error);
    Line << "}";
    write(Line.str());
    if (M.Candidate == TheJob.Base && !M.Ms.empty()) {
      Of.Ms += M.Ms.front();
      ++Of.Timed;
    }
  }
  return CUDA_SUCCESS;
}
