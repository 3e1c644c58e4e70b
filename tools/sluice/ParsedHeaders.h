// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What clang has read before it comes to a source: the same for all with the
/// same options, so that it is made once (TuneCompiler::parsedHeader).

#ifndef SLUICE_TOOLS_SLUICE_PARSEDHEADERS_H
#define SLUICE_TOOLS_SLUICE_PARSEDHEADERS_H

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace sluice {

/// Any thread may call it.
class ParsedHeaders {
public:
  /// \p Folder is there, and is for the files.
  explicit ParsedHeaders(std::string Folder) : Folder(std::move(Folder)) {}

  /// A file that the caller makes for \p Options, and says so by made(); empty:
  /// another caller does.
  std::string claim(const std::string &Options);
  void made(const std::string &Options, bool IsGood);
  /// Waits for who makes it. The file; empty: there is none.
  std::string get(const std::string &Options);

private:
  struct Header {
    std::string File;
    bool IsOver = false, IsGood = false;
  };

  const std::string Folder;
  std::mutex Lock; ///< For what is below.
  std::condition_variable Changed;
  std::map<std::string, Header> Headers;
};

} // namespace sluice

#endif
