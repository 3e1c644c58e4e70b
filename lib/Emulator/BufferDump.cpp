// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers are known again by their numbers, variables by their names. Where
// they lie and on which line they were made may differ: one of the two programs
// was transformed.

#include "sluice/Emulator/BufferDump.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace sluice::emulator;
using namespace llvm;

BufferDump::BufferDump(const std::string &Path)
    : File(std::fopen(Path.c_str(), "wb")) {
  if (File)
    return;
  std::fprintf(stderr, "sluice emulate: error: cannot write '%s': %s\n",
               Path.c_str(), std::strerror(errno));
  _exit(1);
}

BufferDump::~BufferDump() { std::fclose(File); }

void BufferDump::passed(const Allocation &A, BufferUse Use) {
  Uses[&A].insert(std::move(Use));
}

void BufferDump::add(const Allocation &A) {
  if (A.Kind == MemoryKind::Parameters || A.Kind == MemoryKind::Heap)
    return;
  std::string Name;
  if (A.Kind == MemoryKind::Variable) {
    Name = "variable " + A.Name;
  } else {
    std::string Made = A.Made.str();
    Name =
        "buffer " + utostr(A.Number) + (Made.empty() ? "" : " (" + Made + ")");
  }
  for (const BufferUse &U : Uses[&A])
    Name += "\t" + U.Kernel + " " + utostr(U.Index) +
            (U.MayWrite ? " w " : " r ") + U.Parameter;
  std::fprintf(File, "%llu %s\n", (unsigned long long)A.bytes(), Name.c_str());
  std::fwrite(A.host(), 1, A.bytes(), File);
  std::fputc('\n', File);
}

/// None: it is no use.
static std::optional<BufferUse> readUse(StringRef Text) {
  SmallVector<StringRef, 4> Words;
  Text.split(Words, ' ');
  BufferUse Use;
  if (Words.size() != 4 || Words[1].getAsInteger(10, Use.Index))
    return std::nullopt;
  Use.Kernel = Words[0].str();
  Use.MayWrite = Words[2] == "w";
  Use.Parameter = Words[3].str();
  return Use;
}

Expected<std::vector<BufferContents>>
sluice::emulator::readBufferDump(StringRef Path) {
  auto Text = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!Text)
    return createStringError("cannot read '" + Path +
                             "': " + Text.getError().message());
  std::vector<BufferContents> Buffers;
  StringRef Rest = (*Text)->getBuffer();
  while (!Rest.empty()) {
    auto [Head, Bytes] = Rest.split('\n');
    auto [Size, Name] = Head.split(' ');
    uint64_t Count;
    if (Size.getAsInteger(10, Count) || Bytes.size() <= Count ||
        Bytes[Count] != '\n')
      return createStringError("'" + Path + "' is not a whole dump");
    StringRef Contents = Bytes.take_front(Count);
    const auto NameAndUses = split(Name, '\t');
    Buffers.push_back({(*NameAndUses.begin()).str(),
                       false,
                       {Contents.bytes_begin(), Contents.bytes_end()}});
    for (StringRef Text : drop_begin(NameAndUses)) {
      auto Use = readUse(Text);
      if (!Use)
        return createStringError("'" + Path + "' is not a whole dump");
      Buffers.back().Uses.push_back(std::move(*Use));
    }
    Rest = Bytes.drop_front(Count + 1);
  }
  return Buffers;
}

static StringRef identityOf(const BufferContents &B) {
  return StringRef(B.Name).split(" (").first;
}

static const BufferContents *findLike(ArrayRef<BufferContents> All,
                                      const BufferContents &Wanted) {
  const auto *Found = find_if(All, [&](const BufferContents &B) {
    return identityOf(B) == identityOf(Wanted);
  });
  return Found == All.end() ? nullptr : Found;
}

// The four aligned bytes around one, as a number.
static std::string wordAt(ArrayRef<uint8_t> Bytes, size_t At) {
  size_t Begin = At / 4 * 4;
  std::vector<uint8_t> Word(Bytes.begin() + Begin,
                            Bytes.begin() + std::min(Begin + 4, Bytes.size()));
  std::reverse(Word.begin(), Word.end());
  return "0x" + toHex(Word, /*LowerCase=*/true);
}

std::string sluice::emulator::differences(ArrayRef<BufferContents> Before,
                                          ArrayRef<BufferContents> After) {
  std::string Text;
  for (const BufferContents &B : Before) {
    const BufferContents *A = findLike(After, B);
    if (!A) {
      Text += B.Name + " is missing after\n";
      continue;
    }
    if (B.OrderDependent || A->OrderDependent)
      continue;
    if (A->Bytes.size() != B.Bytes.size()) {
      Text += formatv("{0} has {1} bytes before, {2} after\n", B.Name,
                      B.Bytes.size(), A->Bytes.size());
      continue;
    }
    size_t Different = 0, First = 0;
    for (auto [Index, Old, New] : enumerate(B.Bytes, A->Bytes))
      if (Old != New && !Different++)
        First = Index;
    if (Different)
      Text += formatv("{0} differs in {1} of {2} bytes, first at byte {3}: {4} "
                      "before, {5} after\n",
                      B.Name, Different, B.Bytes.size(), First / 4 * 4,
                      wordAt(B.Bytes, First), wordAt(A->Bytes, First));
  }
  for (const BufferContents &A : After)
    if (!findLike(Before, A))
      Text += A.Name + " is missing before\n";
  return Text;
}
