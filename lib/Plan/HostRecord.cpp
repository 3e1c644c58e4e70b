// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host compile gets the device's work as one file. Its cubins are not
// compressed, and a symbol's name stands in them as it was written.

#include "sluice/Plan/HostRecord.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Target/ShortRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Magic = "__sluice_host$1$";

std::string sluice::hostRecordName(StringRef Kernel,
                                   const HostRequest &Request) {
  std::string Carveout = "n";
  if (Request.CarveoutPercent)
    Carveout = std::to_string(*Request.CarveoutPercent);
  return formatv("{0}c{1}$s{2}$d{3}${4}${5}", Magic, Carveout,
                 Request.ClaimedSharedBytes, Request.MostDynamicBytes,
                 Kernel.size(), Kernel);
}

uint64_t sluice::sharedBytesWithClaim(const KernelPlan &Kernel) {
  uint64_t Static = Kernel.StaticSharedBytes;
  return Kernel.ClaimedSharedBytes + (Static ? Static + 1024 : Static);
}

std::optional<HostRequest> sluice::requestOf(const KernelPlan &Kernel) {
  HostRequest Request;
  Request.CarveoutPercent = Kernel.CarveoutPercent;
  if (!Kernel.ResidentBlocks && Kernel.ClaimedSharedBytes == 0)
    return Kernel.CarveoutPercent ? std::optional(Request) : std::nullopt;
  uint64_t Taken = sharedBytesWithClaim(Kernel);
  if (Taken > MostSharedWithoutOptIn)
    return std::nullopt; // the launch would have to opt in
  Request.ClaimedSharedBytes = Kernel.ClaimedSharedBytes;
  Request.MostDynamicBytes = MostSharedWithoutOptIn - Taken;
  return Request;
}

/// "s7168$": the number after \p Key, and the `$` after it.
static bool consumeField(StringRef &Text, StringRef Key, uint64_t &Number) {
  return Text.consume_front(Key) && !Text.consumeInteger(10, Number) &&
         Text.consume_front("$");
}

/// The record that \p Text, what follows the magic, begins with.
static bool parseRecord(StringRef Text, std::string &Kernel,
                        HostRequest &Request) {
  if (!Text.consume_front("cn$")) {
    uint64_t Percent;
    if (!consumeField(Text, "c", Percent) || Percent > 100)
      return false;
    Request.CarveoutPercent = unsigned(Percent);
  }
  uint64_t Length;
  if (!consumeField(Text, "s", Request.ClaimedSharedBytes) ||
      !consumeField(Text, "d", Request.MostDynamicBytes) ||
      !consumeField(Text, "", Length) || Length == 0 || Length > Text.size())
    return false;
  Kernel = Text.take_front(Length).str();
  return all_of(Kernel,
                [](char C) { return isAlnum(C) || C == '_' || C == '$'; });
}

HostRequests sluice::findHostRecords(StringRef Image) {
  HostRequests Found;
  for (size_t At = Image.find(Magic); At != StringRef::npos;
       At = Image.find(Magic, At + Magic.size())) {
    std::string Kernel;
    HostRequest Request;
    if (parseRecord(Image.drop_front(At + Magic.size()), Kernel, Request))
      Found.try_emplace(Kernel, Request);
  }
  for (const auto &[Kernel, Form] : findMergedKernels(Image))
    Found[Kernel].Merged = Form;
  for (const auto &[Kernel, Form] : findShortRowsKernels(Image))
    Found[Kernel].Short = Form;
  return Found;
}

// The layout of NVIDIA's fat binary is not documented; these fields have been
// read so by others for long, and are checked: what does not look right is not
// read.
static constexpr uint32_t FatBinaryMagic = 0xBA55ED50;
static constexpr uint64_t EntryIsCompressed = 0x2000;
enum FatBinaryKind : uint16_t { PTXEntry = 1, CubinEntry = 2 };

static uint64_t number(StringRef Bytes, size_t At, unsigned Size) {
  using namespace support::endian;
  const char *P = Bytes.data() + At;
  return Size == 2 ? read16le(P) : Size == 4 ? read32le(P) : read64le(P);
}

