// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// An instrumented kernel, run by the emulator, records what the emulator
/// itself traces of the kernel without instrumentation, and gives the same
/// results.

#include "ModulesForTracing.h"
#include "sluice/Emulator/Device.h"
#include "sluice/Simulator/RawTrace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <cstring>

using namespace llvm;
using namespace sluice;

namespace {

// A loop whose lanes part, a vector load, a generic pointer to shared memory,
// and a barrier. Each thread reads rows of `index`, and `a` where they say.
constexpr char Gather[] = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal unnamed_addr addrspace(3) global [64 x float] undef, align 4
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @gather(ptr %a, ptr %index, ptr %out, i32 %n, i32 %m)
    memory(readwrite) "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" {
entry:
  %block = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %threads = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %t = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %block, %threads
  %i = add i32 %first, %t
  %i64 = sext i32 %i to i64
  %mine = getelementptr inbounds float, ptr %out, i64 %i64
  %some = icmp sgt i32 %m, 0
  br i1 %some, label %loop, label %after
loop:
  %sum = phi float [ 0.0, %entry ], [ %next, %latch ]
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %row = mul nsw i32 %j, %n
  %at = add nsw i32 %row, %i
  %at64 = sext i32 %at to i64
  %p = getelementptr inbounds i32, ptr %index, i64 %at64
  %k = load i32, ptr %p, align 4
  %even = and i32 %k, -2
  %k64 = sext i32 %even to i64
  %q = getelementptr inbounds float, ptr %a, i64 %k64
  %x = load float, ptr %q, align 8
  %q1 = getelementptr i8, ptr %q, i64 4
  %y = load float, ptr %q1, align 4
  %q8 = getelementptr i8, ptr %q, i64 64
  %z = load float, ptr %q8, align 4
  %xy = fadd float %x, %y
  %xyz = fadd float %xy, %z
  %next = fadd float %sum, %xyz
  %odd = and i32 %k, 1
  %skip = icmp eq i32 %odd, 0
  br i1 %skip, label %latch, label %store
store:
  store float %next, ptr %mine, align 4
  br label %latch
latch:
  %j.next = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %j.next, %m
  br i1 %done, label %after, label %loop
after:
  %total = phi float [ 0.0, %entry ], [ %next, %latch ]
  %t64 = zext i32 %t to i64
  %to = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 %t64
  store float %total, ptr %to, align 4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %u = sub nsw i32 63, %t
  %u64 = zext i32 %u to i64
  %from = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 %u64
  %other = load float, ptr %from, align 4
  %both = fadd float %total, %other
  store float %both, ptr %mine, align 4
  ret void
}
)";
constexpr unsigned Blocks = 6, Threads = 64, Rows = 5;
constexpr unsigned N = Blocks * Threads;

/// Runs gather on a device of its own.
struct GatherRun {
  emulator::Device Device;
  std::string Text;
  unsigned Image;
  std::vector<float> Out;

  GatherRun(const Module &M, const emulator::EmulatorOptions &Options)
      : Device(Options), Text(textOf(M)), Image(Device.registerImage(Text)) {}

