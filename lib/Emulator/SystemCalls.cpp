// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CUDA runtime gives device code: printf, malloc and free, assert; and
// the end of lanes by a trap.

#include "Launch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include <cstdio>
#include <cstring>

using namespace sluice::emulator;

// One byte at a generic address, or -1 when there is none.
static int byteAt(Context *C, unsigned Lane, uint64_t Address) {
  if (Address - LocalWindow < PrivateWindowBytes) {
    Address -= LocalWindow;
    if (Address >= C->LocalBytes)
      return -1;
    return uint8_t(*localAddress(C->Local, Address, Lane));
  }
  if (Address - SharedWindow < PrivateWindowBytes) {
    Address -= SharedWindow;
    return Address < C->SharedBytes ? uint8_t(C->Shared[Address]) : -1;
  }
  const Allocation *A = C->Run->E.Memory->find(Address);
  if (!A || A->Freed || !A->contains(Address, 1))
    return -1;
  return *hostPointer<const uint8_t>(Address);
}

static std::string stringAt(Context *C, unsigned Lane, uint64_t Address) {
  std::string Text;
  while (Text.size() < 4096) {
    int Byte = byteAt(C, Lane, Address++);
    if (Byte <= 0)
      break;
    Text.push_back(char(Byte));
  }
  return Text;
}

static uint64_t wordAt(Context *C, unsigned Lane, uint64_t Address,
                       unsigned Bytes) {
  uint64_t Word = 0;
  for (unsigned I = 0; I < Bytes; ++I)
    Word |= uint64_t(std::max(0, byteAt(C, Lane, Address + I))) << 8 * I;
  return Word;
}

/// At most so many characters: a width may be anything.
template <class T>
static std::string printed(const std::string &Spec, T Value,
                           size_t Most = 512) {
  std::string Text(Most, 0);
  std::snprintf(Text.data(), Text.size(), Spec.c_str(), Value);
  return Text.c_str(); // to the first null
}

/// \p Next gives so many bytes of the arguments.
static std::string
formattedNumber(const std::string &Spec, char Kind, bool IsLong,
                llvm::function_ref<uint64_t(unsigned)> Next) {
  switch (Kind) {
  case 'c':
    return printed(Spec + 'c', int(Next(4)));
  case 'p':
    return printed(Spec + 'p', pointerTo(Next(8)));
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o': {
    const uint64_t Word = Next(IsLong ? 8 : 4);
    const bool IsSigned = Kind == 'd' || Kind == 'i';
    return printed(Spec + "ll" + Kind, !IsLong && IsSigned
                                           ? (long long)int32_t(Word)
                                           : (long long)Word);
  }
  default:
    return printed(Spec + Kind, llvm::bit_cast<double>(Next(8)));
  }
}

// Arguments lie one after another, each at a multiple of its size, as clang
// packs them for vprintf.
static std::string formatted(Context *C, unsigned Lane, uint64_t Format,
                             uint64_t Arguments) {
  std::string F = stringAt(C, Lane, Format), Out;
  uint64_t At = Arguments;
  auto Next = [&](unsigned Bytes) {
    At = (At + Bytes - 1) & ~uint64_t(Bytes - 1);
    uint64_t Word = wordAt(C, Lane, At, Bytes);
    At += Bytes;
    return Word;
  };
  for (size_t I = 0; I < F.size();) {
    if (F[I] != '%') {
      Out.push_back(F[I++]);
      continue;
    }
    size_t Start = I++;
    std::string Spec = "%";
    while (I < F.size() && std::strchr("-+ #0123456789.*", F[I])) {
      if (F[I] == '*')
        Spec += std::to_string(int(Next(4)));
      else
        Spec.push_back(F[I]);
      ++I;
    }
    unsigned Longs = 0;
    while (I < F.size() && std::strchr("hlLjzt", F[I])) {
      Longs += F[I] == 'l' || F[I] == 'j' || F[I] == 'z' || F[I] == 't' ? 1 : 0;
      ++I;
    }
    if (I == F.size()) {
      Out += F.substr(Start);
      break;
    }
    const char Kind = F[I++];
    if (Kind == '%') {
      Out.push_back('%');
    } else if (Kind == 's') {
      const std::string Text = stringAt(C, Lane, Next(8));
      Out += printed(Spec + 's', Text.c_str(), Text.size() + 512);
    } else if (std::strchr("diuxXoceEfFgGaAp", Kind)) {
      Out += formattedNumber(Spec, Kind, Longs != 0, Next);
    } else { // as CUDA's printf does with what it does not know
      Out += F.substr(Start, I - Start);
    }
  }
  return Out;
}

void sluice::emulator::systemCall(Context *C, const Instruction *PC, char *R) {
  const auto &Call = *static_cast<const SystemCall *>(PC->Extra);
  auto Argument = [&](unsigned I, unsigned L) {
    return readLane(R, Call.Arguments[I], L);
  };
  std::string Text;
  for (uint32_t M = C->Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    uint64_t Result = 0;
    switch (Call.K) {
    case SystemCall::Printf:
      Text += formatted(C, L, Argument(0, L), Argument(1, L));
      Result = 0;
      break;
    case SystemCall::Malloc: {
      uint64_t Bytes = Argument(0, L);
      Allocation *A = Bytes ? C->Run->E.Memory->allocate(
                                  Bytes, MemoryKind::Heap, C->Run->E.Where, 16)
                            : nullptr;
      Result = A ? A->Begin : 0;
      break;
    }
    case SystemCall::Free:
      if (uint64_t Address = Argument(0, L)) {
        Allocation *A = C->Run->E.Memory->findBegin(Address);
        if (A && A->Kind == MemoryKind::Heap) {
          C->Run->E.Memory->release(*A, C->Run->E.Where);
          // Others may remember its limits: look them up anew.
          for (Site &S : C->By->Sites)
            if (S.Low == Address)
              S = Site();
        } else {
          reportLane(C, PC, L, "free of what malloc did not give", {},
                     &Address);
          C->Run->fail(LaunchStatus::IllegalAddress);
        }
      }
      break;
    case SystemCall::AssertFail: {
      std::string Expression = stringAt(C, L, Argument(0, L));
      reportLane(C, PC, L, "assertion failed: " + Expression, {});
      C->Run->stop(LaunchStatus::Assert);
      break;
    }
    }
    if (!Call.Results.empty())
      writeLane(R, Call.Results[0], L, Result);
  }
  if (!Text.empty()) {
    std::fwrite(Text.data(), 1, Text.size(), stdout);
  }
}

const Instruction *
sluice::emulator::trapLanes(Context *C, const Instruction *PC, char *&R) {
  unsigned First = __builtin_ctz(C->Mask);
  if (auto *What = static_cast<const std::string *>(PC->Extra)) {
    reportLane(C, PC, First, "the emulator cannot run " + *What, {});
    C->Run->stop(LaunchStatus::Unsupported);
  } else {
    reportLane(C, PC, First, "trap", {});
    C->Run->stop(LaunchStatus::Trap);
  }
  return exitLanes(C, R);
}
