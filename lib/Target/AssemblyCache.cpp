// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry, in a file that llvm::localCache names and writes in one step:
//
//   _Z1kPf 40 0 0 1024 96 2 8  a kernel: registers, bytes of spill stores and
//                              loads, of shared memory; instructions, sums
//                              among them, and fused ones
//   end 5f3759df00c0ffee       a hash of what stands before

#include "sluice/Target/AssemblyCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace sluice;

/// Other where an entry is read or written otherwise, or parsed from the log.
static constexpr StringLiteral Format = "sluice assembly 4";

/// Entries take a block of the disk each, and the folder no more than 64 MiB.
static CachePruningPolicy pruningPolicy() {
  CachePruningPolicy Policy;
  Policy.MaxSizeFiles = 16384;
  Policy.MaxSizeBytes = uint64_t(64) << 20;
  return Policy;
}

//===- Entries ------------------------------------------------------------===//

static std::string endOf(StringRef Text) {
  return "end " + utohexstr(xxh3_64bits(Text)) + "\n";
}

static std::string textOf(const AssembledKernels &Kernels) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const auto &[Name, K] : Kernels)
    OS << Name << ' ' << K.Registers << ' ' << K.SpillStoreBytes << ' '
       << K.SpillLoadBytes << ' ' << K.StaticSharedBytes << ' '
       << K.Instructions << ' ' << K.Sums << ' ' << K.FusedSums << ' '
       << K.WaitCycles << ' ' << K.WaitInstructions << ' ' << K.WaitLoads
       << '\n';
  return Text + endOf(Text);
}

/// None: it is not as it was written.
static std::optional<AssembledKernels> parseEntry(StringRef Text) {
  const size_t End = Text.rfind("end ");
  if (End == StringRef::npos || Text.substr(End) != endOf(Text.take_front(End)))
    return std::nullopt;
  AssembledKernels Kernels;
  for (StringRef Line : split(Text.take_front(End), '\n')) {
    SmallVector<StringRef, 8> Words;
    Line.split(Words, ' ');
    if (Line.empty())
      continue;
    AssembledKernel K;
    if (Words.size() != 11 || Words[1].getAsInteger(10, K.Registers) ||
        Words[2].getAsInteger(10, K.SpillStoreBytes) ||
        Words[3].getAsInteger(10, K.SpillLoadBytes) ||
        Words[4].getAsInteger(10, K.StaticSharedBytes) ||
        Words[5].getAsInteger(10, K.Instructions) ||
        Words[6].getAsInteger(10, K.Sums) ||
        Words[7].getAsInteger(10, K.FusedSums) ||
        Words[8].getAsInteger(10, K.WaitCycles) ||
        Words[9].getAsInteger(10, K.WaitInstructions) ||
        Words[10].getAsInteger(10, K.WaitLoads))
      return std::nullopt;
    Kernels[Words[0]] = K;
  }
  return Kernels;
}

//===- The cache ----------------------------------------------------------===//

static std::string keyOf(const Assembler &Run, const AssemblyRequest &Request) {
  SHA256 Hash;
  for (StringRef Part : {StringRef(Format), StringRef(Run.Identity),
                         StringRef(Request.Arch), StringRef(Request.PTX)}) {
    Hash.update(Part);
    Hash.update(StringRef("\0", 1));
  }
  Hash.update(std::to_string(Request.OptLevel));
  Hash.update(Request.Relocatable ? "c" : "");
  return toHex(Hash.final(), /*LowerCase=*/true);
}

namespace {

/// An entry that is looked for, and then written if there is none.
class Entry {
public:
  Entry(StringRef Folder, StringRef Key);
  std::optional<AssembledKernels> Found;
  void write(const AssembledKernels &Kernels);

private:
  void lookUp(FileCache &Cache);

  const std::string Folder, Key;
  AddStreamFn AddStream; ///< Empty: it is there, or cannot be written.
};

} // namespace