  uint64_t buffer(uint64_t Bytes) {
    emulator::Allocation *A = Device.memory().allocate(
        Bytes, emulator::MemoryKind::Device, emulator::HostPlace());
    std::memset(A->host(), 0, Bytes);
    Device.memory().markWritten(A->Begin, Bytes);
    return A->Begin;
  }
  void *variable(const char *Name, uint64_t *Bytes = nullptr) {
    auto V = Device.variable(Image, Name);
    if (!V) {
      ADD_FAILURE() << toString(V.takeError());
      return nullptr;
    }
    if (Bytes)
      *Bytes = V->Memory->bytes();
    return V->Memory->host();
  }
  /// All runs allocate before the image is read, so that addresses agree.
  uint64_t A = 0, Index = 0, OutBuffer = 0;
  void allocate() {
    A = buffer(uint64_t(N + 32) * 4);
    Index = buffer(uint64_t(N) * Rows * 4);
    OutBuffer = buffer(uint64_t(N) * 4);
    auto *Values = emulator::hostPointer<float>(A);
    for (unsigned I = 0; I < N + 32; ++I)
      Values[I] = float(I % 17);
    auto *Indices = emulator::hostPointer<int>(Index);
    for (unsigned I = 0; I < N * Rows; ++I)
      Indices[I] = int((I * 37 + I / 7) % N);
  }
  void launch() {
    auto Kernel = Device.kernel(Image, "gather");
    ASSERT_TRUE(bool(Kernel)) << toString(Kernel.takeError());
    int Columns = N, Loops = Rows;
    void *Arguments[] = {&A, &Index, &OutBuffer, &Columns, &Loops};
    emulator::LaunchShape Shape;
    Shape.Grid.X = Blocks;
    Shape.Block.X = Threads;
    EXPECT_EQ(Device.launch(**Kernel, Shape, Arguments, emulator::HostPlace()),
              emulator::LaunchStatus::Success);
    auto *Values = emulator::hostPointer<float>(OutBuffer);
    Out.assign(Values, Values + N);
  }
};

emulator::EmulatorOptions twoSMs() {
  emulator::EmulatorOptions Options;
  Options.Threads = 1;
  Options.SMs = 2;
  return Options;
}

/// Without the instructions that only compute, some of which no record tells
/// of, and addresses of shared memory.
std::vector<uint32_t> accessesOf(const WarpTrace &W, const CodeSites &Sites) {
  std::vector<uint32_t> Result;
  for (const uint32_t *P = W.Words.data(), *E = P + W.Words.size(); P < E;) {
    WarpTrace::OpTy Op = WarpTrace::op(*P);
    const uint32_t *Next = Op == WarpTrace::Affine || Op == WarpTrace::Scattered
                               ? skipAccess(P)
                               : P + 1;
    const bool IsShared =
        Next > P + 1 &&
        Sites.Accesses[WarpTrace::argument(*P)].Space == AccessSite::Shared;
    if (IsShared)
      Result.insert(Result.end(), {WarpTrace::argument(*P), P[1]});
    else if (Op != WarpTrace::Issue)
      Result.insert(Result.end(), P, Next);
    P = Next;
  }
  return Result;
}

TEST(TracePassTest, RecordsWhatTheEmulatorTraces) {
  LLVMContext C;
  SmallString<128> File;
  ASSERT_FALSE(sys::fs::createTemporaryFile("sluice", "trace", File));
  FileRemover Remove(File);
  std::vector<float> Expected;
  {
    auto M = parse(Gather, C);
    emulator::EmulatorOptions Options = twoSMs();
    Options.AccessTrace = File.str().str();
    GatherRun Plain(*M, Options);
    Plain.allocate();
    Plain.launch();
    Plain.Device.finish();
    Expected = Plain.Out;
  }
  auto Reference = readTraceFile(File);
  ASSERT_TRUE(bool(Reference)) << toString(Reference.takeError());
  ASSERT_EQ(Reference->Launches.size(), 1u);
  const LaunchTrace &Plain = Reference->Launches.front();

  auto M = parse(Gather, C);
  instrument(*M);
  GatherRun Traced(*M, twoSMs());
  Traced.allocate();
  TraceControl Control;
  Control.Capacity = 1 << 20;
  Control.Buffer = Traced.buffer(Control.Capacity * 4);
  Control.First = 1;
  Control.Stride = 2;
  std::memcpy(Traced.variable(TraceControlName), &Control, sizeof(Control));
  Traced.launch();
  EXPECT_EQ(Traced.Out, Expected);

  std::memcpy(&Control, Traced.variable(TraceControlName), sizeof(Control));
  RawLaunchHeader H;
  H.Grid[0] = Blocks;
  H.Block[0] = Threads;
  H.First = Control.First;
  H.Stride = Control.Stride;
  H.RecordWords = H.WantedWords = Control.Cursor;
  ASSERT_GT(H.RecordWords, 0u);
  uint64_t TableBytes = 0;
  auto *Bytes =
      static_cast<const char *>(Traced.variable(TraceTableName, &TableBytes));
  auto Table = readTraceTable(StringRef(Bytes, TableBytes));
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  ASSERT_EQ(Table->Kernels.size(), 1u);
  EXPECT_EQ(Table->Kernels[0].Name, "gather");
  auto Trace = traceOfRecords(
      *Table, "gather", H,
      ArrayRef(emulator::hostPointer<uint32_t>(Control.Buffer), H.RecordWords));
  ASSERT_TRUE(bool(Trace)) << toString(Trace.takeError());

  EXPECT_EQ(Trace->Sites.Accesses.size(), Plain.Sites.Accesses.size());
  EXPECT_EQ(Trace->Sites.Loops.size(), Plain.Sites.Loops.size());
  ASSERT_EQ(Trace->Blocks.size(), 3u);
  ASSERT_EQ(Plain.Blocks.size(), 3u);
  for (unsigned B = 0; B < 3; ++B) {
    EXPECT_EQ(Trace->Blocks[B].Number, 2 * B + 1);
    for (unsigned W = 0; W < 2; ++W)
      EXPECT_EQ(accessesOf(Trace->Blocks[B].Warps[W], Trace->Sites),
                accessesOf(Plain.Blocks[B].Warps[W], Plain.Sites))
          << "block " << B << ", warp " << W;
  }
}

