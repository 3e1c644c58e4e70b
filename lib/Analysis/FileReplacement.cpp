// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A text file, replaced by way of a temporary one beside it.

#include "sluice/Analysis/FileReplacement.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <system_error>

using namespace llvm;

namespace sluice {

Error replaceFile(StringRef Path, StringRef Text, unsigned Mode) {
  auto Temporary = sys::fs::TempFile::create(Path + ".tmp-%%%%%%%%", Mode);
  if (!Temporary)
    return Temporary.takeError();
  raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
  OS << Text;
  OS.flush();
  if (std::error_code EC = OS.error()) {
    OS.clear_error();
    return joinErrors(errorCodeToError(EC), Temporary->discard());
  }
  return Temporary->keep(Path);
}

Expected<Destination> findDestination(StringRef Path) {
  Destination D{Path, sys::fs::all_read | sys::fs::all_write, Path == "-"};
  sys::fs::file_status Status;
  if (D.InPlace || sys::fs::status(Path, Status))
    return D;
  if (Status.type() == sys::fs::file_type::directory_file)
    return createStringError("it is a folder");
  D.InPlace = Status.type() != sys::fs::file_type::regular_file;
  if (D.InPlace)
    return D;
  D.Mode = Status.permissions();
  if (std::error_code EC = sys::fs::real_path(Path, D.Path))
    return errorCodeToError(EC);
  return D;
}

static Error writeInPlace(StringRef Path, StringRef Text) {
  if (Path == "-") {
    outs() << Text;
    outs().flush();
    return Error::success();
  }
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  if (EC)
    return errorCodeToError(EC);
  OS << Text;
  OS.close();
  EC = OS.error();
  OS.clear_error();
  return errorCodeToError(EC);
}

Error writeWholeFile(const Destination &D, StringRef Text) {
  return D.InPlace ? writeInPlace(D.Path, Text)
                   : replaceFile(D.Path, Text, D.Mode);
}

Error writeWholeFile(StringRef Path, StringRef Text) {
  auto D = findDestination(Path);
  return D ? writeWholeFile(*D, Text) : D.takeError();
}

} // namespace sluice
