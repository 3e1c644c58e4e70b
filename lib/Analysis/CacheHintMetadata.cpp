// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node by node as LLVM's verifier and NVPTX backend read it since pull requests
// 181612 and 204067: pairs of an operand's number and a node, which has pairs
// of a key and a value.

#include "sluice/Analysis/CacheHintMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Kind = "mem.cache_hint";

namespace {

/// A key, a value of it that is a string, and the part of a hint that it is.
struct StringValue {
  StringLiteral Key, Value, Part;
};

constexpr StringLiteral PolicyKey = "nvvm.l2_cache_hint";

} // namespace

// Where two are for one part the first is written.
static constexpr StringValue StringValues[] = {
    {"nvvm.l1_eviction", "first", "L1::evict_first"},
    {"nvvm.l1_eviction", "last", "L1::evict_last"},
    {"nvvm.l1_eviction", "unchanged", "L1::evict_unchanged"},
    {"nvvm.l1_eviction", "no_allocate", "L1::no_allocate"},
    {"nvvm.l1_eviction", "normal", "none"},
    {"sluice.cache_operator", "ca", "ca"},
    {"sluice.cache_operator", "cg", "cg"},
    {"sluice.cache_operator", "cs", "cs"},
    {"sluice.cache_operator", "lu", "lu"},
    {"sluice.cache_operator", "cv", "cv"},
    {"sluice.l2_policy", "evict_first", "L2::evict_first"},
    {"sluice.l2_policy", "evict_last", "L2::evict_last"},
    {"sluice.l2_policy", "evict_normal", "L2::evict_normal"},
    {"sluice.l2_policy", "evict_unchanged", "L2::evict_unchanged"},
    {"nvvm.l2_eviction", "first", "L2::evict_first"},
    {"nvvm.l2_eviction", "last", "L2::evict_last"},
    {"nvvm.l2_eviction", "normal", "none"},
    {"nvvm.l2_prefetch_size", "64B", "L2::64B"},
    {"nvvm.l2_prefetch_size", "128B", "L2::128B"},
    {"nvvm.l2_prefetch_size", "256B", "L2::256B"},
    {"sluice.by_warp", "L1", "by-warp::L1"},
    {"sluice.by_warp", "L2", "by-warp::L2"},
};

const Value *sluice::readPointer(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getPointerOperand();
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  return Copy ? Copy->getRawSource() : nullptr;
}

static unsigned operandNumber(const Instruction &I) {
  return isa<LoadInst>(I) ? 0 : 1;
}

void sluice::setCacheHint(Instruction &I, const CacheHint &Hint) {
  LLVMContext &C = I.getContext();
  SmallVector<Metadata *, 8> Pairs;
  CacheHint Left = Hint;
  Left.ReadOnly = false;
  if (Left.L2Policy != 0) {
    Pairs.push_back(MDString::get(C, PolicyKey));
    Pairs.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt64Ty(C), Left.L2Policy)));
    Left.L2Policy = 0;
  }
  SmallVector<StringRef, 4> Parts;
  std::string Text = Left.str();
  StringRef(Text).split(Parts, '+');
  for (StringRef Part : Parts)
    for (const StringValue &V : StringValues)
      if (V.Part == Part && Part != "none") {
        Pairs.push_back(MDString::get(C, V.Key));
        Pairs.push_back(MDString::get(C, V.Value));
        break;
      }
  if (Pairs.empty()) {
    I.setMetadata(Kind, nullptr);
    return;
  }
  Metadata *Operands[] = {ConstantAsMetadata::get(ConstantInt::get(
                              Type::getInt32Ty(C), operandNumber(I))),
                          MDNode::get(C, Pairs)};
  I.setMetadata(Kind, MDNode::get(C, Operands));
}

/// The node for operand \p Operand; null: there is none.
static const MDNode *nodeOf(const MDNode &All, unsigned Operand,
                            SmallVectorImpl<std::string> &Problems) {
  if (All.getNumOperands() % 2 != 0) {
    Problems.push_back("it must be pairs of an operand's number and a node");
    return nullptr;
  }
  const MDNode *Found = nullptr;
  for (unsigned I = 0; I < All.getNumOperands(); I += 2) {
    const auto *Number =
        mdconst::dyn_extract_or_null<ConstantInt>(All.getOperand(I));
    const auto *Node = dyn_cast_or_null<MDNode>(All.getOperand(I + 1));
    if (!Number || !Node)
      Problems.push_back("it must be pairs of an operand's number and a node");
    else if (Number->getValue() != Operand) {
      if (Operand == 0) // a copy has one that it writes to
        Problems.push_back("a load's pointer is operand 0");
    } else if (Found)
      Problems.push_back("an operand is there twice");
    else
      Found = Node;
  }
  return Found;
}

