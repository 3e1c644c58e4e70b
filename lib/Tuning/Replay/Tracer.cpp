// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instrumented code reads a variable that says which blocks are recorded,
// and where to. It is set for a kernel's first launches only; the others are
// timed, to say what tracing costs.

#include "Tracer.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace sluice;
using namespace sluice::replay;

static void say(const std::string &Text) {
  std::fprintf(stderr, "sluice: trace: %s\n", Text.c_str());
}

static uint64_t numberFrom(const char *Variable, uint64_t Least,
                           uint64_t Default) {
  const char *Text = std::getenv(Variable);
  if (!Text)
    return Default;
  char *End = nullptr;
  uint64_t Number = std::strtoull(Text, &End, 10);
  if (*Text && !*End && Number >= Least)
    return Number;
  say(std::string(Variable) + "=" + Text + " is no number from " +
      std::to_string(Least) + "; " + std::to_string(Default) + " is taken");
  return Default;
}

Tracer *Tracer::get() {
  static Tracer *TheTracer = []() -> Tracer * {
    const char *Path = std::getenv("SLUICE_TRACE");
    if (!Path || std::getenv("SLUICE_REPLAY"))
      return nullptr;
    std::string Problem;
    const Driver *CUDA = findDriver(Problem);
    if (!CUDA) {
      say("the CUDA driver has no " + Problem +
          "; 12.0 is the oldest that will do");
      return nullptr;
    }
    // Never destroyed, as Session.
    static Tracer *Made = new Tracer(*CUDA, Path);
    std::atexit([] { Made->report(); });
    return Made;
  }();
  return TheTracer;
}

Tracer::Tracer(const Driver &CUDA, const char *Path)
    : CUDA(CUDA), Path(Path), Out(Path, std::ios::binary | std::ios::trunc),
      BufferBytes(numberFrom("SLUICE_TRACE_MIB", 1, 512) << 20),
      MostLaunches(unsigned(numberFrom("SLUICE_TRACE_LAUNCHES", 0, 1))) {
  Out << RawTraceMagic;
  if (!Out)
    say(this->Path + " cannot be written");
}

bool Tracer::find(const Launch &L, Variables &Of) const {
  size_t ControlBytes = 0;
  auto Find = [&](CUdeviceptr &Address, size_t &Bytes, const char *Name) {
    CUresult Status =
        L.Library  ? CUDA.cuLibraryGetGlobal(&Address, &Bytes, L.Library, Name)
        : L.Module ? CUDA.cuModuleGetGlobal_v2(&Address, &Bytes, L.Module, Name)
                   : CUDA_ERROR_NOT_FOUND;
    return Status == CUDA_SUCCESS;
  };
  return Find(Of.Control, ControlBytes, TraceControlName) &&
         Find(Of.Table, Of.TableBytes, TraceTableName) &&
         ControlBytes == sizeof(TraceControl);
}

bool Tracer::makeBuffer() {
  CUcontext Context = nullptr;
  CUDA.cuCtxGetCurrent(&Context);
  auto [It, New] = Buffers.try_emplace(Context, 0);
  if (New && CUDA.cuMemAlloc_v2(&It->second, BufferBytes) != CUDA_SUCCESS) {
    It->second = 0;
    say("no room for " + std::to_string(BufferBytes >> 20) +
        " MiB of records on the device");
  }
  Buffer = It->second;
  return Buffer != 0;
}

float Tracer::run(const Launch &L, CUresult &Status) {
  CUevent Start = nullptr, Stop = nullptr;
  CUDA.cuEventCreate(&Start, CU_EVENT_DEFAULT);
  CUDA.cuEventCreate(&Stop, CU_EVENT_DEFAULT);
  CUDA.cuCtxSynchronize();
  CUDA.cuEventRecord(Start, L.Stream);
  Status = L.Relaunch({L.Function});
  CUDA.cuEventRecord(Stop, L.Stream);
  CUresult Done = CUDA.cuCtxSynchronize();
  if (Status == CUDA_SUCCESS)
    Status = Done;
  float Ms = 0;
  if (Status == CUDA_SUCCESS)
    CUDA.cuEventElapsedTime(&Ms, Start, Stop);
  for (CUevent E : {Start, Stop})
    CUDA.cuEventDestroy_v2(E);
  return Ms;
}

