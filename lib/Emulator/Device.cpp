// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the parts meet: images, memory, the handlers for this CPU, observers,
// reports. A launch that a GPU would refuse is refused here.

#include "sluice/Emulator/Device.h"
#include "Handlers.h"
#include "Image.h"
#include "Launch.h"
#include "Observers.h"
#include "TraceRecorder.h"
#include "sluice/Emulator/BufferDump.h"
#include "sluice/Simulator/Profiler.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

using namespace sluice::emulator;

namespace {

[[noreturn]] void die(const std::string &Message) {
  std::fprintf(stderr, "sluice emulate: error: %s\n", Message.c_str());
  std::fflush(nullptr);
  _exit(1); // exit handlers would ask for the device that there is not
}

} // namespace

struct Device::Impl {
  EmulatorOptions Options;
  const GPUModel *GPU;
  const HandlerTable *Handlers;
  DeviceMemory Memory;
  Reporter Reports;
  std::vector<std::unique_ptr<Observer>> Observers;
  std::vector<Observer *> ObserverList;
  std::mutex Lock; ///< One launch at a time, and loading.
  std::vector<std::unique_ptr<Image>> Images;
  /// For each registered number, the index in Images.
  std::vector<unsigned> ImageOf;
  int LinkedImage = -1;
  EmulatorCounts Counts;
  double Seconds = 0;
  Allocation *GridWorkspace = nullptr;
  std::unique_ptr<BufferDump> Dump;
  std::unique_ptr<Profiler> Profiles;
  Trace AccessTrace;

  llvm::Expected<Image *> image(unsigned Number);
  void profile();
  void writeProfiles();
  void count(const Function &Kernel, uint64_t LaneInstructions, double Took);

  Impl(EmulatorOptions O, const GPUModel *GPU, const HandlerTable *H)
      : Options(std::move(O)), GPU(GPU), Handlers(H),
        Memory(Options.MemoryBytes, Options.CheckMemory),
        Reports(Options.FailFast) {}
};

Device &Device::get() {
  static Device *D = [] {
    const char *Text = std::getenv("SLUICE_EMULATE");
    auto Options = parseEmulatorOptions(Text ? Text : "");
    if (!Options)
      die("SLUICE_EMULATE: " + llvm::toString(Options.takeError()));
    return new Device(std::move(*Options)); // lives to the end of the process
  }();
  return *D;
}

Device::Device(EmulatorOptions Options) {
  auto GPU = findGPUModel(Options.GPU);
  if (!GPU)
    die(llvm::toString(GPU.takeError()));
  const HandlerTable *H = selectHandlers(Options.ISA);
  if (!H)
    die("no handlers '" + Options.ISA +
        "' for this CPU: isa= is one of base, avx2, avx512, as the CPU allows");
  I = std::make_unique<Impl>(std::move(Options), *GPU, H);
  if (!I->Options.Dump.empty()) {
    I->Dump = std::make_unique<BufferDump>(I->Options.Dump);
    I->Memory.BeforeRelease = [this](const Allocation &A) { I->Dump->add(A); };
  }
  I->Observers = makeObservers(I->Options);
  if (!I->Options.Profile.empty() || !I->Options.AccessTrace.empty())
    I->profile();
  if (I->Options.OnlySample)
    reportWarning("with only-sample, blocks that are not profiled do not run: "
                  "what the program computes is wrong");
  for (auto &O : I->Observers)
    I->ObserverList.push_back(O.get());
}

// Sets up the profiler, and what gives it traces.
void Device::Impl::profile() {
  ProfilerOptions P;
  P.GPU = GPU;
  P.SMs = Options.SMs ? Options.SMs : GPU->DefaultSMs;
  if (Options.L1KiB)
    P.L1Bytes = Options.L1KiB * 1024;
  P.Pairs = Options.Pairs;
  P.CachedWarps = Options.CachedWarps;
  P.Scheduler = Options.Scheduler;
  Profiles = std::make_unique<Profiler>(P);
  RecorderOptions R;
  R.SMs = P.SMs;
  R.EachLaunch = Options.EachLaunch;
  R.Waves = Options.Waves;
  R.GPU = GPU;
  R.OnlySample = Options.OnlySample;
  R.Kernel = Options.Kernel;
  R.NotKernel = Options.NotKernel;
  AccessTrace.GPU = GPU->Name.str();
  Observers.push_back(makeTraceRecorder(R, [this](LaunchTrace &&T) {
    if (!Options.Profile.empty())
      if (auto Time = Profiles->add(T); !Time)
        Reports.error("the launch of " + T.Kernel + " could not be profiled: " +
                          llvm::toString(Time.takeError()),
                      "", {});
    if (Options.AccessTrace.empty())
      return;
    if (const FunctionSite *F = T.Sites.kernel(T.Kernel);
        F && AccessTrace.Source.empty())
      AccessTrace.Source = F->Source;
    AccessTrace.Launches.push_back(std::move(T));
  }));
}

