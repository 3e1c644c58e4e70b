// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Every evaluation that was ever made, in a SQLite database. Several tuners
/// may use one store; what is written survives a crash.

#ifndef SLUICE_TUNING_RESULTSTORE_H
#define SLUICE_TUNING_RESULTSTORE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

namespace sluice {

/// What an evaluation depends on, apart from the plan.
struct EvaluationContext {
  std::string Kernel;    ///< Mangled name.
  std::string Code;      ///< Hash of its code without a plan.
  std::string GPU;       ///< "NVIDIA H100 80GB HBM3".
  std::string Compiler;  ///< Version and options.
  std::string Arguments; ///< The program's command line.
};

/// One plan at one launch.
struct Evaluation {
  std::string Plan; ///< SearchSpace::describe.
  unsigned Launch = 0;
  double Ms = 0;     ///< Median; 0: it was not timed.
  double BaseMs = 0; ///< Of the untuned code, in turns with it.
  unsigned Runs = 0;
  uint64_t WrongWords = 0; ///< Words in which its results differ.
  bool Stopped = false;    ///< Given up early, far behind.
  std::string Error;       ///< Why it did not run.
};

class ResultStore {
public:
  /// Opens or makes the database \p Path; ":memory:" is kept nowhere.
  static llvm::Expected<std::unique_ptr<ResultStore>>
  open(const std::string &Path);
  ~ResultStore();

  /// Adds evaluations, all or none. One of a plan and launch that is there
  /// already takes its place.
  llvm::Error add(const EvaluationContext &Context,
                  const std::vector<Evaluation> &Evaluations);
  /// The GPUs it has evaluations of, for the context without its GPU.
  llvm::Expected<std::vector<std::string>>
  gpus(const EvaluationContext &Context);
  llvm::Expected<std::vector<Evaluation>>
  find(const EvaluationContext &Context);
  /// Those of \p Kernel, whatever its code, compiler and arguments were, with
  /// each its context; the last measured first.
  llvm::Expected<std::vector<std::pair<EvaluationContext, Evaluation>>>
  findKernel(const std::string &Kernel);

private:
  ResultStore(sqlite3 *Database, std::string Path)
      : Database(Database), Path(std::move(Path)) {}
  llvm::Error run(const char *SQL);
  llvm::Error failure(llvm::StringRef What);

  sqlite3 *Database;
  std::string Path;
};

} // namespace sluice

#endif