CUresult Tracer::launch(const Launch &L) {
  CUstreamCaptureStatus Capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUDA.cuStreamIsCapturing(L.Stream, &Capture);
  if (Capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return L.Relaunch({L.Function});
  Count &C = Counts[L.Kernel];
  ++C.Launches;
  CUresult Status = CUDA_SUCCESS;
  Variables Of;
  C.HasCode = find(L, Of);
  const uint64_t Blocks = uint64_t(L.Grid[0]) * L.Grid[1] * L.Grid[2];
  if (!C.HasCode || C.Traced >= MostLaunches || Blocks > UINT32_MAX ||
      !makeBuffer()) {
    C.OtherMs.push_back(run(L, Status));
    return Status;
  }

  CUdevice Device = 0;
  int SMs = 1;
  CUDA.cuCtxGetDevice(&Device);
  CUDA.cuDeviceGetAttribute(&SMs, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                            Device);
  TraceControl Control;
  Control.Buffer = Buffer;
  Control.Capacity = BufferBytes / 4;
  Control.Stride = uint32_t(std::min<uint64_t>(uint64_t(SMs), Blocks));
  // One SM's share, and not the first's or last's: they may have less to do.
  Control.First = Control.Stride / 2;
  for (unsigned I = 0; I < TracedOthers; ++I)
    if (TracedDistances[I] < Control.Stride)
      Control.Others[I] = (Control.First + TracedDistances[I]) % Control.Stride;
  CUDA.cuCtxSynchronize();
  // Where a record does not fit, what an earlier launch left is no record.
  const uint64_t Tail = std::min<uint64_t>(BufferBytes, 1 << 20);
  CUDA.cuMemsetD8_v2(Buffer + BufferBytes - Tail, 0, Tail);
  CUDA.cuMemcpyHtoD_v2(Of.Control, &Control, sizeof(Control));
  C.TracedMs += double(run(L, Status));
  if (Status != CUDA_SUCCESS)
    return Status;
  ++C.Traced;
  CUDA.cuMemcpyDtoH_v2(&Control, Of.Control, sizeof(Control));
  const TraceControl Off;
  CUDA.cuMemcpyHtoD_v2(Of.Control, &Off, sizeof(Off));
  keep(L, Of, Control, C);
  return Status;
}

void Tracer::keep(const Launch &L, const Variables &Of,
                  const TraceControl &Control, Count &C) {
  RawLaunchHeader H;
  H.NameBytes = L.Kernel.size();
  H.TableBytes = Of.TableBytes;
  H.WantedWords = Control.Cursor;
  H.RecordWords = std::min(Control.Cursor, Control.Capacity);
  std::copy(L.Grid, L.Grid + 3, H.Grid);
  std::copy(L.Block, L.Block + 3, H.Block);
  auto Attribute = [&](CUfunction_attribute Which, int Default) {
    int Value = Default;
    CUDA.cuFuncGetAttribute(&Value, Which, L.Function);
    return Value;
  };
  H.Registers = uint32_t(Attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 0));
  H.CarveoutPercent =
      Attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1);
  H.StaticSharedBytes =
      uint64_t(Attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0));
  H.DynamicSharedBytes = L.SharedBytes;
  H.First = Control.First;
  H.Stride = Control.Stride;
  std::copy(Control.Others, Control.Others + TracedOthers, H.Others);
  CUdevice Device = 0;
  CUDA.cuCtxGetDevice(&Device);
  CUDA.cuDeviceGetName(H.Device, sizeof(H.Device), Device);

  std::vector<char> Table(Of.TableBytes), Records(H.RecordWords * 4);
  CUDA.cuMemcpyDtoH_v2(Table.data(), Of.Table, Table.size());
  if (!Records.empty())
    CUDA.cuMemcpyDtoH_v2(Records.data(), Control.Buffer, Records.size());
  Out.write(reinterpret_cast<const char *>(&H), sizeof(H));
  Out.write(L.Kernel.data(), std::streamsize(L.Kernel.size()));
  Out.write(Table.data(), std::streamsize(Table.size()));
  Out.write(Records.data(), std::streamsize(Records.size()));
  Out.flush();
  C.Bytes += Records.size();
  if (H.WantedWords > H.RecordWords)
    say("of launch " + std::to_string(C.Launches - 1) + " of " + L.Kernel +
        " only the first " +
        std::to_string(100 * H.RecordWords / H.WantedWords) +
        "% were recorded: the buffer was full (SLUICE_TRACE_MIB=" +
        std::to_string(BufferBytes >> 20) + ")");
}

void Tracer::report() const {
  for (const auto &[Kernel, C] : Counts) {
    std::vector<float> Others = C.OtherMs;
    std::sort(Others.begin(), Others.end());
    char Text[512];
    std::snprintf(Text, sizeof(Text),
                  "%s: %u of %u launches traced, %.1f MiB; traced %.4f ms, "
                  "others %.4f ms (median)",
                  Kernel.c_str(), C.Traced, C.Launches,
                  double(C.Bytes) / (1 << 20),
                  C.Traced ? C.TracedMs / C.Traced : 0.0,
                  Others.empty() ? 0.0 : double(Others[Others.size() / 2]));
    say(C.HasCode ? std::string(Text)
                  : std::string(Text) + "; compiled without trace=gpu");
  }
}
