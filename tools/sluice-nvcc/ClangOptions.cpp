// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ClangOptions.h"
#include "HostTools.h"
#include "Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

static void append(Command &C, const std::vector<std::string> &Words) {
  C.insert(C.end(), Words.begin(), Words.end());
}

static void appendFor(StringRef Side, Command &C,
                      const std::vector<std::string> &Words) {
  for (const std::string &Word : Words)
    append(C, {("-Xarch_" + Side).str(), Word});
}

/// Options of two words, and what is done with both.
enum class WordPair { None, BothSides, Dropped };

static WordPair pairOf(StringRef Word) {
  return StringSwitch<WordPair>(Word)
      .Cases({"-D", "-U", "-I", "-include", "-isystem"}, WordPair::BothSides)
      .Cases({"-iquote", "-idirafter", "-imacros"}, WordPair::BothSides)
      .Cases({"-Xlinker", "-L", "-l", "-z", "-u", "-T"}, WordPair::Dropped)
      .Cases({"--param", "-MF", "-MT", "-MQ"}, WordPair::Dropped)
      .Default(WordPair::None);
}

static bool isForLinker(StringRef Word) {
  for (StringRef Start : {"-Wl,", "-L", "-l", "-static", "-fuse-ld="})
    if (Word.starts_with(Start))
      return true;
  return StringSwitch<bool>(Word)
      .Cases({"-rdynamic", "-s", "-shared", "-no-pie", "-pie"}, true)
      .Cases({"-pipe", "-m64", "-MD", "-MMD", "-c"}, true)
      .Default(false);
}

/// Macros and header folders; and what clang's driver does not take for one
/// side.
static bool isForBothSides(StringRef Word) {
  for (StringRef Start : {"-D", "-U", "-I", "-std=", "-fopenmp", "-isystem"})
    if (Word.starts_with(Start))
      return true;
  return Word == "-v" || Word == "-pthread";
}

std::vector<std::string>
sluice::nvcc::hostOptionsForClang(ArrayRef<std::string> Words) {
  std::vector<std::string> Options;
  for (size_t I = 0; I < Words.size(); ++I) {
    const std::string &Word = Words[I];
    WordPair Pair = pairOf(Word);
    if (Pair != WordPair::None) {
      ++I;
      if (Pair == WordPair::BothSides && I < Words.size())
        append(Options, {Word, Words[I]});
    } else if (isForLinker(Word)) {
      continue;
    } else if (isForBothSides(Word)) {
      Options.push_back(Word);
    } else {
      appendFor("host", Options, {Word});
    }
  }
  return Options;
}

/// nvcc's defaults, then what the options say; --use_fast_math sets four of
/// them, wherever it stands.
static void appendMathematics(const Session &S, Command &C) {
  const bool Fast = S.Line.has(Opt::FastMath);
  const bool Ftz = S.Line.isTrue(Opt::Ftz, Fast);
  const bool PreciseDiv = S.Line.isTrue(Opt::PrecDiv, !Fast);
  const bool PreciseSqrt = S.Line.isTrue(Opt::PrecSqrt, !Fast);
  const bool Fmad = S.Line.isTrue(Opt::Fmad, true);
  auto Llvm = [&](const Twine &Option) {
    append(C, {"-Xarch_device", ("-mllvm=-" + Option).str()});
  };
  if (Fast)
    C.push_back("-fgpu-approx-transcendentals");
  if (Ftz)
    C.push_back("-fgpu-flush-denormals-to-zero");
  // div.approx for --use_fast_math, as nvcc; else div.full.
  if (!PreciseDiv)
    Llvm("nvptx-prec-divf32=" + Twine(Fast ? 0 : 1));
  if (!PreciseSqrt)
    Llvm("nvptx-prec-sqrtf32=0");
  // What libdevice asks. Left alone, LLVM answers 0: sqrtf would be
  // approximate.
  Llvm("nvvm-reflect-add=__CUDA_PREC_DIV=" + Twine(PreciseDiv));
  Llvm("nvvm-reflect-add=__CUDA_PREC_SQRT=" + Twine(PreciseSqrt));
  if (!Fmad) {
    appendFor("device", C, {"-ffp-contract=off"});
    Llvm("nvptx-fma-level=0");
  }
}

static bool isDebugged(const Session &S) {
  return S.Line.has(Opt::DeviceDebug) && !S.Line.has(Opt::DOpt);
}

