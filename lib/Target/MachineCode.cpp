// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cubin is an ELF file. The section `.text.NAME` has the code of a kernel and
// of all functions that it calls, as nothing is linked to it. From Volta to
// Hopper an instruction has 16 bytes, and its lowest 9 bits say what it does:
//
//   0xc20 FMUL R4, R0, UR6      0x020, and from where its operands come
//   0x221 FADD R5, R5, R4       0x021
//
// NVIDIA does not document that; cuobjdump shows it.

#include "sluice/Target/MachineCode.h"
#include "sluice/Target/LoadWaits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace sluice;

namespace {
enum Opcode : unsigned {
  FAdd = 0x021,
  FFma = 0x023,
  DAdd = 0x029,
  DFma = 0x02b,
  Nop = 0x118
};
} // namespace

static constexpr unsigned InstructionBytes = 16;

static constexpr unsigned Volta = 70, Hopper = 90;

/// 0: its encoding is not known.
static unsigned knownNumberOf(StringRef Arch) {
  Arch.consume_front("sm_");
  unsigned Number;
  return !Arch.consumeInteger(10, Number) && Number >= Volta && Number <= Hopper
             ? Number
             : 0;
}

static void count(ArrayRef<uint8_t> Code, AssembledKernel &K) {
  for (; Code.size() >= InstructionBytes;
       Code = Code.drop_front(InstructionBytes)) {
    const unsigned Op = support::endian::read16le(Code.data()) & 0x1ff;
    K.Instructions += Op != Nop; // these fill up the last line
    K.Sums += Op == FAdd || Op == DAdd;
    K.FusedSums += Op == FFma || Op == DFma;
  }
}

Expected<std::vector<KernelCode>> sluice::readKernelCode(StringRef Cubin) {
  auto File = object::ELF64LEFile::create(Cubin);
  if (!File)
    return File.takeError();
  auto Sections = File->sections();
  if (!Sections)
    return Sections.takeError();
  std::vector<KernelCode> All;
  for (const auto &Section : *Sections) {
    auto Name = File->getSectionName(Section);
    if (!Name)
      return Name.takeError();
    if (!Name->consume_front(".text."))
      continue;
    auto Bytes = File->getSectionContents(Section);
    if (!Bytes)
      return Bytes.takeError();
    All.push_back({*Name, *Bytes, Section.sh_flags, Section.sh_info});
  }
  return All;
}

void sluice::countInstructions(StringRef Cubin, StringRef Arch,
                               StringMap<AssembledKernel> &Kernels) {
  const unsigned Number = knownNumberOf(Arch);
  if (!Number)
    return;
  auto All = readKernelCode(Cubin);
  if (!All)
    return consumeError(All.takeError());
  for (const KernelCode &Code : *All)
    if (auto Kernel = Kernels.find(Code.Name); Kernel != Kernels.end()) {
      count(Code.Bytes, Kernel->second);
      findLoadWaits(Code.Bytes, Number == Hopper, Kernel->second);
    }
}
