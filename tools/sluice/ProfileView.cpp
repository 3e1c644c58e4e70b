// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProfileView.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

std::optional<Error> sluice::takeViewSetting(ProfileView &View,
                                             const Setting &S) {
  if (S.Name == "json") {
    View.JSON = true;
    return Error::success();
  }
  if (S.Name == "annotate") {
    if (S.Value.empty())
      return createStringError("--annotate= has no value");
    View.Annotate.push_back(S.Value.str());
    return Error::success();
  }
  if (S.Name == "most") {
    size_t Most;
    if (S.Value.getAsInteger(10, Most))
      return createStringError("--most=" + S.Value + ": a number is expected");
    View.Table.MostAccesses = View.Table.MostPairs = Most;
    return Error::success();
  }
  return std::nullopt;
}

Error sluice::checkView(const ProfileView &View) {
  if (View.JSON && !View.Annotate.empty())
    return createStringError("--json and --annotate exclude each other");
  return Error::success();
}

Error sluice::showProfile(const Profile &P, const ProfileView &View,
                          StringRef Path) {
  if (View.JSON) {
    printJSON(outs(), P);
    return Error::success();
  }
  if (View.Annotate.empty()) {
    printTable(outs(), P, View.Table);
    return Error::success();
  }
  for (const std::string &Name : View.Annotate) {
    auto Source = MemoryBuffer::getFile(Name);
    if (!Source)
      return createStringError("cannot read '" + Name +
                               "': " + Source.getError().message());
    bool Fresh = printAnnotated(outs(), P, (*Source)->getBuffer(),
                                sys::path::filename(Name));
    outs().flush();
    if (!Fresh)
      return createStringError(Path + " is stale: profile " + Name + " anew");
  }
  return Error::success();
}
