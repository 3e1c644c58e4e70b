// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParsedHeaders.h"

using namespace sluice;

std::string ParsedHeaders::claim(const std::string &Options) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto [Place, IsNew] = Headers.try_emplace(Options);
  if (!IsNew)
    return "";
  Place->second.File =
      Folder + "/header" + std::to_string(Headers.size()) + ".pch";
  return Place->second.File;
}

void ParsedHeaders::made(const std::string &Options, bool IsGood) {
  std::lock_guard<std::mutex> Guard(Lock);
  Headers.at(Options).IsOver = true;
  Headers.at(Options).IsGood = IsGood;
  Changed.notify_all();
}

std::string ParsedHeaders::get(const std::string &Options) {
  std::unique_lock<std::mutex> Guard(Lock);
  const Header &H = Headers.at(Options);
  Changed.wait(Guard, [&] { return H.IsOver; });
  return H.IsGood ? H.File : "";
}
