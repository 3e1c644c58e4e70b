// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compile.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;

/// No compile of some hundred kernels takes so long.
static constexpr unsigned CompileSeconds = 300;

static constexpr const char *NoOtherTransform =
    "-fplugin-arg-sluice-transforms=off";

/// N, or N,M: then M thread blocks stay on an SM.
static std::string throttleFlag(Random &R) {
  std::string Flag = "-fplugin-arg-sluice-throttle=" +
                     std::to_string(R.pick({2, 4, 8, 16, 32}));
  if (R.chance(35))
    Flag += "," + std::to_string(R.between(1, R.chance(50) ? 3 : 32));
  return Flag;
}

/// By itself, or with sums in registers, which is the default.
static ChosenFlags throttleFlags(Random &R) {
  ChosenFlags Result{{throttleFlag(R)}, R.chance(50)};
  if (Result.Alone)
    Result.Flags.push_back(NoOtherTransform);
  return Result;
}

/// None of Sluice's. An emulator that is wrong on both sides alike is not
/// noticed; with other code for the same kernel it is.
static ChosenFlags optimisationFlags(Random &R) {
  return {
      {NoOtherTransform, R.pick({"-O0", "-O1", "-Os", "-fno-unroll-loops"})},
      true};
}

/// By itself, or with turns around it.
static ChosenFlags promoteFlags(Random &R) {
  bool Alone = R.chance(50);
  return {{Alone ? NoOtherTransform : throttleFlag(R),
           "-fplugin-arg-sluice-promote=on"},
          Alone};
}

/// clang's default for CUDA: what is in one basic block when code is generated
/// is fused, and so must be what has left it.
static ChosenFlags contractionFlags(Random &) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-promote=on"},
          true,
          {"-ffp-contract=fast"}};
}

/// Any order is allowed, but one is kept.
static ChosenFlags fastMathFlags(Random &R) {
  ChosenFlags Result{{NoOtherTransform, "-fplugin-arg-sluice-promote=on"},
                     true,
                     {"-ffast-math"}};
  if (R.chance(30))
    Result.OnBothSides.push_back("-ffp-contract=off");
  return Result;
}

static constexpr const char *RandomHints = "-fplugin-arg-sluice-test-hints=";
static constexpr const char *CachedWarps = "-fplugin-arg-sluice-bypass=";

/// By themselves, or with turns around the loads, or with sums in registers.
static ChosenFlags hintsFlags(Random &R) {
  ChosenFlags Result{{RandomHints + std::to_string(R.next())}, R.chance(50)};
  if (Result.Alone)
    Result.Flags.push_back(NoOtherTransform);
  else if (R.chance(50))
    Result.Flags.push_back(throttleFlag(R));
  else
    Result.Flags.push_back("-fplugin-arg-sluice-promote=on");
  return Result;
}

/// clang's default for CUDA, now and then: no transform of rows may change what
/// is fused.
static std::vector<std::string> someContraction(Random &R) {
  if (R.chance(30))
    return {"-ffp-contract=fast"};
  return {};
}

/// \p Flags by themselves, with turns, or with sums in registers.
static ChosenFlags aloneOrNot(std::vector<std::string> Flags, Random &R) {
  ChosenFlags Result{std::move(Flags), R.chance(50)};
  if (Result.Alone)
    Result.OnBothSides = someContraction(R);
  else
    Result.Flags.push_back(R.chance(50) ? "-fplugin-arg-sluice-promote=on"
                                        : throttleFlag(R));
  return Result;
}

/// Wherever it is right.
static ChosenFlags wideningFlags(Random &R) {
  return aloneOrNot(
      {NoOtherTransform, "-fplugin-arg-sluice-software-l1=registers"}, R);
}

/// Wherever it is right, with chunks of few iterations and of many, by itself
/// or with sums in registers.
static ChosenFlags stagingFlags(Random &R) {
  ChosenFlags Result{{NoOtherTransform,
                      "-fplugin-arg-sluice-software-l1=staged",
                      "-fplugin-arg-sluice-test-chunk=" +
                          std::to_string(R.pick({16, 16, 16, 32, 48, 256}))},
                     R.chance(50)};
  if (!Result.Alone)
    Result.Flags.push_back("-fplugin-arg-sluice-promote=on");
  Result.OnBothSides = someContraction(R);
  return Result;
}