Entry::Entry(StringRef Folder, StringRef Key)
    : Folder(Folder.str()), Key(Key.str()) {
  // Called for what is found, and again for what is written.
  auto Take = [this](unsigned, const Twine &,
                     std::unique_ptr<MemoryBuffer> Text) {
    Found = parseEntry(Text->getBuffer());
  };
  auto Cache = localCache("Sluice", "sluice", Folder, Take);
  if (!Cache) {
    consumeError(Cache.takeError());
    return;
  }
  lookUp(*Cache);
  if (Found || AddStream)
    return;
  // There is one, and it is of no use.
  SmallString<128> Path(Folder);
  sys::path::append(Path, "llvmcache-" + Key);
  if (!sys::fs::remove(Path))
    lookUp(*Cache);
}

void Entry::lookUp(FileCache &Cache) {
  auto Stream = Cache(0, Key, "");
  if (Stream)
    AddStream = std::move(*Stream);
  else
    consumeError(Stream.takeError());
}

/// What goes wrong here costs no more than time.
void Entry::write(const AssembledKernels &Kernels) {
  if (!AddStream)
    return;
  auto Stream = AddStream(0, "");
  if (!Stream)
    return consumeError(Stream.takeError());
  *(*Stream)->OS << textOf(Kernels);
  consumeError((*Stream)->commit());
  pruneCache(Folder, pruningPolicy());
}

static Expected<AssembledKernels> run(const Assembler &Run,
                                      const AssemblyRequest &Request) {
  TimeTraceScope Scope("SluiceAssembler");
  return Run.Run(Request);
}

Expected<AssembledKernels>
AssemblyCache::assemble(const AssemblyRequest &Request) const {
  if (Folder.empty())
    return run(Run, Request);
  Entry Kept(Folder, keyOf(Run, Request));
  if (Kept.Found)
    return std::move(*Kept.Found);
  Expected<AssembledKernels> Kernels = run(Run, Request);
  if (Kernels)
    Kept.write(*Kernels);
  return Kernels;
}

Expected<std::vector<AssembledKernels>>
AssemblyCache::assembleAll(ArrayRef<AssemblyRequest> Requests) const {
  std::vector<std::optional<Expected<AssembledKernels>>> Results(
      Requests.size());
  {
    DefaultThreadPool Pool(
        hardware_concurrency(unsigned(std::min<size_t>(Requests.size(), 64))));
    for (size_t I = 0; I < Requests.size(); ++I)
      Pool.async([&, I] { Results[I].emplace(assemble(Requests[I])); });
  }
  std::vector<AssembledKernels> All;
  Error Failed = Error::success();
  for (auto &Result : Results)
    if (*Result)
      All.push_back(std::move(**Result));
    else if (!Failed)
      Failed = Result->takeError();
    else // the same PTX, mostly, and the same sentence
      consumeError(Result->takeError());
  if (Failed)
    return std::move(Failed);
  return All;
}

Expected<Assembler> sluice::installedAssembler(StringRef CudaPath) {
  auto Identity = identifyAssembler(CudaPath);
  if (!Identity)
    return Identity.takeError();
  return Assembler{std::move(*Identity),
                   [Path = CudaPath.str()](const AssemblyRequest &Request) {
                     return assemblePTX(Request.PTX, Request.Arch, Path,
                                        Request.OptLevel);
                   }};
}

Expected<AssemblyCache>
AssemblyCache::open(Expected<Assembler> Run,
                    const std::optional<std::string> &Folder) {
  if (!Run)
    return Run.takeError();
  if (Folder)
    return AssemblyCache(std::move(*Run), *Folder);
  SmallString<128> Default;
  if (sys::path::cache_directory(Default)) // $XDG_CACHE_HOME or ~/.cache
    sys::path::append(Default, "sluice", "assembly");
  return AssemblyCache(std::move(*Run), std::string(Default));
}
