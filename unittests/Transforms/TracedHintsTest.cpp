// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A trace tells what the code asks of the caches, so that a profile of hinted
/// code models hinted loads.

#include "ModulesForTracing.h"
#include "sluice/Emulator/Device.h"
#include "sluice/Simulator/RawTrace.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <cstring>

using namespace llvm;
using namespace sluice;

namespace {

// Each load has a width of its own, by which its site is known: %b1 and %b2 are
// one load for the GPU, and so are %c1 and %c2, which ask for different things.
constexpr char Hinted[] = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @hinted(ptr %p) "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" {
  %a = load i8, ptr %p, align 1, !mem.cache_hint !0
  %q = getelementptr i8, ptr %p, i64 64
  %b1 = load float, ptr %q, align 8, !mem.cache_hint !2
  %q1 = getelementptr i8, ptr %q, i64 4
  %b2 = load float, ptr %q1, align 4, !mem.cache_hint !2
  %r = getelementptr i8, ptr %p, i64 128
  %c1 = load double, ptr %r, align 16, !mem.cache_hint !0
  %r1 = getelementptr i8, ptr %r, i64 8
  %c2 = load double, ptr %r1, align 8, !mem.cache_hint !2
  %s = getelementptr i8, ptr %p, i64 256
  %d = load i16, ptr %s, align 2
  %t = getelementptr i8, ptr %p, i64 512
  %x = call i32 asm sideeffect "ld.global.cg.b32 $0, [$1];", "=r,l"(ptr %t)
  %b = fadd float %b1, %b2
  %c = fadd double %c1, %c2
  %c32 = fptrunc double %c to float
  %bc = fadd float %b, %c32
  %a32 = zext i8 %a to i32
  %d32 = zext i16 %d to i32
  %ad = add i32 %a32, %d32
  %adx = add i32 %ad, %x
  %f = uitofp i32 %adx to float
  %sum = fadd float %bc, %f
  store float %sum, ptr %t, align 4
  ret void
}
!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"no_allocate"}
!2 = !{i32 0, !3}
!3 = !{!"sluice.cache_operator", !"cs"}
)";

/// Of the only load with so many bytes.
L1Hint hintOfLoad(const CodeSites &Sites, unsigned Bytes) {
  const AccessSite *Found = nullptr;
  for (const AccessSite &Site : Sites.Accesses)
    if (Site.Kind == AccessSite::Load && Site.Bytes == Bytes) {
      EXPECT_EQ(Found, nullptr) << "two loads of " << Bytes << " bytes";
      Found = &Site;
    }
  EXPECT_NE(Found, nullptr) << "no load of " << Bytes << " bytes";
  return Found ? Found->Hint : L1Hint::Normal;
}

void expectHints(const CodeSites &Sites) {
  EXPECT_EQ(hintOfLoad(Sites, 1), L1Hint::NoAllocate);
  EXPECT_EQ(hintOfLoad(Sites, 2), L1Hint::Normal);
  EXPECT_EQ(hintOfLoad(Sites, 8), L1Hint::EvictFirst); // .cs is that
  EXPECT_EQ(hintOfLoad(Sites, 16), L1Hint::Normal);    // they disagree
}

TEST(TracedHintsTest, TheEmulatorsTraceHasThem) {
  SmallString<128> File;
  ASSERT_FALSE(sys::fs::createTemporaryFile("sluice", "trace", File));
  FileRemover Remove(File);
  {
    LLVMContext C;
    const std::string Text = textOf(*parse(Hinted, C));
    emulator::EmulatorOptions Options;
    Options.Threads = 1;
    Options.AccessTrace = File.str().str();
    emulator::Device Device(Options);
    auto Kernel = Device.kernel(Device.registerImage(Text), "hinted");
    ASSERT_TRUE(bool(Kernel)) << toString(Kernel.takeError());
    emulator::Allocation *A = Device.memory().allocate(
        1024, emulator::MemoryKind::Device, emulator::HostPlace());
    std::memset(A->host(), 0, 1024);
    Device.memory().markWritten(A->Begin, 1024);
    uint64_t Pointer = A->Begin;
    void *Arguments[] = {&Pointer};
    EXPECT_EQ(Device.launch(**Kernel, {}, Arguments, emulator::HostPlace()),
              emulator::LaunchStatus::Success);
    Device.finish();
  }
  auto Trace = readTraceFile(File);
  ASSERT_TRUE(bool(Trace)) << toString(Trace.takeError());
  ASSERT_EQ(Trace->Launches.size(), 1u);
  const CodeSites &Sites = Trace->Launches.front().Sites;
  expectHints(Sites);
  EXPECT_EQ(hintOfLoad(Sites, 4), L1Hint::Global); // the inline PTX
}

TEST(TracedHintsTest, TheTableOfATracedRunHasThem) {
  LLVMContext C;
  auto M = parse(Hinted, C);
  instrument(*M);
  const GlobalVariable *Bytes = M->getNamedGlobal(TraceTableName);
  ASSERT_NE(Bytes, nullptr);
  auto Table = readTraceTable(
      cast<ConstantDataArray>(Bytes->getInitializer())->getRawDataValues());
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  expectHints(Table->Sites);

  // And the traced program's loads are what they were.
  unsigned Joined = 0;
  for (const Instruction &I : M->getFunction("hinted")->getEntryBlock()) {
    EXPECT_FALSE(I.hasMetadata(LLVMContext::MD_mmra));
    if (I.getType()->isVectorTy() && isa<LoadInst>(I))
      Joined += I.hasMetadata("mem.cache_hint");
  }
  EXPECT_EQ(Joined, 1u);
}

} // namespace