TEST(TracePassTest, ChangesNothingWhileNothingIsSampled) {
  LLVMContext C;
  auto Plain = parse(Gather, C), Traced = parse(Gather, C);
  instrument(*Traced);
  std::vector<float> Results[2];
  for (int I : {0, 1}) {
    GatherRun Run(I ? *Traced : *Plain, twoSMs());
    Run.allocate();
    Run.launch();
    Results[I] = Run.Out;
    if (I) {
      TraceControl Control;
      std::memcpy(&Control, Run.variable(TraceControlName), sizeof(Control));
      EXPECT_EQ(Control.Cursor, 0u);
    }
  }
  EXPECT_EQ(Results[0], Results[1]);
}

TEST(TracePassTest, AFullBufferKeepsWhatCameFirst) {
  LLVMContext C;
  auto M = parse(Gather, C);
  instrument(*M);
  GatherRun Run(*M, twoSMs());
  Run.allocate();
  TraceControl Control;
  Control.Capacity = 1000;
  Control.Buffer = Run.buffer(Control.Capacity * 4);
  Control.First = 1;
  Control.Stride = 2;
  std::memcpy(Run.variable(TraceControlName), &Control, sizeof(Control));
  Run.launch();
  std::memcpy(&Control, Run.variable(TraceControlName), sizeof(Control));
  EXPECT_GT(Control.Cursor, Control.Capacity);
  RawLaunchHeader H;
  H.Grid[0] = Blocks;
  H.Block[0] = Threads;
  H.First = 1;
  H.Stride = 2;
  H.RecordWords = Control.Capacity;
  H.WantedWords = Control.Cursor;
  uint64_t TableBytes = 0;
  auto *Bytes =
      static_cast<const char *>(Run.variable(TraceTableName, &TableBytes));
  auto Table = readTraceTable(StringRef(Bytes, TableBytes));
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  auto Trace = traceOfRecords(
      *Table, "gather", H,
      ArrayRef(emulator::hostPointer<uint32_t>(Control.Buffer), H.RecordWords));
  ASSERT_TRUE(bool(Trace)) << toString(Trace.takeError());
  EXPECT_GT(Trace->Blocks[0].Warps[0].Words.size(), 10u);
  EXPECT_EQ(Trace->Blocks[2].Warps[1].Words.size(), 1u); // its end alone
}

} // namespace