static bool hasLines(const Session &S) {
  return S.Line.has(Opt::LineInfo) ||
         (S.Line.has(Opt::DeviceDebug) && S.Line.has(Opt::DOpt));
}

/// Device code is optimised whatever -O says: that is host code's.
static void appendDeviceCode(const Session &S, Command &C) {
  // nvcc reads what was written as another type.
  if (!S.Line.StrictAliasing)
    appendFor("device", C, {"-fno-strict-aliasing"});
  appendMathematics(S, C);
  if (isDebugged(S)) {
    appendFor("device", C, {"-O0", "-g"});
    append(C, {"--cuda-noopt-device-debug", "-D__CUDACC_DEBUG__"});
  } else {
    appendFor("device", C, {"-O3"});
    if (hasLines(S))
      appendFor("device", C, {"-gline-tables-only"});
  }
  if (S.Line.Rdc)
    // The old driver's objects are nvcc's kind of relocatable objects.
    append(C, {"-fgpu-rdc", "--no-offload-new-driver"});
  if (StringRef Stream = S.Line.last(Opt::DefaultStream); !Stream.empty())
    C.push_back("-fgpu-default-stream=" +
                (Stream == "null" ? "legacy" : Stream).str());
  if (S.Line.has(Opt::RelaxedConstexpr))
    C.push_back("-D__CUDACC_RELAXED_CONSTEXPR__");
  if (S.Line.has(Opt::ExtendedLambda))
    C.push_back("-D__CUDACC_EXTENDED_LAMBDA__");
  for (const std::string &Kind : S.Line.all(Opt::OptInfo))
    C.push_back("-Rpass=" + Kind);
  if (S.Line.has(Opt::TimeTrace))
    C.push_back("-ftime-trace");
}

static std::vector<std::string> assemblerOptions(const Session &S) {
  std::vector<std::string> Options = S.Line.all(Opt::XPtxas);
  if (StringRef Most = S.Line.last(Opt::MaxRegisters); !Most.empty())
    Options.push_back("-maxrregcount=" + Most.str());
  if (S.Line.has(Opt::ResourceUsage))
    Options.push_back("-v");
  return Options;
}

static void appendArchitectures(const Session &S, Command &C) {
  for (const std::string &Arch : S.Archs.Machine)
    C.push_back("--offload-arch=" + Arch);
  C.push_back("--no-cuda-include-ptx=all");
  for (const std::string &Arch : S.Archs.Ptx)
    C.push_back("--cuda-include-ptx=" + Arch);
  for (const std::string &Word : assemblerOptions(S))
    append(C, {"-Xcuda-ptxas", Word});
  if (S.Line.has(Opt::NoCompress))
    append(C, {"-Xcuda-fatbinary", "--compress=false"});
  if (StringRef Mode = S.Line.last(Opt::CompressMode); !Mode.empty())
    append(C, {"-Xcuda-fatbinary", "--compress-mode=" + Mode.str()});
}

/// Sluice sets a plan's carveouts in host code only where that is optimised: so
/// without -O it has -O1, unless it is to be debugged.
static void appendHostCode(const Session &S, Command &C) {
  StringRef Level = S.Line.last(Opt::Optimize);
  if (!Level.empty())
    appendFor("host", C, {"-O" + Level.str()});
  else if (!S.Line.has(Opt::Debug) && !S.Line.has(Opt::DeviceDebug))
    appendFor("host", C, {"-O1"});
  if (S.Line.has(Opt::Debug))
    appendFor("host", C, {"-g"});
  if (S.Line.has(Opt::Profile))
    appendFor("host", C, {"-pg"});
  if (S.Line.has(Opt::NoExceptions))
    appendFor("host", C, {"-fno-exceptions"});
  append(C, hostOptionsForClang(S.Line.all(Opt::XCompiler)));
  append(C, hostOptionsForClang(S.Line.ToCompiler));
}

/// The C++ library of -ccbin, where that is a gcc; and after all other folders
/// its own headers, for omp.h.
static void appendHeadersOfHostCompiler(const Session &S, Command &C) {
  StringRef Name = sys::path::filename(S.HostCompiler);
  if (!Name.contains("g++") && !Name.contains("gcc"))
    return;
  auto Compiler = sys::findProgramByName(S.HostCompiler);
  if (!Compiler)
    return;
  std::string File = outputOf({*Compiler, "-print-libgcc-file-name"});
  std::string Folder = sys::path::parent_path(StringRef(File).trim()).str();
  if (Folder.empty())
    return;
  if (S.Line.has(Opt::CCBin))
    C.push_back("--gcc-install-dir=" + Folder);
  append(C, {"-idirafter", Folder + "/include"});
}