static Expected<std::vector<GPUImage>> imagesOfFatBinary(StringRef Binary) {
  auto Malformed = [] {
    return createStringError("the fat binary has an unknown form");
  };
  constexpr size_t MinEntry = 0x40;
  if (Binary.size() < 16)
    return Malformed();
  StringRef Rest = Binary.drop_front(16).take_front(number(Binary, 8, 8));
  std::vector<GPUImage> Cubins, PTX;
  while (Rest.size() >= MinEntry) {
    uint64_t Kind = number(Rest, 0, 2), Header = number(Rest, 4, 4),
             Size = number(Rest, 8, 8), Architecture = number(Rest, 28, 4);
    if (Header < MinEntry || Header > Rest.size() ||
        Size > Rest.size() - Header)
      return Malformed();
    if (number(Rest, 40, 8) & EntryIsCompressed && Kind == CubinEntry)
      return createStringError("the fat binary is compressed");
    GPUImage Image{"sm_" + std::to_string(Architecture),
                   Rest.substr(Header, Size)};
    (Kind == PTXEntry ? PTX : Cubins).push_back(std::move(Image));
    Rest = Rest.drop_front(Header + Size);
  }
  return Cubins.empty() ? PTX : Cubins;
}

static Expected<std::vector<GPUImage>> imagesOfOffloadBinary(StringRef Binary) {
  std::vector<GPUImage> Images;
  while (!Binary.empty()) {
    auto Member = object::OffloadBinary::create(MemoryBufferRef(Binary, ""));
    if (!Member)
      return Member.takeError();
    Images.push_back({(*Member)->getArch().str(), (*Member)->getImage()});
    Binary = Binary.drop_front((*Member)->getSize());
  }
  return Images;
}

Expected<std::vector<GPUImage>> sluice::imagesOf(StringRef Binary) {
  if (Binary.size() >= 4 && number(Binary, 0, 4) == FatBinaryMagic)
    return imagesOfFatBinary(Binary);
  if (Binary.starts_with("\x10\xFF\x10\xAD"))
    return imagesOfOffloadBinary(Binary);
  return std::vector<GPUImage>{{"", Binary}};
}

AgreedRequests sluice::agreeOn(ArrayRef<GPUImage> Images) {
  std::vector<HostRequests> OfImage;
  for (const GPUImage &Image : Images)
    OfImage.push_back(findHostRecords(Image.Bytes));
  AgreedRequests Agreed;
  for (size_t I = 0; I < Images.size(); ++I)
    for (const auto &Entry : OfImage[I]) {
      StringRef Kernel = Entry.getKey();
      if (Agreed.Requests.contains(Kernel) || Agreed.Refusals.contains(Kernel))
        continue;
      auto Other = find_if(OfImage, [&](const HostRequests &Requests) {
        auto Same = Requests.find(Kernel);
        return Same == Requests.end() || Same->second != Entry.getValue();
      });
      if (Other == OfImage.end())
        Agreed.Requests[Kernel] = Entry.getValue();
      else
        Agreed.Refusals[Kernel] =
            formatv("what is planned for {0} and {1} "
                    "differs",
                    Images[I].GPU, Images[Other - OfImage.begin()].GPU);
    }
  return Agreed;
}

std::vector<std::string> sluice::takeCarveouts(ArrayRef<Plan> Plans,
                                               StringRef Source,
                                               HostRequests &Requests) {
  std::vector<const Plan *> Taken; // by the device compiles of this source
  for (const Plan &P : Plans)
    if (planFor(Plans, Source, P.GPU) == &P)
      Taken.push_back(&P);
  std::vector<std::string> Disagreeing;
  for (const Plan *Given : Taken)
    for (const KernelPlan &Kernel : Given->Kernels) {
      bool Disagree = any_of(Taken, [&](const Plan *Other) {
        const KernelPlan *Same = Other->kernel(Kernel.Name);
        return Same && Same->CarveoutPercent != Kernel.CarveoutPercent;
      });
      if (Disagree)
        Requests.erase(Kernel.Name);
      else if (Kernel.CarveoutPercent)
        Requests[Kernel.Name].CarveoutPercent = Kernel.CarveoutPercent;
      if (Disagree && !is_contained(Disagreeing, Kernel.Name))
        Disagreeing.push_back(Kernel.Name);
    }
  return Disagreeing;
}