void Device::Impl::writeProfiles() {
  if (!Options.Profile.empty()) {
    Profile P = Profiles->take();
    P.GPU = GPU->Name.str();
    P.Origin = "emulator";
    if (llvm::Error E = writeProfileFile(Options.Profile, P))
      Reports.error(llvm::toString(std::move(E)), "", {});
  }
  if (!Options.AccessTrace.empty())
    if (llvm::Error E = writeTraceFile(AccessTrace, Options.AccessTrace))
      Reports.error(llvm::toString(std::move(E)), "", {});
}

Device::~Device() = default;

const EmulatorOptions &Device::options() const { return I->Options; }
const sluice::GPUModel &Device::model() const { return *I->GPU; }
DeviceMemory &Device::memory() { return I->Memory; }
double Device::emulatedSeconds() const { return I->Seconds; }
EmulatorCounts Device::counts() const {
  EmulatorCounts C = I->Counts;
  C.Errors = I->Reports.errors();
  return C;
}

void Device::reportError(const std::string &Message) {
  I->Reports.error(Message, "", {});
}

void Device::reportWarning(const std::string &Message) {
  static llvm::StringSet<> Texts; // their addresses are keys
  I->Reports.warnOnce(Texts.insert(Message).first->getKeyData(),
                      [&] { return Message; });
}

unsigned Device::registerImage(llvm::StringRef Bytes, bool Linked) {
  std::lock_guard<std::mutex> Guard(I->Lock);
  unsigned Number = I->ImageOf.size();
  if (Linked && I->LinkedImage >= 0) {
    I->Images[I->LinkedImage]->add(Bytes);
    I->ImageOf.push_back(I->LinkedImage);
    return Number;
  }
  Image::Environment E{&I->Memory,
                       I->GPU,
                       I->Handlers,
                       !I->Observers.empty(),
                       I->Options.AssumeReadOnly,
                       I->Profiles != nullptr};
  I->Images.push_back(std::make_unique<Image>(E));
  I->Images.back()->add(Bytes);
  I->ImageOf.push_back(I->Images.size() - 1);
  if (Linked)
    I->LinkedImage = int(I->Images.size()) - 1;
  return Number;
}

/// Loaded.
llvm::Expected<Image *> Device::Impl::image(unsigned Number) {
  if (Number >= ImageOf.size())
    return llvm::createStringError("no device image number %u", Number);
  Image &Of = *Images[ImageOf[Number]];
  if (llvm::Error E = Of.load())
    return E;
  return &Of;
}

llvm::Expected<LoadedKernel *> Device::kernel(unsigned Number,
                                              llvm::StringRef Name) {
  std::lock_guard<std::mutex> Guard(I->Lock);
  auto Of = I->image(Number);
  if (!Of)
    return Of.takeError();
  return (*Of)->kernel(Name);
}

llvm::Expected<VariableFacts> Device::variable(unsigned Number,
                                               llvm::StringRef Name) {
  std::lock_guard<std::mutex> Guard(I->Lock);
  auto Of = I->image(Number);
  if (!Of)
    return Of.takeError();
  return (*Of)->variable(Name);
}

unsigned Device::residentBlocks(const LoadedKernel &Kernel, unsigned Threads,
                                uint64_t DynamicSharedBytes) const {
  BlockResources Block;
  Block.ThreadsPerBlock = Threads;
  Block.RegistersPerThread = Kernel.Registers ? Kernel.Registers : 32;
  Block.StaticSharedBytes = Kernel.StaticSharedBytes;
  Block.DynamicSharedBytes = DynamicSharedBytes;
  auto O = computeOccupancy(*I->GPU, Block, std::nullopt, I->GPU->DefaultSMs);
  if (!O) {
    llvm::consumeError(O.takeError());
    return 0;
  }
  return O->BlocksPerSM;
}

