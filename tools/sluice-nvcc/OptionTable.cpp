// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OptionTable.h"

using namespace sluice::nvcc;
using namespace llvm;

// Shorter names for the rows below.
static constexpr Form Flag = Form::Flag, Value = Form::Value, List = Form::List,
                      Words = Form::Words;
static constexpr Handling Mapped = Handling::Mapped,
                          Ignored = Handling::Ignored,
                          Refused = Handling::Refused;

// In the order of `nvcc --help`.
// clang-format off
static constexpr OptionRow Rows[] = {
    {"cuda", "cuda", Flag, Refused, Opt::None, "clang makes no `.cu.cpp.ii`; `-E` shows the source after the preprocessor"},
    {"cubin", "cubin", Flag, Mapped, Opt::Cubin, "clang makes the PTX, ptxas the `.cubin`"},
    {"fatbin", "fatbin", Flag, Mapped, Opt::Fatbin, "clang, ptxas, then fatbinary"},
    {"ptx", "ptx", Flag, Mapped, Opt::Ptx, "`--cuda-device-only -S`"},
    {"optix-ir", "optix-ir", Flag, Refused, Opt::None, "OptiX IR is NVIDIA's own; compile these files by nvcc"},
    {"ltoir", "ltoir", Flag, Refused, Opt::None, "LTO IR is NVIDIA's own; make `.o` files by `-dc`"},
    {"preprocess", "E", Flag, Mapped, Opt::Preprocess, "`-E`: of host code, then of the device code of each architecture, so that caches see all of it"},
    {"generate-dependencies", "M", Flag, Mapped, Opt::M, "`-M --cuda-host-only`"},
    {"generate-nonsystem-dependencies", "MM", Flag, Mapped, Opt::MM, "`-MM --cuda-host-only`"},
    {"generate-dependencies-with-compile", "MD", Flag, Mapped, Opt::MD, "`-MD`"},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Flag, Mapped, Opt::MMD, "`-MMD`"},
    {"dependency-output", "MF", Value, Mapped, Opt::MF, "`-MF`"},
    {"generate-dependency-targets", "MP", Flag, Mapped, Opt::MP, "`-MP`"},
    {"compile", "c", Flag, Mapped, Opt::Compile, "`-c`"},
    {"device-c", "dc", Flag, Mapped, Opt::DeviceC, "`-c -fgpu-rdc --no-offload-new-driver`: objects as nvcc's, so both link together"},
    {"device-w", "dw", Flag, Mapped, Opt::DeviceW, "`-c`"},
    {"device-link", "dlink", Flag, Mapped, Opt::DeviceLink, "nvlink, fatbinary, and the toolkit's `link.stub` by the host compiler"},
    {"link", "link", Flag, Mapped, Opt::Link, "what is done anyway"},
    {"lib", "lib", Flag, Mapped, Opt::Lib, "`ar cr`"},
    {"run", "run", Flag, Mapped, Opt::Run, "the program is run with the toolkit's libraries on its path"},
    {"output-file", "o", Value, Mapped, Opt::Output, "`-o`"},
    {"pre-include", "include", List, Mapped, Opt::PreInclude, "`-include`"},
    {"objdir-as-tempdir", "objtemp", Flag, Ignored, Opt::None, "temporary files are in `$TMPDIR`"},
    {"library", "l", List, Mapped, Opt::Library, "`-l`, for the linkers"},
    {"define-macro", "D", List, Mapped, Opt::Define, "`-D`"},
    {"undefine-macro", "U", List, Mapped, Opt::Undefine, "`-U`"},
    {"include-path", "I", List, Mapped, Opt::IncludePath, "`-I`"},
    {"system-include", "isystem", List, Mapped, Opt::SystemInclude, "`-isystem`"},
    {"library-path", "L", List, Mapped, Opt::LibraryPath, "`-L`, for the linkers"},
    {"output-directory", "odir", Value, Mapped, Opt::OutputDirectory, "the folder of files that have no `-o`"},
    {"compiler-bindir", "ccbin", Value, Mapped, Opt::CCBin, "it compiles C and C++ files and links; if it is a gcc, clang uses its C++ library"},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", Flag, Ignored, Opt::None, "no version is refused"},
    {"archiver-binary", "arbin", Value, Mapped, Opt::ArchiverBinary, "in place of `ar`"},
    {"cudart", "cudart", Value, Mapped, Opt::Cudart, "`-lcudart_static`, `-lcudart` or nothing"},
    {"cudadevrt", "cudadevrt", Value, Mapped, Opt::Cudadevrt, "`-lcudadevrt` or nothing"},
    {"libdevice-directory", "ldir", Value, Ignored, Opt::None, "libdevice is the toolkit's"},
    {"target-directory", "target-dir", Value, Ignored, Opt::None, "only the machine's own target is supported"},
    {"use-local-env", "use-local-env", Flag, Ignored, Opt::None, "Windows only"},
    {"force-cl-env-setup", "force-cl-env-setup", Flag, Ignored, Opt::None, "Windows only"},
    {"profile", "pg", Flag, Mapped, Opt::Profile, "`-pg`, for host code"},
    {"debug", "g", Flag, Mapped, Opt::Debug, "`-g`, for host code"},
    {"device-debug", "G", Flag, Mapped, Opt::DeviceDebug, "`-O0 -g` for device code, `--cuda-noopt-device-debug`; Sluice then does nothing"},
    {"generate-line-info", "lineinfo", Flag, Mapped, Opt::LineInfo, "`-gline-tables-only`, for device code"},
    {"optimization-info", "opt-info", List, Mapped, Opt::OptInfo, "`-Rpass=KIND`"},
    {"optimize", "O", Value, Mapped, Opt::Optimize, "`-O`, for host code; device code has -O3 always"},
    {"Ofast-compile", "Ofc", Value, Ignored, Opt::None, "device code is optimised in full"},
    {"dopt", "dopt", Value, Mapped, Opt::DOpt, "with `-G`: `-O3 -gline-tables-only` for device code"},
    {"dlink-time-opt", "dlto", Flag, Ignored, Opt::None, "device code is linked as it is; `sluice-clang++ -foffload-lto` has link-time optimisation"},
    {"lto", "lto", Flag, Ignored, Opt::None, "as `-dlto`"},
    {"gen-opt-lto", "gen-opt-lto", Flag, Ignored, Opt::None, "as `-dlto`"},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", Value, Mapped, Opt::TemplateBacktrace, "the same"},
    {"ftemplate-depth", "ftemplate-depth", Value, Mapped, Opt::TemplateDepth, "the same"},
    {"no-exceptions", "noeh", Flag, Mapped, Opt::NoExceptions, "`-fno-exceptions`, for host code"},
    {"shared", "shared", Flag, Mapped, Opt::Shared, "`-shared`, for the linkers"},
    {"x", "x", Value, Mapped, Opt::X, "`cu` is clang's `-x cuda`; `c` and `c++` go to the host compiler"},
    {"std", "std", Value, Mapped, Opt::Std, "the same"},
    {"no-host-device-initializer-list", "nohdinitlist", Flag, Ignored, Opt::None, "clang takes all constexpr functions for both sides"},
    {"no-host-device-move-forward", "nohdmoveforward", Flag, Ignored, Opt::None, "clang takes all constexpr functions for both sides"},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Flag, Mapped, Opt::RelaxedConstexpr, "so by default; `-D__CUDACC_RELAXED_CONSTEXPR__`"},
    {"extended-lambda", "extended-lambda", Flag, Mapped, Opt::ExtendedLambda, "so by default; `-D__CUDACC_EXTENDED_LAMBDA__`"},
    {"expt-extended-lambda", "expt-extended-lambda", Flag, Mapped, Opt::ExtendedLambda, "as `-extended-lambda`"},
    {"machine", "m", Value, Ignored, Opt::None, "64 bits is all there is"},
    {"m64", "m64", Flag, Ignored, Opt::None, "64 bits is all there is"},
    {"compiler-options", "Xcompiler", Words, Mapped, Opt::XCompiler, "the host compiler, the linker, and clang's compile of host code; of macros and header folders also that of device code"},
    {"linker-options", "Xlinker", Words, Mapped, Opt::XLinker, "`-Xlinker`"},
    {"archive-options", "Xarchive", Words, Mapped, Opt::XArchive, "`ar`, with `-lib`"},
    {"ptxas-options", "Xptxas", Words, Mapped, Opt::XPtxas, "`-Xcuda-ptxas`"},
    {"nvlink-options", "Xnvlink", Words, Mapped, Opt::XNvlink, "nvlink"},
    {"static-global-template-stub", "static-global-template-stub", Value, Ignored, Opt::None, "clang's stubs are weak; instances of one kernel in two files have the same code"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", Value, Ignored, Opt::None, "visibility is as for host code"},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", Flag, Mapped, Opt::ForwardToCompiler, "an unknown option counts as one of `-Xcompiler`"},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", Flag, Mapped, Opt::ForwardToLinker, "an unknown option goes to the host linker"},
    {"forward-unknown-opts", "forward-unknown-opts", Flag, Mapped, Opt::ForwardToBoth, "both"},
    {"dont-use-profile", "noprof", Flag, Ignored, Opt::None, "`nvcc.profile` is not read"},
    {"dryrun", "dryrun", Flag, Mapped, Opt::DryRun, "lists the commands and runs none"},
    {"verbose", "v", Flag, Mapped, Opt::Verbose, "lists the commands"},
    {"threads", "t", Value, Ignored, Opt::None, "architectures are compiled one after the other"},
    {"split-compile", "split-compile", Value, Ignored, Opt::None, "a compile has one thread"},
    {"split-compile-extended", "split-compile-extended", Value, Ignored, Opt::None, "a compile has one thread"},
    {"fdevice-syntax-only", "fdevice-syntax-only", Flag, Refused, Opt::None, "use `sluice-clang++ --cuda-device-only -fsyntax-only`"},
    {"fdevice-time-trace", "fdevice-time-trace", Value, Mapped, Opt::TimeTrace, "`-ftime-trace`: a file for each compile, beside the object"},
    {"keep", "keep", Flag, Mapped, Opt::Keep, "the PTX and machine code of each architecture, made once more as they are in the object"},
    {"keep-dir", "keep-dir", Value, Mapped, Opt::KeepDir, "the folder of what `-keep` keeps"},
    {"save-temps", "save-temps", Flag, Mapped, Opt::Keep, "as `-keep`"},
    {"clean-targets", "clean", Flag, Refused, Opt::None, "delete the files, or have your build system do it"},
    {"time", "time", Value, Ignored, Opt::None, "no table is written; `-fdevice-time-trace` says more"},
    {"run-args", "run-args", Words, Mapped, Opt::RunArgs, "arguments of the program, with `-run`"},
    {"input-drive-prefix", "idp", Value, Ignored, Opt::None, "Windows only"},
    {"dependency-drive-prefix", "ddp", Value, Ignored, Opt::None, "Windows only"},
    {"drive-prefix", "dp", Value, Ignored, Opt::None, "Windows only"},
    {"dependency-target-name", "MT", Value, Mapped, Opt::MT, "`-MT`"},
    {"no-align-double", "", Flag, Ignored, Opt::None, "32 bits only"},
    {"no-device-link", "nodlink", Flag, Mapped, Opt::NoDeviceLink, "no nvlink before the link"},
    {"gpu-architecture", "arch", Value, Mapped, Opt::Architecture, "`--offload-arch`, and `--cuda-include-ptx` where nvcc keeps PTX"},
    {"gpu-code", "code", List, Mapped, Opt::Code, "as `-arch`; a `compute_N` also gets the machine code of `sm_N`, an `lto_N` gets it instead"},
    {"generate-code", "gencode", Value, Mapped, Opt::Gencode, "as `-arch` and `-code`; may be repeated"},
    {"relocatable-device-code", "rdc", Value, Mapped, Opt::Rdc, "as `-dc`"},
    {"entries", "e", List, Ignored, Opt::None, "code is made for all kernels"},
    {"maxrregcount", "maxrregcount", Value, Mapped, Opt::MaxRegisters, "`-Xcuda-ptxas -maxrregcount=N`"},
    {"use_fast_math", "use_fast_math", Flag, Mapped, Opt::FastMath, "`-ftz=true -prec-div=false -prec-sqrt=false -fmad=true` and `-fgpu-approx-transcendentals`; host code keeps its mathematics"},
    {"ftz", "ftz", Value, Mapped, Opt::Ftz, "`-fgpu-flush-denormals-to-zero`"},
    {"prec-div", "prec-div", Value, Mapped, Opt::PrecDiv, "`-mllvm -nvptx-prec-divf32`, and libdevice's `__CUDA_PREC_DIV`"},
    {"prec-sqrt", "prec-sqrt", Value, Mapped, Opt::PrecSqrt, "`-mllvm -nvptx-prec-sqrtf32`, and libdevice's `__CUDA_PREC_SQRT`: true by default, unlike clang's own"},
    {"fmad", "fmad", Value, Mapped, Opt::Fmad, "`-ffp-contract`, for device code"},
    {"extra-device-vectorization", "extra-device-vectorization", Flag, Ignored, Opt::None, "LLVM's vectorisers are on anyway"},
    {"default-stream", "default-stream", Value, Mapped, Opt::DefaultStream, "`-fgpu-default-stream`"},
    {"disable-warnings", "w", Flag, Mapped, Opt::NoWarnings, "`-w`"},
    {"keep-device-functions", "keep-device-functions", Flag, Refused, Opt::None, "use `-dc`, which keeps them"},
    {"source-in-ptx", "src-in-ptx", Flag, Ignored, Opt::None, "clang's PTX has places and no source text"},
    {"restrict", "restrict", Flag, Ignored, Opt::None, "Sluice tests at run time whether arrays overlap, where it gains by it"},
    {"Wreorder", "Wreorder", Flag, Mapped, Opt::WReorder, "`-Wreorder`"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", Flag, Ignored, Opt::None, "clang has no such warning"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", Flag, Ignored, Opt::None, "clang has no such warning"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", Flag, Ignored, Opt::None, "clang has no such warning"},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", Flag, Mapped, Opt::NoDeprecated, "the same"},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", Flag, Ignored, Opt::None, "there is no such warning"},
    {"Werror", "Werror", List, Ignored, Opt::None, "clang's warnings are not nvcc's; `-Xcompiler -Werror` makes errors of clang's"},
    {"resource-usage", "res-usage", Flag, Mapped, Opt::ResourceUsage, "`-Xcuda-ptxas -v`, and `-v` for nvlink"},
    {"extensible-whole-program", "ewp", Flag, Refused, Opt::None, "use `-dc`"},
    {"no-compress", "no-compress", Flag, Mapped, Opt::NoCompress, "fatbinary's `--compress=false`"},
    {"qpp-config", "qpp-config", Value, Refused, Opt::None, "there is no q++ for Linux here"},
    {"compile-as-tools-patch", "astoolspatch", Flag, Refused, Opt::None, "patches of CUDA's tools are for nvcc"},
    {"list-gpu-code", "code-ls", Flag, Mapped, Opt::ListCode, "what the toolkit and clang both know"},
    {"list-gpu-arch", "arch-ls", Flag, Mapped, Opt::ListArch, "what the toolkit and clang both know"},
    {"display-error-number", "err-no", Flag, Ignored, Opt::None, "clang's messages have names: `[-Wname]`"},
    {"no-display-error-number", "no-err-no", Flag, Ignored, Opt::None, "clang's messages have names: `[-Wname]`"},
    {"diag-error", "diag-error", List, Ignored, Opt::None, "these are numbers of nvcc's messages; clang's are `-Xcompiler -Werror=NAME`"},
    {"diag-suppress", "diag-suppress", List, Ignored, Opt::None, "these are numbers of nvcc's messages; clang's are `-Xcompiler -Wno-NAME`"},
    {"diag-warn", "diag-warn", List, Ignored, Opt::None, "these are numbers of nvcc's messages; clang's are `-Xcompiler -WNAME`"},
    {"host-linker-script", "hls", Value, Refused, Opt::None, "ask nvcc for the script, and give it with `-Xlinker -T`"},
    {"augment-host-linker-script", "aug-hls", Flag, Refused, Opt::None, "ask nvcc for the script, and give it with `-Xlinker -T`"},
    {"relocatable-link", "r", Flag, Mapped, Opt::RelocatableLink, "`-r`, for the linkers"},
    {"brief-diagnostics", "brief-diag", Value, Ignored, Opt::None, "use `-Xcompiler -fno-caret-diagnostics`"},
    {"jump-table-density", "jtd", Value, Ignored, Opt::None, "LLVM decides by itself"},
    {"relocatable-ptx", "reloc-ptx", Flag, Refused, Opt::None, "name the architectures that you need in `-gencode`"},
    {"device-stack-protector", "device-stack-protector", Value, Ignored, Opt::None, "device code has no canaries"},
    {"compress-mode", "compress-mode", Value, Mapped, Opt::CompressMode, "fatbinary's `--compress-mode`"},
    {"frandom-seed", "frandom-seed", Value, Ignored, Opt::None, "clang's names come from the file's path and the options: the same bytes each time"},
    {"sanitize", "sanitize", Value, Refused, Opt::None, "`sluice emulate --check=all` finds the same without a GPU; compute-sanitizer needs no option"},
    {"jobserver", "jobserver", Flag, Ignored, Opt::None, "a compile has one thread"},
    {"help", "h", Flag, Mapped, Opt::Help, "prints this table"},
    {"version", "V", Flag, Mapped, Opt::Version, "the toolkit's version, in nvcc's form, and Sluice's"},
    {"options-file", "optf", List, Mapped, Opt::OptionsFile, "options in a file"},
};
// clang-format on

ArrayRef<OptionRow> sluice::nvcc::optionTable() { return Rows; }

const OptionRow *sluice::nvcc::findOption(StringRef Dashed) {
  bool IsLong = Dashed.starts_with("--");
  StringRef Name = Dashed.ltrim('-');
  if (Name.empty())
    return nullptr;
  for (const OptionRow &R : Rows)
    if (Name == (IsLong ? R.Long : R.Short))
      return &R;
  return nullptr;
}

void sluice::nvcc::printOptionTable(raw_ostream &OS) {
  OS << "| option | | what sluice-nvcc does |\n|---|---|---|\n";
  for (const OptionRow &R : Rows) {
    OS << "| `--" << R.Long << "`";
    if (!R.Short.empty())
      OS << ", `-" << R.Short << "`";
    OS << " | "
       << (R.What == Handling::Mapped    ? "mapped"
           : R.What == Handling::Ignored ? "ignored"
                                         : "refused")
       << " | " << R.Text << " |\n";
  }
}
