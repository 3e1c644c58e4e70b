// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NvccCompile.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace sluice;

namespace {

/// A word of clang's, or one that begins so where it ends in "=", and nvcc's.
struct Translation {
  StringLiteral Clang, Nvcc;
};

constexpr Translation Translations[] = {
    {"--cuda-gpu-arch=", "-arch="},
    {"--offload-arch=", "-arch="},
    {"-ffast-math", "--use_fast_math"},
    {"-fgpu-flush-denormals-to-zero", "-ftz=true"},
    {"-fcuda-flush-denormals-to-zero", "-ftz=true"},
    {"-ffp-contract=off", "-fmad=false"},
    {"-fno-cuda-prec-div", "-prec-div=false"},
    {"-fno-cuda-prec-sqrt", "-prec-sqrt=false"},
    {"-gline-tables-only", "-lineinfo"},
};

/// What nvcc calls the same and takes its value from the same word or the next.
constexpr StringLiteral Alike[] = {"-D", "-U", "-I", "-isystem", "-include"};

} // namespace

static std::optional<std::string> translate(StringRef Word) {
  for (const Translation &T : Translations)
    if (T.Clang.ends_with("=") && Word.consume_front(T.Clang))
      return (T.Nvcc + Word).str();
    else if (Word == T.Clang)
      return T.Nvcc.str();
  return std::nullopt;
}

/// Does the word say nothing of device code, or is it for clang's own ways?
static bool saysNothing(StringRef Word) {
  static constexpr StringLiteral Beginnings[] = {
      "-W",
      "-w",
      "-R",
      "-l",
      "-L",
      "-f",
      "-g",
      "-v",
      "-pthread",
      "-march=",
      "-mcpu=",
      "-mtune",
      "--cuda-",
      "--sluice-",
      "-fplugin",
      "-nocuda",
      "-Qunused-arguments",
      "-stdlib=",
      "-no-canonical-prefixes",
      "-O",
  };
  return any_of(Beginnings,
                [&](StringRef Begins) { return Word.starts_with(Begins); });
}

/// Does the word change device code, so that the user must know that nvcc does
/// not get it?
static bool changesCode(StringRef Word) {
  return Word.starts_with("-ff") || Word.starts_with("-fno-") ||
         Word.starts_with("-funroll") || Word.starts_with("-mllvm");
}

NvccWords sluice::nvccWords(ArrayRef<std::string> ForClang) {
  NvccWords Result;
  for (size_t I = 0; I < ForClang.size(); ++I) {
    const StringRef Word = ForClang[I];
    auto Take = [&](StringRef As) {
      Result.Words.push_back(As.str());
      if (I + 1 < ForClang.size())
        Result.Words.push_back(ForClang[++I]);
    };
    if (is_contained(Alike, Word)) {
      Take(Word);
    } else if (Word == "-Xcuda-ptxas") {
      Take("-Xptxas");
    } else if (Word == "-x") {
      ++I; // said for all below
    } else if (auto Nvccs = translate(Word)) {
      Result.Words.push_back(*Nvccs);
    } else if (any_of(Alike,
                      [&](StringRef A) { return Word.starts_with(A); }) ||
               Word.starts_with("-std=") || Word.ends_with(".cu")) {
      Result.Words.push_back(Word.str());
    } else if (Word.starts_with("-") && !Word.starts_with("-O") &&
               (!saysNothing(Word) || changesCode(Word))) {
      Result.Unknown.push_back(Word.str());
      if (Word == "-mllvm" || Word == "-Xclang")
        ++I;
    }
    // The rest are other files.
  }
  return Result;
}

Error sluice::compileByNvcc(const std::string &Nvcc,
                            ArrayRef<std::string> Words,
                            const std::string &Output) {
  std::vector<StringRef> Args = {Nvcc, "-O3", "-cubin", "-Xptxas",
                                 "-v", "-x",  "cu"};
  append_range(Args, Words);
  Args.insert(Args.end(), {"-o", Output});
  const std::string Log = Output + ".log";
  std::string Problem;
  const int Status = sys::ExecuteAndWait(
      Nvcc, Args, std::nullopt, {StringRef(""), StringRef(Log), StringRef(Log)},
      0, 0, &Problem);
  if (Status == 0)
    return Error::success();
  auto Said = MemoryBuffer::getFile(Log);
  return createStringError(
      "nvcc does not compile it" + (Problem.empty() ? "" : ": " + Problem) +
      (Said ? ":\n" + (*Said)->getBuffer().trim() : Twine("")));
}