static bool hasOpenMP(const Session &S) {
  auto Is = [](StringRef Word) { return Word.starts_with("-fopenmp"); };
  return any_of(S.Line.all(Opt::XCompiler), Is) ||
         any_of(S.Line.ToCompiler, Is);
}

/// What runs OpenMP regions by the library that g++ links.
static std::string openMPHeader(const Session &S) {
  SmallString<128> Path(sys::path::parent_path(S.Header));
  sys::path::append(Path, "nvccopenmp.h");
  return Path.str().str();
}

std::vector<std::string> sluice::nvcc::nvccMacros(const Session &S) {
  return {"-D__NVCC__",
          "-D__CUDACC_VER_MAJOR__=" + std::to_string(S.Cuda / 1000),
          "-D__CUDACC_VER_MINOR__=" + std::to_string(S.Cuda % 1000 / 10),
          "-D__CUDACC_VER_BUILD__=0"};
}

/// CMake takes a compiler for nvcc, whose options and steps these are, by the
/// macros that its one test file finds. Other files see clang.
static void appendForCMake(const Session &S, Command &C) {
  for (StringRef Input : S.Line.Inputs)
    if (sys::path::filename(Input) == "CMakeCUDACompilerId.cu")
      append(C, nvccMacros(S));
}

/// With the limit of registers, which Sluice would not see in ptxas's options.
/// Above 64 it would ask each kernel for blocks of less than 1,024 threads.
static std::vector<std::string> sluiceOptions(const Session &S) {
  std::vector<std::string> Options;
  unsigned Most;
  bool IsGiven = any_of(S.Line.SluiceOptions, [](StringRef Option) {
    return Option.starts_with("--sluice-registers=");
  });
  if (!IsGiven && !S.Line.last(Opt::MaxRegisters).getAsInteger(10, Most) &&
      Most >= 16 && Most <= 64)
    Options.push_back("--sluice-registers=" + std::to_string(Most));
  append(Options, S.Line.SluiceOptions);
  return Options;
}

std::vector<std::string>
sluice::nvcc::clangOptions(const Session &S, CudaPass Pass, StringRef Arch) {
  Command C = sluiceOptions(S);
  // An attribute that clang ignores may be one that the program is wrong
  // without: __managed__.
  append(C, {"-Qunused-arguments", "-Wno-unknown-warning-option",
             "-Wno-ignored-optimization-argument", "-Wno-pass-failed",
             "-Werror=ignored-attributes"});
  if (Pass == CudaPass::Object || Pass == CudaPass::Host)
    appendArchitectures(S, C);
  else
    C.push_back("--offload-arch=" + Arch.str());
  if (Pass == CudaPass::Ptx || Pass == CudaPass::Text)
    C.push_back("--cuda-device-only");
  if (Pass == CudaPass::Host)
    C.push_back("--cuda-host-only");
  appendDeviceCode(S, C);
  appendHostCode(S, C);
  if (StringRef Std = S.Line.last(Opt::Std); !Std.empty())
    C.push_back("-std=" + Std.str());
  if (StringRef N = S.Line.last(Opt::TemplateDepth); !N.empty())
    C.push_back("-ftemplate-depth=" + N.str());
  if (StringRef N = S.Line.last(Opt::TemplateBacktrace); !N.empty())
    C.push_back("-ftemplate-backtrace-limit=" + N.str());
  appendHeadersOfHostCompiler(S, C);
  append(C, S.Line.ClangOptions);
  append(C, {"-include", S.Header});
  if (hasOpenMP(S) && !S.Line.LibOmp)
    append(C, {"-include", openMPHeader(S)});
  append(C, sourceOptions(S));
  appendForCMake(S, C);
  return C;
}

Command sluice::nvcc::assemble(const Session &S, StringRef Ptx, StringRef Arch,
                               StringRef Cubin) {
  std::string Found = findToolkitProgram(S.Toolkit, "ptxas");
  Command C = {Found.empty() ? "ptxas" : Found, "-m64", "-arch=" + Arch.str()};
  if (isDebugged(S))
    append(C, {"-g", "--dont-merge-basicblocks", "--return-at-end"});
  else if (hasLines(S))
    C.push_back("-lineinfo");
  if (S.Line.Rdc)
    C.push_back("-c");
  append(C, assemblerOptions(S));
  append(C, {Ptx.str(), "-o", Cubin.str()});
  return C;
}
