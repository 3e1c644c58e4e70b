// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compile.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace sluice;

void sluice::report(clang::CompilerInstance &CI,
                    clang::DiagnosticsEngine::Level Level,
                    llvm::StringRef Message) {
  clang::DiagnosticsEngine &Diags = CI.getDiagnostics();
  unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(
      static_cast<clang::DiagnosticIDs::Level>(Level),
      ("sluice: " + Message).str());
  Diags.Report(Id);
}

bool sluice::emitsCode(clang::frontend::ActionKind Action) {
  switch (Action) {
  case clang::frontend::EmitAssembly:
  case clang::frontend::EmitBC:
  case clang::frontend::EmitLLVM:
  case clang::frontend::EmitLLVMOnly:
  case clang::frontend::EmitCodeGenOnly:
  case clang::frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

llvm::StringRef sluice::whenNoPasses(const clang::CompilerInstance &CI) {
  const clang::CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (CodeGen.DisableLLVMPasses)
    return "when clang compiles in steps (-save-temps)";
  if (CodeGen.PassPlugins.empty())
    return "without -fpass-plugin=Sluice.so";
  return "";
}

bool sluice::doPassesRun(clang::CompilerInstance &CI, llvm::StringRef Effect) {
  llvm::StringRef When = whenNoPasses(CI);
  if (!When.empty())
    report(CI, clang::DiagnosticsEngine::Warning, (Effect + " " + When).str());
  return When.empty();
}

llvm::StringRef sluice::unreachableHost(const clang::CompilerInstance &CI) {
  // clang's old driver embeds it as nvcc does, for nvlink.
  if (CI.getLangOpts().GPURelocatableDeviceCode &&
      CI.getLangOpts().OffloadingNewDriver)
    return "with -fgpu-rdc the host compile does not get the GPU's code";
  if (CI.getCodeGenOpts().DisableLLVMPasses)
    return "clang compiles in steps (-save-temps)";
  if (CI.getCodeGenOpts().PassPlugins.empty())
    return "-fpass-plugin=Sluice.so is not given";
  return "";
}

void sluice::keepSpillsLocal(clang::CompilerInstance &CI,
                             std::vector<std::string> &Args) {
  const clang::CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  llvm::StringRef For;
  if (CI.getLangOpts().GPURelocatableDeviceCode || CodeGen.PrepareForLTO)
    For = "code that is linked";
  else if (CodeGen.getDebugInfo() > llvm::codegenoptions::DebugDirectivesOnly)
    For = "a debugger";
  if (For.empty())
    return;
  constexpr llvm::StringLiteral Key = "shared-spills=";
  auto Given = llvm::find_if(
      Args, [&](llvm::StringRef Arg) { return Arg.starts_with(Key); });
  if (Given == Args.end()) {
    Args.push_back((Key + "off").str());
    return;
  }
  if (*Given == (Key + "own").str())
    return;
  if (*Given == (Key + "ptxas").str())
    report(CI, clang::DiagnosticsEngine::Warning,
           ("shared-spills=ptxas has no effect: ptxas refuses it for " + For)
               .str());
  *Given = (Key + "off").str();
}

void sluice::askForRounding(const clang::CompilerInstance &CI,
                            std::vector<std::string> &Args) {
  const clang::LangOptions &Lang = CI.getLangOpts();
  const bool IsKnown =
      !Lang.GPURelocatableDeviceCode && !CI.getCodeGenOpts().PrepareForLTO &&
      Lang.getDefaultFPContractMode() == clang::LangOptions::FPM_Fast;
  for (llvm::StringRef Key : {"inline-calls=", "write-rounding="}) {
    auto IsOfKey = [&](llvm::StringRef Arg) { return Arg.starts_with(Key); };
    if (!IsKnown)
      llvm::erase_if(Args, IsOfKey);
    else if (llvm::none_of(Args, IsOfKey))
      Args.push_back((Key + "auto").str());
  }
}

void sluice::trackPlaces(clang::CodeGenOptions &CodeGen) {
  if (CodeGen.getDebugInfo() != llvm::codegenoptions::NoDebugInfo)
    return;
  CodeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  CodeGen.DebugColumnInfo = true; // whatever debuggers were not to get
}

/// Of a file that this compile did not open itself: do line markers, as of
/// preprocessed code, say that it is a system header?
static bool isMarkedSystem(clang::SourceManager &SM, llvm::StringRef File) {
  clang::LineTableInfo &Lines = SM.getLineTable();
  for (const auto &[In, Entries] : Lines)
    for (const clang::LineEntry &Entry : Entries)
      if (Entry.FilenameID >= 0 && clang::SrcMgr::isSystem(Entry.FileKind) &&
          Lines.getFilename(Entry.FilenameID) == File)
        return true;
  return false;
}

bool sluice::isOfLibrary(clang::CompilerInstance &CI,
                         const llvm::DILocation &At) {
  if (At.getLine() == 0)
    return false;
  clang::SourceManager &SM = CI.getSourceManager();
  // As clang finds the lines that it prints with remarks.
  auto File = SM.getFileManager().getOptionalFileRef(At.getFilename());
  if (!File) {
    llvm::SmallString<128> Path(At.getDirectory());
    llvm::sys::path::append(Path, At.getFilename());
    File = SM.getFileManager().getOptionalFileRef(Path);
  }
  clang::SourceLocation Loc;
  if (File)
    Loc = SM.translateFileLineCol(*File, At.getLine(),
                                  std::max(1u, unsigned(At.getColumn())));
  return Loc.isValid() ? SM.isInSystemHeader(Loc)
                       : isMarkedSystem(SM, At.getFilename());
}
