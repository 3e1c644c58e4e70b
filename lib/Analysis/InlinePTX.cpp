// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX statements end at a semicolon, and are `[@p] name.modifiers operands`. A
// directive begins with a dot, and a label's name is no instruction's. Comments
// are not looked into: with one, nothing is known.

#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>

using namespace sluice;
using namespace llvm;

/// PTX ISA 9.0, chapter 9.7: by the part of the name before the first dot.
static InlinePTX classifyName(StringRef Name) {
  return StringSwitch<InlinePTX>(Name)
      // Integers, extended precision.
      .Cases({"add", "sub", "mul", "mad", "mul24", "mad24", "sad", "div"},
             InlinePTX::Computes)
      .Cases({"rem", "abs", "neg", "min", "max", "popc", "clz", "bfind"},
             InlinePTX::Computes)
      .Cases({"fns", "brev", "bfe", "bfi", "szext", "bmsk", "dp4a", "dp2a"},
             InlinePTX::Computes)
      .Cases({"addc", "subc", "madc"}, InlinePTX::Computes)
      // Floating point.
      .Cases({"testp", "copysign", "fma", "rcp", "sqrt", "rsqrt", "sin"},
             InlinePTX::Computes)
      .Cases({"cos", "lg2", "ex2", "tanh"}, InlinePTX::Computes)
      // Comparison, logic, moves.
      .Cases({"set", "setp", "selp", "slct", "and", "or", "xor", "not"},
             InlinePTX::Computes)
      .Cases({"cnot", "lop3", "shf", "shl", "shr", "mov", "prmt", "cvt"},
             InlinePTX::Computes)
      .Cases({"cvta", "isspacep"}, InlinePTX::Computes)
      // Video.
      .Cases({"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"},
             InlinePTX::Computes)
      .Cases({"vmad", "vset", "vadd2", "vsub2", "vavrg2", "vabsdiff2"},
             InlinePTX::Computes)
      .Cases({"vmin2", "vmax2", "vset2", "vadd4", "vsub4", "vavrg4"},
             InlinePTX::Computes)
      .Cases({"vabsdiff4", "vmin4", "vmax4", "vset4"}, InlinePTX::Computes)
      // Memory, and warps.
      .Cases({"ld", "ldu", "st", "atom", "red", "membar", "fence", "prefetch"},
             InlinePTX::Accesses)
      .Cases({"prefetchu", "discard", "applypriority", "createpolicy"},
             InlinePTX::Accesses)
      .Cases({"tex", "tld4", "txq", "suld", "sust", "sured", "suq"},
             InlinePTX::Accesses)
      .Cases({"shfl", "vote", "match", "redux", "activemask", "elect"},
             InlinePTX::Accesses)
      .Cases({"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"},
             InlinePTX::Accesses)
      .Cases({"nanosleep", "trap", "brkpt", "pmevent"}, InlinePTX::Accesses)
      .Default(InlinePTX::Unknown);
}

/// By the whole name, where its first part tells too little.
static InlinePTX classifyInstruction(StringRef Name) {
  // What a thread's own copies are waited for is no other thread's.
  for (StringRef Harmless :
       {"cp.async.ca.", "cp.async.cg.", "cp.async.commit_group",
        "cp.async.wait_group", "cp.async.wait_all", "bar.warp.sync"})
    if (Name.starts_with(Harmless))
      return InlinePTX::Accesses;
  return classifyName(Name.split('.').first);
}

/// \p Statement is what stands between two semicolons.
static InlinePTX classifyStatement(StringRef Statement) {
  // Braces before the name are of scopes, those behind it of vectors.
  auto SkipToName = [&] {
    Statement = Statement.drop_while(
        [](char C) { return isSpace(C) || C == '{' || C == '}'; });
  };
  SkipToName();
  if (Statement.consume_front("@")) {
    Statement = Statement.drop_until(isSpace);
    SkipToName();
  }
  if (Statement.empty() || Statement.starts_with(".reg"))
    return InlinePTX::Computes;
  return classifyInstruction(Statement.take_until(isSpace));
}

InlinePTX sluice::classifyInlinePTX(StringRef Text) {
  if (Text.contains("//") || Text.contains("/*") || Text.contains("$("))
    return InlinePTX::Unknown;
  auto Most = InlinePTX::Computes;
  SmallVector<StringRef, 8> Statements;
  Text.split(Statements, ';');
  for (StringRef Statement : Statements)
    Most = std::max(Most, classifyStatement(Statement));
  return Most;
}

bool sluice::isPureAssembly(const CallBase &Call) {
  const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  return Asm && !Asm->hasSideEffects() && Call.doesNotAccessMemory() &&
         Call.doesNotThrow();
}

bool sluice::isArithmeticPTX(const CallBase &Call) {
  return isPureAssembly(Call) && !isa<CallBrInst>(Call) &&
         classifyInlinePTX(
             cast<InlineAsm>(Call.getCalledOperand())->getAsmString()) ==
             InlinePTX::Computes;
}