/// Wherever it is right. Loops are short, so that threads choose after few
/// accesses, or without counting.
static ChosenFlags lineFlags(Random &R) {
  return aloneOrNot({NoOtherTransform, "-fplugin-arg-sluice-software-l1=shared",
                     "-fplugin-arg-sluice-test-count=" +
                         std::to_string(R.pick({0, 0, 1, 5, 12, 30}))},
                    R);
}

/// \p Flag by itself for so many per cent of the files, else with sums in
/// registers. What is fused must not depend on it.
static ChosenFlags mostlyContracted(std::string Flag, unsigned PerCentAlone,
                                    Random &R) {
  ChosenFlags Result{{NoOtherTransform, std::move(Flag)},
                     R.chance(PerCentAlone)};
  if (!Result.Alone)
    Result.Flags.push_back("-fplugin-arg-sluice-promote=on");
  if (R.chance(70))
    Result.OnBothSides = {"-ffp-contract=fast"};
  return Result;
}

/// Wherever it is right.
static ChosenFlags unrollFlags(Random &R) {
  ChosenFlags Result =
      mostlyContracted("-fplugin-arg-sluice-loads-in-flight=" +
                           std::to_string(R.pick({2, 3, 4, 8})),
                       50, R);
  if (R.chance(50)) // what loops that write are taken together for
    Result.Flags.push_back("-fplugin-arg-sluice-early-loads=auto");
  return Result;
}

static ChosenFlags copyFlags(Random &R) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-copies=auto"},
          true,
          someContraction(R)};
}

/// Wherever it is right.
static ChosenFlags arrayFlags(Random &R) {
  return mostlyContracted("-fplugin-arg-sluice-local-arrays=auto", 70, R);
}

/// Two versions of each kernel, of which both compute exactly: whatever is lost
/// where they are made and put together is seen. Alone, or with turns in both,
/// or with sums in registers. By the option, or by what functions ask for.
static ChosenFlags sfuFlags(Random &R) {
  ChosenFlags Result{
      {"-fplugin-arg-sluice-test-sfu=exact",
       "-fplugin-arg-sluice-sfu=" + std::to_string(R.pick({1, 2, 3, 5}))},
      R.chance(60)};
  if (Result.Alone)
    Result.Flags.push_back(NoOtherTransform);
  else if (R.chance(50))
    Result.Flags.push_back(throttleFlag(R));
  if (Result.Alone && R.chance(50))
    Result.OnBothSides = {"-ffp-contract=fast"};
  if (R.chance(30))
    Result.OnBothSides.push_back("-DSFU_MARKED");
  return Result;
}

/// Whatever has registers.
static ChosenFlags spillFlags(Random &R) {
  return mostlyContracted("-fplugin-arg-sluice-test-spills=" +
                              std::to_string(R.between(1, 32)),
                          70, R);
}

/// The read-only path often: it is the one that can be wrong.
static ChosenFlags bypassFlags(Random &R) {
  return {{NoOtherTransform, CachedWarps + std::to_string(R.between(0, 4)),
           R.chance(40)   ? "-fplugin-arg-sluice-bypass-of=read-only"
           : R.chance(50) ? "-fplugin-arg-sluice-bypass-of=l1"
                          : "-fplugin-arg-sluice-bypass-of=l2"},
          true,
          someContraction(R)};
}

static ChosenFlags constantFlags(Random &R) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-constant-arrays=auto"},
          true,
          someContraction(R)};
}

static ChosenFlags earlyFlags(Random &R) {
  return {{NoOtherTransform, R.chance(70)
                                 ? "-fplugin-arg-sluice-early-loads=all"
                                 : "-fplugin-arg-sluice-early-loads=auto"},
          true,
          someContraction(R)};
}

/// Blocks of any size, and kernels whose blocks know of each other.
static ChosenFlags syncFlags(Random &R) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-sync=all"},
          true,
          someContraction(R)};
}

/// As many blocks side by side as pay, or a number.
static ChosenFlags mergedFlags(Random &R) {
  return {{NoOtherTransform,
           "-fplugin-arg-sluice-merge-blocks=" +
               (R.chance(30) ? "auto" : std::to_string(R.pick({1, 2, 4, 8})))},
          true,
          someContraction(R)};
}

static ChosenFlags fewerFlags(Random &R) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-fewer-instructions=auto"},
          true,
          someContraction(R)};
}

static ChosenFlags angleFlags(Random &R) {
  return {{NoOtherTransform, "-fplugin-arg-sluice-angle-reduction=auto"},
          true,
          someContraction(R)};
}

bool Settings::hasHints() const {
  return any_of(TransformFlags, [](StringRef Flag) {
    return Flag.starts_with(RandomHints) || Flag.starts_with(CachedWarps);
  });
}

