// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile against the source as it is now. A function is known by its text:
/// where the text is at other lines, the places move along; where it is not
/// there any more, the profile is stale.

#include "ProfilePlaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace sluice;

std::optional<TextMove> TextMove::to(const FunctionText &Text,
                                     unsigned FirstLine) {
  if (Text.FirstLine == 0 || FirstLine == 0 || Text.FirstLine == FirstLine)
    return std::nullopt;
  return TextMove{Text, FirstLine};
}

void sluice::movePlaces(KernelProfile &K, ArrayRef<TextMove> Moves) {
  auto NewLine = [&](const std::string &File, unsigned Line) {
    auto Move =
        find_if(Moves, [&](const TextMove &M) { return M.moves(File, Line); });
    return Move == Moves.end() ? Line : Move->lineNow(Line);
  };
  auto MoveId = [&](CodeId &Id) {
    Id.Place.Line = NewLine(Id.Place.File, Id.Place.Line);
    for (SourcePlace &Call : Id.InlinedAt)
      Call.Line = NewLine(Call.File, Call.Line);
  };
  auto MoveText = [&](FunctionText &Text) {
    unsigned Last = Text.LastLine;
    if (Text.FirstLine == 0)
      return;
    if (Last != 0)
      Text.LastLine = NewLine(Text.File, Last);
    Text.FirstLine = NewLine(Text.File, Text.FirstLine);
  };

  for (AccessProfile &Access : K.Accesses)
    MoveId(Access.Id);
  for (LoopProfile &Loop : K.Loops)
    MoveId(Loop.Id);
  for (FunctionText &Text : K.Inlined)
    MoveText(Text);
  MoveText(K);
}

void sluice::moveProfile(KernelProfile &K, unsigned NewFirstLine) {
  if (auto Move = TextMove::to(K, NewFirstLine))
    movePlaces(K, *Move);
}

ProfileState sluice::compareWithSource(const FunctionText &F, StringRef Source,
                                       unsigned FirstLine) {
  if (F.TextHash.empty())
    return ProfileState::Unknown;
  if (describeFunction(F.File, Source, FirstLine).TextHash != F.TextHash)
    return ProfileState::Stale;
  return FirstLine == F.FirstLine ? ProfileState::Current : ProfileState::Moved;
}

ProfileState sluice::updateProfile(KernelProfile &K, StringRef File,
                                   StringRef Source) {
  SmallVector<const FunctionText *, 4> Texts;
  for (const FunctionText &Text : K.Inlined)
    if (Text.File == File && !Text.TextHash.empty())
      Texts.push_back(&Text);
  if (K.File == File)
    Texts.push_back(&K);
  if (Texts.empty() || K.TextHash.empty())
    return ProfileState::Unknown;

  SmallVector<TextMove, 4> Moves;
  for (const FunctionText *Text : Texts) {
    unsigned Line = findFunctionText(*Text, Source);
    if (Line == 0)
      return ProfileState::Stale;
    if (auto Move = TextMove::to(*Text, Line))
      Moves.push_back(*Move);
  }
  movePlaces(K, Moves);
  return Moves.empty() ? ProfileState::Current : ProfileState::Moved;
}
