// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedRemarks.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkFormat.h"
#include "llvm/Remarks/RemarkParser.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

/// LLVM's parser leaves the quotes doubled that YAML's single quotes need.
static std::string unquoted(StringRef Text) {
  std::string Result;
  for (; !Text.empty(); Text = Text.drop_front(Text.starts_with("''") ? 2 : 1))
    Result += Text.front();
  return Result;
}

Expected<std::vector<RecordedRemark>>
sluice::readRecordedRemarks(StringRef Record) {
  std::vector<RecordedRemark> Remarks;
  if (Record.trim().empty())
    return Remarks;
  auto Parser = remarks::createRemarkParser(remarks::Format::YAML, Record);
  if (!Parser)
    return Parser.takeError();
  while (true) {
    auto Next = (*Parser)->next();
    if (!Next) {
      Error Rest = handleErrors(Next.takeError(),
                                [](const remarks::EndOfFileError &) {});
      if (Rest)
        return std::move(Rest);
      return Remarks;
    }
    const remarks::Remark &R = **Next;
    RecordedRemark Shown;
    Shown.Kind = remarks::typeToStr(R.RemarkType).lower();
    StringRef Pass = R.PassName;
    Pass.consume_front("sluice-");
    Shown.Pass = Pass.str();
    Shown.Function = R.FunctionName.str();
    if (R.Loc) {
      Shown.File = sys::path::filename(R.Loc->SourceFilePath).str();
      Shown.Line = R.Loc->SourceLine;
      Shown.Column = R.Loc->SourceColumn;
    }
    for (const remarks::Argument &A : R.Args)
      Shown.Message += unquoted(A.Val);
    Remarks.push_back(std::move(Shown));
  }
}
