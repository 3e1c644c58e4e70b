// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmulatorCommandLine.h"
#include "EmulatorBuild.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace llvm;
using namespace llvm::opt;
namespace types = clang::driver::types;
namespace options = clang::options;

/// What comes from no file still belongs to \p UserArgs.
static Error expandResponseFiles(ArrayRef<std::string> UserArgs,
                                 SmallVectorImpl<const char *> &Text,
                                 BumpPtrAllocator &Storage) {
  for (const std::string &Arg : UserArgs)
    Text.push_back(Arg.c_str());
  cl::ExpansionContext Expansion(Storage, cl::TokenizeGNUCommandLine);
  return Expansion.expandResponseFiles(Text);
}

/// Options after which there is neither an object nor a program.
static bool isSpecial(const Arg &A) {
  switch (A.getOption().getID()) {
  case options::OPT_E:
  case options::OPT_M:
  case options::OPT_MM:
  case options::OPT_S:
  case options::OPT_fsyntax_only:
  case options::OPT__analyze:
  case options::OPT_emit_ast:
  case options::OPT_emit_llvm:
  case options::OPT__precompile:
  case options::OPT__HASH_HASH_HASH:
  case options::OPT_offload_device_only:
  case options::OPT_offload_host_only:
  case options::OPT__version:
  case options::OPT_help:
  case options::OPT_dumpversion:
  case options::OPT_dumpmachine:
    return true;
  default:
    return A.getSpelling().starts_with("-print-") ||
           A.getSpelling().starts_with("--print-");
  }
}

static types::ID typeOfFile(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  if (Extension.empty())
    return types::TY_INVALID;
  types::ID Type = types::lookupTypeForExtension(Extension.drop_front());
  return Type == types::TY_Object ? types::TY_INVALID : Type;
}

Expected<std::unique_ptr<CommandLine>>
sluice::parseCommandLine(ArrayRef<std::string> UserArgs) {
  auto Line = std::make_unique<CommandLine>();
  if (Error E = expandResponseFiles(UserArgs, Line->Text, Line->Storage))
    return E;
  unsigned MissingIndex, MissingCount;
  Line->Args =
      std::make_unique<InputArgList>(clang::getDriverOptTable().ParseArgs(
          Line->Text, MissingIndex, MissingCount,
          Visibility(options::ClangOption)));
  if (MissingCount)
    return createStringError("argument to '%s' is missing",
                             Line->Args->getArgString(MissingIndex));
  types::ID Forced = types::TY_INVALID;
  for (const Arg *A : *Line->Args) {
    if (isSpecial(*A))
      Line->Special = A;
    if (A->getOption().matches(options::OPT_x))
      Forced = types::lookupTypeForTypeSpecifier(A->getValue());
    else if (A->getOption().matches(options::OPT_INPUT))
      Line->Inputs.push_back({A->getValue(), Forced != types::TY_INVALID
                                                 ? Forced
                                                 : typeOfFile(A->getValue())});
    else if (A->getOption().matches(options::OPT__DASH_DASH))
      for (const char *Value : A->getValues())
        Line->Inputs.push_back(
            {Value, Forced != types::TY_INVALID ? Forced : typeOfFile(Value)});
  }
  return Line;
}

std::string sluice::chosenGPU(const InputArgList &Args) {
  std::string Chosen;
  unsigned Highest = 0;
  for (const Arg *A : Args.filtered(options::OPT_offload_arch_EQ,
                                    options::OPT_no_offload_arch_EQ)) {
    bool Taken = A->getOption().matches(options::OPT_no_offload_arch_EQ);
    for (StringRef Value : A->getValues()) {
      if (Taken && (Value == "all" || Value == Chosen)) {
        Chosen.clear();
        Highest = 0;
        continue;
      }
      StringRef Digits = Value;
      unsigned Number;
      // "native" and "all" name no GPU; clang complains of what is none.
      if (Taken || !Digits.consume_front("sm_") ||
          Digits.take_while(isDigit).getAsInteger(10, Number)) {
        if (!Taken && Value != "native" && !Value.starts_with("all") &&
            Chosen.empty())
          Chosen = Value.str();
        continue;
      }
      if (Number >= Highest) {
        Highest = Number;
        Chosen = Value.str();
      }
    }
  }
  return Chosen;
}

Expected<EmulatorRequest>
sluice::readEmulatorRequest(ArrayRef<std::string> UserArgs) {
  auto Line = parseCommandLine(UserArgs);
  if (!Line)
    return Line.takeError();
  const InputArgList &Args = *(*Line)->Args;
  EmulatorRequest Request;
  for (const Input &I : (*Line)->Inputs)
    Request.Inputs.push_back(I.Path);
  Request.GPU = chosenGPU(Args);
  Request.Output = Args.getLastArgValue(options::OPT_o).str();
  Request.HasOptLevel = Args.hasArg(options::OPT_O_Group);
  if ((*Line)->Special)
    Request.NoProgram = (*Line)->Special->getSpelling().str();
  else if (Args.hasArg(options::OPT_c))
    Request.NoProgram = "-c";
  return Request;
}

Expected<bool> sluice::takeEmulate(std::vector<std::string> &Args) {
  BumpPtrAllocator Storage;
  SmallVector<const char *, 64> Text;
  if (Error E = expandResponseFiles(Args, Text, Storage))
    return E;
  if (!is_contained(Text, StringRef("--sluice-emulate")))
    return false;
  std::vector<std::string> Expanded(Text.begin(), Text.end());
  llvm::erase(Expanded, "--sluice-emulate");
  Args = std::move(Expanded);
  return true;
}

bool sluice::belongsTo(const Arg &A, ClangPass P) {
  const Option &O = A.getOption();
  switch (O.getID()) {
  case options::OPT_INPUT:
  case options::OPT__DASH_DASH:
  case options::OPT_x:
  case options::OPT_o:
  case options::OPT_c:
  case options::OPT_offload_arch_EQ:
  case options::OPT_no_offload_arch_EQ:
  case options::OPT_offload_host_device:
  case options::OPT_offload_new_driver:
  case options::OPT_no_offload_new_driver:
  case options::OPT_cuid_EQ:
  case options::OPT_fuse_cuid_EQ:
    return false;
  // The host pass writes the list of dependencies: its object is the output.
  case options::OPT_MD:
  case options::OPT_MMD:
  case options::OPT_MF:
  case options::OPT_MT:
  case options::OPT_MQ:
  case options::OPT_MP:
  case options::OPT_MG:
  case options::OPT_MV:
  case options::OPT_MJ:
  // The device's bitcode is wanted as it is.
  case options::OPT_flto:
  case options::OPT_flto_EQ:
  case options::OPT_foffload_lto:
  case options::OPT_foffload_lto_EQ:
  case options::OPT_ftime_trace:
  case options::OPT_ftime_trace_EQ:
    return P != ClangPass::Device;
  case options::OPT_fgpu_rdc:
  case options::OPT_fno_gpu_rdc:
    return P != ClangPass::Link;
  default:
    return true;
  }
}
