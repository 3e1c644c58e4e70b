# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Most of a compile is the reading of LLVM's headers, so they are read once for
# each kind of target. With a compiler cache they are not: it would have to be
# told how a precompiled header is compared, and a source that lacks an #include
# is noticed there.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# Headers of LLVM alone: a change of Sluice's own must not compile all again.
set(SLUICE_LLVM_HEADERS
  <algorithm> <map> <memory> <mutex> <optional> <set> <string> <vector>
  <llvm/ADT/STLExtras.h>
  <llvm/ADT/SetVector.h>
  <llvm/ADT/SmallPtrSet.h>
  <llvm/ADT/Statistic.h>
  <llvm/ADT/StringExtras.h>
  <llvm/ADT/StringSwitch.h>
  <llvm/Analysis/AliasAnalysis.h>
  <llvm/Analysis/LoopInfo.h>
  <llvm/Analysis/OptimizationRemarkEmitter.h>
  <llvm/Analysis/PostDominators.h>
  <llvm/Analysis/ScalarEvolutionExpressions.h>
  <llvm/Analysis/TargetTransformInfo.h>
  <llvm/Analysis/UniformityAnalysis.h>
  <llvm/Analysis/ValueTracking.h>
  <llvm/IR/DebugInfoMetadata.h>
  <llvm/IR/IRBuilder.h>
  <llvm/IR/InstIterator.h>
  <llvm/IR/IntrinsicInst.h>
  <llvm/IR/IntrinsicsNVPTX.h>
  <llvm/IR/Module.h>
  <llvm/IR/PatternMatch.h>
  <llvm/Passes/PassBuilder.h>
  <llvm/Support/FileSystem.h>
  <llvm/Support/FormatVariadic.h>
  <llvm/Support/JSON.h>
  <llvm/Support/MemoryBuffer.h>
  <llvm/Support/YAMLTraits.h>
  <llvm/Target/TargetMachine.h>
  <llvm/Transforms/Utils/BasicBlockUtils.h>
  <llvm/Transforms/Utils/Cloning.h>
  <llvm/Transforms/Utils/LoopUtils.h>)
# Most tools have nothing to do with LLVM's IR.
set(SLUICE_TOOL_HEADERS ${SLUICE_LLVM_HEADERS})
list(FILTER SLUICE_TOOL_HEADERS EXCLUDE REGEX
  "llvm/(Analysis|IR|Passes|Target|Transforms)/")
set(SLUICE_CLANG_HEADERS
  <clang/AST/ASTContext.h>
  <clang/AST/Attr.h>
  <clang/AST/ExprCXX.h>
  <clang/AST/DynamicRecursiveASTVisitor.h>
  <clang/Frontend/CompilerInstance.h>
  <clang/Lex/Lexer.h>
  <clang/Lex/Preprocessor.h>)
set(SLUICE_MLIR_HEADERS
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/IR/SymbolTable.h>)

# sluice_precompiled(NAME FLAG headers...): for targets that are compiled with
# FLAG, -fPIC or -fPIE, and name it by REUSE_FROM.
function(sluice_precompiled NAME FLAG)
  file(CONFIGURE OUTPUT ${NAME}.cpp CONTENT "")
  add_library(${NAME} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
  # CMake itself gives -fPIC to libraries, even to those of executables' headers.
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${NAME} PRIVATE ${FLAG})
  target_link_libraries(${NAME} PRIVATE sluice_flags)
  target_precompile_headers(${NAME} PRIVATE ${ARGN})
endfunction()

# What sluice_library and sluice_plugin take. A folder sets others: a name, or a
# list where its flags are others.
set(SLUICE_HEADERS REUSE_FROM sluice_library_headers)

sluice_precompiled(sluice_library_headers -fPIC ${SLUICE_LLVM_HEADERS})
sluice_precompiled(sluice_clang_headers -fPIC
  ${SLUICE_LLVM_HEADERS} ${SLUICE_CLANG_HEADERS})
sluice_precompiled(sluice_tool_headers -fPIE ${SLUICE_TOOL_HEADERS})