bool Settings::hasOnlyHints() const {
  return hasHints() && is_contained(TransformFlags, NoOtherTransform) &&
         none_of(TransformFlags, [](StringRef Flag) {
           return Flag.contains("-throttle=") || Flag.contains("-promote=") ||
                  Flag.starts_with(CachedWarps);
         });
}

ArrayRef<Transform> fuzz::transforms() {
  static constexpr Features WithSums = {/*Sums=*/true, /*Waits=*/false};
  static constexpr Features WithWaits = {/*Sums=*/false, /*Waits=*/true};
  static constexpr Features WithRows = {/*Sums=*/false, /*Waits=*/false,
                                        /*Rows=*/true};
  static constexpr Features WithLines = {/*Sums=*/false, /*Waits=*/false,
                                         /*Rows=*/false, /*Lines=*/true};
  static constexpr Features WithCopies = {/*Sums=*/true, /*Waits=*/false,
                                          /*Rows=*/false, /*Lines=*/false,
                                          /*Copies=*/true};
  static constexpr Features WithSmallBlocks = {
      /*Sums=*/false,   /*Waits=*/true,   /*Rows=*/false,
      /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/false, /*Small=*/true};
  static constexpr Features WithPacked = {
      /*Sums=*/false,   /*Waits=*/false,
      /*Rows=*/false,   /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/false,
      /*Small=*/false,  /*Packed=*/true};
  static constexpr Features WithArrays = {
      /*Sums=*/true,    /*Waits=*/false,
      /*Rows=*/false,   /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/true};
  static constexpr Features WithAngles = {
      /*Sums=*/true,    /*Waits=*/false,
      /*Rows=*/false,   /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/false,
      /*Small=*/false,  /*Packed=*/false, /*Angles=*/true};
  static constexpr Features WithBlocks = [] {
    Features Of;
    Of.Blocks = true;
    return Of;
  }();
  static constexpr Features WithShared = {
      /*Sums=*/true,    /*Waits=*/false,
      /*Rows=*/false,   /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/false,
      /*Small=*/false,  /*Packed=*/false,
      /*Angles=*/false, /*Shared=*/true};
  static constexpr Features WithStrided = {
      /*Sums=*/true,    /*Waits=*/false,
      /*Rows=*/false,   /*Lines=*/false,
      /*Copies=*/false, /*Arrays=*/false,
      /*Small=*/false,  /*Packed=*/false,
      /*Angles=*/false, /*Shared=*/false, /*Strided=*/true,
      /*Decided=*/true};
  static const Transform Table[] = {
      {"throttle", throttleFlags, "skip-turn", 3, WithWaits},
      {"promote", promoteFlags, "untested-overlap", 3, WithSums},
      {"contraction", contractionFlags, "unfused", 3, WithSums},
      {"fast-math", fastMathFlags, "reordered", 3, WithSums},
      {"hints", hintsFlags, "unproven-nc", 2},
      {"bypass", bypassFlags, "unproven-nc", 3},
      {"software-l1", stagingFlags, "stale-chunk", 5, WithRows},
      {"software-l1-registers", wideningFlags, "wide-misaligned", 5, WithRows},
      {"software-l1-lines", lineFlags, "stale-line", 5, WithLines},
      {"loads-in-flight", unrollFlags, "unrolled-product", 5, WithStrided},
      {"copies", copyFlags, "short-copy", 20, WithCopies},
      {"local-arrays", arrayFlags, "summed-array", 10, WithArrays},
      {"sfu", sfuFlags, "lost-version", 1, WithWaits},
      {"constant-arrays", constantFlags, "skewed-array", 5},
      {"early-loads", earlyFlags, "passed-alias", 5, WithShared},
      {"sync", syncFlags, "any-block", 8, WithSmallBlocks},
      {"fewer-instructions", fewerFlags, "carried-lane", 3, WithPacked},
      {"merged-blocks", mergedFlags, "one-block", 20, WithBlocks},
      {"angle-reduction", angleFlags, "other-word", 3, WithAngles},
      {"spills", spillFlags, "others-slot", 3, WithSums},
      {"optimisation", optimisationFlags, "lost-sign", 3},
  };
  return Table;
}

std::string Transform::wrongFlag(StringRef Fault) const {
  return ("-fplugin-arg-sluice-test-wrong-rewrite=" +
          (Fault.empty() ? StringRef(Wrong) : Fault))
      .str();
}