// Why the shape is not possible, or empty.
static std::string wrongShape(const LoadedKernel &Kernel,
                              const LaunchShape &S) {
  auto Of = [](const Dim3 &D) {
    return "(" + llvm::utostr(D.X) + "," + llvm::utostr(D.Y) + "," +
           llvm::utostr(D.Z) + ")";
  };
  if (!S.Block.count() || !S.Grid.count())
    return "a grid of " + Of(S.Grid) + " blocks of " + Of(S.Block) +
           " threads is empty";
  if (S.Block.count() > Kernel.MaxThreadsPerBlock || S.Block.count() > 1024 ||
      S.Block.X > 1024 || S.Block.Y > 1024 || S.Block.Z > 64)
    return "a block of " + Of(S.Block) +
           " threads is too large: at most (1024,1024,64) and together " +
           llvm::utostr(std::min(1024u, Kernel.MaxThreadsPerBlock));
  if (S.Grid.X > 0x7fffffff || S.Grid.Y > 65535 || S.Grid.Z > 65535)
    return "a grid of " + Of(S.Grid) +
           " blocks is too large: at most (2147483647,65535,65535)";
  return "";
}

// The buffers that parameters point to, less those that another parameter, or a
// word in a struct, points to and through which the kernel may write.
static std::vector<AddressRange> readOnlyBuffers(const DeviceMemory &Memory,
                                                 const Function &Code,
                                                 const Allocation &Parameters) {
  std::vector<const Allocation *> Read, Written;
  for (size_t P = 0; P < Code.ParameterBytes.size(); ++P)
    for (uint32_t At = 0; At + 8 <= Code.ParameterBytes[P]; At += 8) {
      uint64_t Word;
      std::memcpy(&Word,
                  static_cast<const char *>(Parameters.host()) +
                      Code.ParameterOffsets[P] + At,
                  8);
      const Allocation *A = Memory.find(Word);
      if (A && A->contains(Word, 1))
        (Code.ParameterReadOnly[P] ? Read : Written).push_back(A);
    }
  std::vector<AddressRange> Ranges;
  for (const Allocation *A : Read)
    if (!llvm::is_contained(Written, A))
      Ranges.push_back({A->Begin, A->End});
  return Ranges;
}

/// Tells the dump which buffers are arguments of this launch.
static void notePassed(BufferDump &Dump, const DeviceMemory &Memory,
                       const Function &Code, const Allocation &Parameters) {
  for (size_t P = 0; P < Code.ParameterBytes.size(); ++P) {
    if (Code.ParameterBytes[P] != sizeof(uint64_t))
      continue;
    uint64_t Word;
    std::memcpy(&Word,
                static_cast<const char *>(Parameters.host()) +
                    Code.ParameterOffsets[P],
                sizeof Word);
    const Allocation *A = Memory.find(Word);
    if (A && A->contains(Word, 1))
      Dump.passed(*A, {Code.Name, unsigned(P), !Code.ParameterReadOnly[P],
                       Code.ParameterNames[P]});
  }
}

/// How many of the launch's blocks the GPU has room for.
static uint64_t residentOnGPU(const Device &D, const sluice::GPUModel &GPU,
                              const LoadedKernel &Kernel,
                              const LaunchShape &Shape) {
  unsigned PerSM =
      D.residentBlocks(Kernel, Shape.Block.count(), Shape.DynamicSharedBytes);
  if (Shape.CarveoutPercent)
    PerSM = std::min(PerSM, blocksInCarveout(GPU, *Shape.CarveoutPercent,
                                             Kernel.StaticSharedBytes +
                                                 Shape.DynamicSharedBytes));
  return uint64_t(std::max(1u, PerSM)) *
         (Shape.SMs ? Shape.SMs : GPU.DefaultSMs);
}

/// Notes a launch that took so many seconds.
void Device::Impl::count(const Function &Kernel, uint64_t LaneInstructions,
                         double Took) {
  Counts.LaneInstructions += LaneInstructions;
  // A crude rate, said to be so: one instruction a lane, a clock and a lane.
  Seconds +=
      2e-6 + double(LaneInstructions) / (double(GPU->DefaultSMs) * 128 * 1.5e9);
  if (Options.Statistics)
    std::fprintf(stderr,
                 "sluice emulate: %s: %.1f M lane-instructions in %.3f s, "
                 "%.2f G/s\n",
                 Kernel.PrettyName.c_str(), double(LaneInstructions) / 1e6,
                 Took, double(LaneInstructions) / Took / 1e9);
}

/// The launch's arguments, where the kernel reads them; null: no memory.
static Allocation *parametersFor(const Function &Code, void *const *Arguments,
                                 DeviceMemory &Memory, HostPlace Where) {
  uint64_t Bytes = 8;
  for (auto [Offset, Size] :
       llvm::zip(Code.ParameterOffsets, Code.ParameterBytes))
    Bytes = std::max<uint64_t>(Bytes, Offset + Size);
  Allocation *Parameters =
      Memory.allocate(Bytes, MemoryKind::Parameters, Where);
  if (!Parameters)
    return nullptr;
  for (size_t P = 0; P < Code.ParameterBytes.size(); ++P)
    std::memcpy(static_cast<char *>(Parameters->host()) +
                    Code.ParameterOffsets[P],
                Arguments[P], Code.ParameterBytes[P]);
  Memory.markWritten(Parameters->Begin, Bytes);
  Parameters->ReadOnly = true;
  return Parameters;
}