/// Reads one pair; returns what is wrong, or nothing.
static std::string readPair(StringRef Key, const Metadata *Value,
                            CacheHint &Hint) {
  std::string Part;
  if (Key == PolicyKey) {
    const auto *Bits = mdconst::dyn_extract_or_null<ConstantInt>(Value);
    if (!Bits || Bits->getBitWidth() > 64)
      return ("'" + Key + "' is a number of 64 bits").str();
    if (Bits->isZero())
      return ("'" + Key + "' is 0, which is no policy").str();
    Part = "L2::policy=" + std::to_string(Bits->getZExtValue());
  } else {
    if (none_of(StringValues,
                [&](const StringValue &V) { return V.Key == Key; }))
      return ("the key '" + Key + "' is unknown").str();
    const auto *Text = dyn_cast_or_null<MDString>(Value);
    if (!Text)
      return ("'" + Key + "' is a string").str();
    for (const StringValue &V : StringValues)
      if (V.Key == Key && V.Value == Text->getString())
        Part = V.Part.str();
    if (Part.empty())
      return ("'" + Key + "' is not '" + Text->getString() + "'").str();
  }
  if (Part == "none")
    return "";
  std::string Together = Hint.empty() ? Part : Hint.str() + "+" + Part;
  auto Sum = parseCacheHint(Together);
  if (!Sum)
    return toString(Sum.takeError());
  Hint = *Sum;
  return "";
}

CacheHint sluice::readCacheHint(const Instruction &I,
                                SmallVectorImpl<std::string> &Problems) {
  CacheHint Hint;
  const MDNode *All = I.getMetadata(Kind);
  const MDNode *Node = All ? nodeOf(*All, operandNumber(I), Problems) : nullptr;
  if (!Node)
    return Hint;
  if (Node->getNumOperands() == 0 || Node->getNumOperands() % 2 != 0) {
    Problems.push_back("a node must be pairs of a key and a value");
    return Hint;
  }
  for (unsigned Key = 0; Key < Node->getNumOperands(); Key += 2) {
    const auto *Name = dyn_cast_or_null<MDString>(Node->getOperand(Key));
    std::string Problem =
        Name ? readPair(Name->getString(), Node->getOperand(Key + 1), Hint)
             : "a key must be a string";
    if (!Problem.empty())
      Problems.push_back(Problem);
  }
  return Hint;
}

CacheHint sluice::usableCacheHint(const Instruction &I) {
  SmallVector<std::string, 2> Problems;
  if (!readPointer(I) || I.isVolatile() || I.isAtomic())
    return {};
  return readCacheHint(I, Problems);
}

static constexpr StringLiteral WarpsName = "sluice-cached-warps";

void sluice::setCachedWarps(Function &Kernel, const CachedWarps &Warps) {
  Kernel.addFnAttr(WarpsName, Warps.Votes.empty() ? std::to_string(Warps.Number)
                                                  : Warps.Votes);
}

std::optional<CachedWarps> sluice::cachedWarps(const Function &Kernel) {
  StringRef Text = Kernel.getFnAttribute(WarpsName).getValueAsString();
  if (Text.empty())
    return std::nullopt;
  CachedWarps Warps;
  if (Text.getAsInteger(10, Warps.Number))
    Warps.Votes = Text.str();
  return Warps;
}

void sluice::tagCacheHint(LoadInst &I, const CacheHint &Hint) {
  SmallVector<MMRAMetadata::TagT, 2> Tags;
  MMRAMetadata Others(I);
  Tags.append(Others.begin(), Others.end());
  std::string Text = Hint.str();
  Tags.push_back({CacheHintTag, Text});
  I.setMetadata(LLVMContext::MD_mmra,
                MMRAMetadata::getMD(I.getContext(), Tags));
}

std::set<std::string> sluice::taggedCacheHints(MDNode *MMRA) {
  std::set<std::string> Hints;
  if (MMRA)
    for (const auto &[Prefix, Suffix] : MMRAMetadata(MMRA))
      if (Prefix == CacheHintTag)
        Hints.insert(Suffix.str());
  return Hints;
}

/// Puts the tags' hint in place of the tags.
static void untag(LoadInst &I) {
  MDNode *Tagged = I.getMetadata(LLVMContext::MD_mmra);
  std::set<std::string> Hints = taggedCacheHints(Tagged);
  if (Hints.empty())
    return;
  SmallVector<MMRAMetadata::TagT, 2> Others;
  for (const auto &Tag : MMRAMetadata(Tagged))
    if (Tag.first != CacheHintTag)
      Others.push_back(Tag);
  I.setMetadata(LLVMContext::MD_mmra,
                Others.empty() ? nullptr
                               : MMRAMetadata::getMD(I.getContext(), Others));
  if (Hints.size() > 1)
    I.setMetadata(Kind, nullptr);
  else if (!I.hasMetadata(Kind)) // else it is what it was, malformed or not
    setCacheHint(I, cantFail(parseCacheHint(*Hints.begin())));
}

void sluice::keepCacheHints(Function &F, function_ref<void()> Join) {
  SmallVector<LoadInst *, 16> Loads;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Loads.push_back(Load);
  const bool HasHints = any_of(Loads, [](const LoadInst *Load) {
    return !usableCacheHint(*Load).empty();
  });
  if (!HasHints)
    return Join();
  for (LoadInst *Load : Loads)
    if (!Load->isVolatile() && !Load->isAtomic())
      tagCacheHint(*Load, usableCacheHint(*Load));
  Join();
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      untag(*Load);
}
