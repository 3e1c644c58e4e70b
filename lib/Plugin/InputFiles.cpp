// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputFiles.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

namespace {

/// Comes before clang's own callback, which writes the list at the end of the
/// main file. Not earlier: the source is the first in the list.
class AtEndOfFile : public clang::PPCallbacks {
public:
  AtEndOfFile(clang::CompilerInstance &CI, std::vector<std::string> Files)
      : CI(CI), Files(std::move(Files)) {}

  void EndOfMainFile() override {
    for (const auto &Collector : CI.getDependencyCollectors())
      for (const std::string &File : Files)
        Collector->maybeAddDependency(File, /*FromModule=*/false,
                                      /*IsSystem=*/false,
                                      /*IsModuleFile=*/false,
                                      /*IsMissing=*/false);
  }

private:
  clang::CompilerInstance &CI;
  std::vector<std::string> Files;
};

} // namespace

void sluice::listInputFiles(clang::CompilerInstance &CI,
                            std::vector<std::string> Files) {
  llvm::erase_if(Files, [](const std::string &File) {
    return File.empty() || File == "-";
  });
  if (!Files.empty() && CI.hasPreprocessor())
    CI.getPreprocessor().addPPCallbacks(
        std::make_unique<AtEndOfFile>(CI, std::move(Files)));
}