const Transform *fuzz::findTransform(StringRef Name) {
  ArrayRef<Transform> Table = transforms();
  auto *Found =
      find_if(Table, [&](const Transform &T) { return T.Name == Name; });
  return Found == Table.end() ? nullptr : Found;
}

Settings fuzz::chooseSettings(uint64_t Seed, unsigned First,
                              const Transform &T) {
  Random R(~Seed, First);
  Settings Result;
  Result.Flags.push_back(R.pick({"-O3", "-O3", "-O3", "-O2", "-O1", "-Os"}));
  // Not "fast", clang's default for CUDA, but where that is what is tested:
  // what is fused then depends on what stands in the same basic block, and so
  // does the last bit.
  Result.Flags.push_back(R.pick({"-ffp-contract=off", "-ffp-contract=on"}));
  Result.Flags.push_back(R.pick({"-std=c++17", "-std=c++20"}));
  if (R.chance(25))
    Result.Flags.push_back(R.pick({"-g", "-gline-tables-only"}));
  ChosenFlags Chosen = T.Flags(R);
  Result.TransformFlags = std::move(Chosen.Flags);
  append_range(Result.Flags, Chosen.OnBothSides);
  Result.Alone = Chosen.Alone;
  Result.Schedule = R.chance(50) ? R.next() % 1000 + 1 : 0;
  return Result;
}

Expected<Environment> Environment::find(const char *Argv0) {
  Environment Result;
  auto Clang = findClang();
  if (!Clang)
    return Clang.takeError();
  Result.Clang = *Clang;
  auto Libraries = findLibraryFolder(Argv0);
  if (!Libraries)
    return Libraries.takeError();
  Result.Plugin = *Libraries + "/Sluice.so";
  Result.Header = SLUICE_FUZZ_HEADER;
  if (!sys::fs::exists(Result.Header))
    return createStringError("'%s' is not there; the tool needs the source "
                             "tree that it was built from",
                             Result.Header.c_str());
  return Result;
}

/// The error is what clang said.
static Error runClang(std::vector<std::string> Command, StringRef Output) {
  append_range(Command, std::vector<std::string>{"-fno-crash-diagnostics", "-o",
                                                 Output.str()});
  SmallVector<StringRef, 32> Arguments(Command.begin(), Command.end());
  std::string Said = (Output + ".said").str(), Problem;
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(""),
                                          StringRef(Said)};
  int Status = sys::ExecuteAndWait(Command[0], Arguments, std::nullopt,
                                   Redirects, CompileSeconds, 0, &Problem);
  if (Status == 0)
    return Error::success();
  auto Text = MemoryBuffer::getFile(Said);
  return createStringError(Twine(Problem) +
                           (Text ? (*Text)->getBuffer().take_front(4000) : ""));
}

Error fuzz::compile(const Environment &Where, const Settings &How,
                    bool Transformed, StringRef Source, StringRef Output) {
  std::vector<std::string> Command = {
      Where.Clang, "-x", "cuda", "--cuda-gpu-arch=sm_90", "-nocudainc",
      "-nocudalib", "-include", Where.Header, "-emit-llvm",
      "--cuda-device-only", "-c", "-Wno-everything",
      // What is shrunk may lose its return.
      "-Werror=return-type",
      // A plan that cannot be read, which leaves all kernels as they were.
      "-Werror=backend-plugin", Source.str()};
  append_range(Command, How.Flags);
  if (Transformed) {
    Command.push_back("-fplugin=" + Where.Plugin);
    Command.push_back("-fpass-plugin=" + Where.Plugin);
    // No kernel comes again.
    Command.push_back("-fplugin-arg-sluice-assembly-cache=off");
    append_range(Command, How.TransformFlags);
  }
  return runClang(std::move(Command), Output);
}

Error fuzz::generateCode(const Environment &Where, const Settings &How,
                         bool WithHints, StringRef Bitcode, StringRef Output) {
  std::vector<std::string> Command = {
      Where.Clang,    "-x",
      "ir",           "--target=nvptx64-nvidia-cuda",
      "-march=sm_90", "-nogpulib",
      "-S",           "-Wno-everything",
      "-Xclang",      "-disable-llvm-passes",
      Bitcode.str()};
  append_range(Command, How.Flags);
  // It carries hints out. LLVM's own code generator knows nothing of them.
  if (WithHints) {
    Command.push_back("-fpass-plugin=" + Where.Plugin);
    append_range(Command, How.TransformFlags);
  }
  return runClang(std::move(Command), Output);
}