LaunchStatus Device::launch(LoadedKernel &Kernel, const LaunchShape &Shape,
                            void *const *Arguments, HostPlace Where) {
  std::lock_guard<std::mutex> Guard(I->Lock);
  auto At = [&] {
    std::string Place = Where.str();
    return Place.empty() ? std::string() : " (launched at " + Place + ")";
  };
  std::string Wrong = wrongShape(Kernel, Shape);
  if (!Wrong.empty()) {
    reportError("invalid configuration: " + Wrong + At());
    return LaunchStatus::InvalidConfiguration;
  }
  const Image *Of = nullptr;
  const Function *Code = nullptr;
  for (auto &Candidate : I->Images)
    if (const Function *F = Candidate->codeOf(Kernel)) {
      Of = Candidate.get();
      Code = F;
    }
  if (!Code)
    return LaunchStatus::Unsupported;
  uint64_t Shared = Kernel.StaticSharedBytes + Shape.DynamicSharedBytes;
  if (Shared > I->GPU->MaxSharedPerBlockBytes ||
      Shape.DynamicSharedBytes > Kernel.MaxDynamicSharedBytes) {
    reportError("too much shared memory: " + llvm::utostr(Shared) +
                " bytes a block; without cudaFuncSetAttribute a kernel has " +
                llvm::utostr(Kernel.MaxDynamicSharedBytes) +
                ", and this GPU at most " +
                llvm::utostr(I->GPU->MaxSharedPerBlockBytes) + At());
    return LaunchStatus::OutOfResources;
  }
  const uint64_t Resident = residentOnGPU(*this, *I->GPU, Kernel, Shape);
  if (Shape.Cooperative && Shape.Grid.count() > Resident) {
    reportError("a cooperative grid of " + llvm::utostr(Shape.Grid.count()) +
                " blocks cannot be resident: this GPU takes " +
                llvm::utostr(Resident) + At());
    return LaunchStatus::OutOfResources;
  }

  Allocation *Parameters = parametersFor(*Code, Arguments, I->Memory, Where);
  if (!Parameters)
    return LaunchStatus::OutOfResources;
  if (I->Dump)
    notePassed(*I->Dump, I->Memory, *Code, *Parameters);
  if (Shape.Cooperative && !I->GridWorkspace) {
    I->GridWorkspace = I->Memory.allocate(4096, MemoryKind::Variable, Where);
    I->GridWorkspace->Name = "the barrier of the grid";
    I->Memory.markWritten(I->GridWorkspace->Begin, 4096);
  }

  LaunchRun::Environment E;
  E.Memory = &I->Memory;
  E.Reports = &I->Reports;
  E.Options = &I->Options;
  E.GPU = I->GPU;
  E.Code = &Of->program();
  E.Kernel = Code;
  E.Facts = &Kernel;
  E.Shape = Shape;
  E.SharedBytes =
      Code->DynamicSharedBase - ReservedSharedBytes + Shape.DynamicSharedBytes;
  E.Parameters = Parameters->Begin;
  if (!I->ObserverList.empty())
    E.ReadOnly = readOnlyBuffers(I->Memory, *Code, *Parameters);
  E.GridWorkspace = I->GridWorkspace ? I->GridWorkspace->Begin : 0;
  E.Number = I->Counts.Launches++;
  E.BlocksResident = Resident;
  E.Where = Where;
  E.Observers = I->ObserverList;
  LaunchRun Run(E);
  auto Start = std::chrono::steady_clock::now();
  LaunchStatus Status = Run.run();
  double Took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  I->count(*Code, Run.laneInstructions(), Took);
  I->Memory.release(*Parameters, Where);
  I->Memory.settle();
  return Status;
}

bool Device::finish() {
  for (auto &O : I->Observers)
    O->finish();
  I->writeProfiles();
  if (I->Options.CheckLeaks)
    for (const Allocation *A : I->Memory.leaks())
      reportError("leak: " + llvm::utostr(A->bytes()) +
                  " bytes that were not freed, allocated at " + A->Made.str());
  if (I->Dump) {
    for (const Allocation *A : I->Memory.live())
      I->Dump->add(*A);
    I->Memory.BeforeRelease = nullptr;
    I->Dump.reset();
  }
  I->Reports.summary();
  return I->Reports.errors() == 0;
}
