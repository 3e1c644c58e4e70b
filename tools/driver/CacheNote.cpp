// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheNote.h"
#include "Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;
using namespace llvm;

/// The files that \p Command reads for Sluice.
static std::vector<StringRef> filesOf(ArrayRef<std::string> Command) {
  std::vector<StringRef> Files;
  for (StringRef Arg : Command)
    for (StringRef Option : {"-fplugin=", "-fplugin-arg-sluice-plan=",
                             "-fplugin-arg-sluice-profile="})
      if (Arg.consume_front(Option) && Arg != "-")
        Files.push_back(Arg);
  return Files;
}

/// Where \p Command writes; "-" is standard output.
static StringRef outputOfPreprocessor(ArrayRef<std::string> Command) {
  StringRef Output = "-";
  for (size_t I = 1; I < Command.size(); ++I) {
    StringRef Arg = Command[I];
    if (Arg == "-o" && I + 1 < Command.size())
      Output = Command[++I];
    else if (Arg.consume_front("-o") && !Arg.empty())
      Output = Arg;
  }
  return Output;
}

Error sluice::addCacheNote(ArrayRef<std::string> Command) {
  std::vector<StringRef> Files = filesOf(Command);
  if (!is_contained(Command, "-E") || Files.empty())
    return Error::success();
  std::string Text;
  raw_string_ostream Note(Text);
  const std::string Version = outputOf({Command.front(), "--version"});
  Note << "// sluice: " << StringRef(Version).split('\n').first << "\n";
  for (StringRef File : Files) {
    auto Contents = MemoryBuffer::getFile(File, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
    if (!Contents)
      return createFileError(File, Contents.getError());
    Note << "# 1 \"";
    Note.write_escaped(File)
        << "\" 1\n// sluice: "
        << toHex(MD5::hash(arrayRefFromStringRef((*Contents)->getBuffer())),
                 /*LowerCase=*/true)
        << "\n";
  }
  std::error_code EC;
  raw_fd_ostream OS(outputOfPreprocessor(Command), EC, sys::fs::CD_OpenAlways,
                    sys::fs::FA_Write, sys::fs::OF_Append);
  OS << Text;
  OS.flush();
  return OS.has_error() ? errorCodeToError(OS.error()) : errorCodeToError(EC);
}
