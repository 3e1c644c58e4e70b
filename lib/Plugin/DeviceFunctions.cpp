// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When clang makes the plugins' consumers it has the text of the predefined
// macros and of -include, and enters it with the source, after that.

#include "DeviceFunctions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>

using namespace llvm;

/// PREFIX/include/sluice/functions.h of PREFIX/lib/.../Sluice.so; empty: there
/// is none.
static std::string findHeader() {
  Dl_info Image;
  if (!dladdr(reinterpret_cast<void *>(&sluice::supplyDeviceFunctions),
              &Image) ||
      !Image.dli_fname)
    return "";
  SmallString<128> Prefix;
  if (sys::fs::real_path(Image.dli_fname, Prefix))
    return "";
  // PREFIX/lib, or as distributions have it, PREFIX/lib/TRIPLE.
  for (unsigned Level = 0; Level != 3; ++Level) {
    sys::path::remove_filename(Prefix);
    SmallString<128> Header(Prefix);
    sys::path::append(Header, "include", "sluice", "functions.h");
    if (sys::fs::exists(Header))
      return Header.str().str();
  }
  return "";
}

void sluice::supplyDeviceFunctions(clang::CompilerInstance &CI) {
  if (any_of(CI.getFrontendOpts().Inputs, [](const auto &Input) {
        return Input.getKind().isPreprocessed();
      }))
    return;
  // Without clang's own headers of CUDA (-nocudainc) there is nothing to add
  // to.
  if (none_of(CI.getPreprocessorOpts().Includes, [](StringRef Included) {
        return sys::path::filename(Included) ==
               "__clang_cuda_runtime_wrapper.h";
      }))
    return;
  const std::string Header = findHeader();
  if (Header.empty() || StringRef(Header).contains('"'))
    return;
  clang::Preprocessor &PP = CI.getPreprocessor();
  PP.setPredefines(PP.getPredefines() + "#include \"" + Header + "\"\n");
}
