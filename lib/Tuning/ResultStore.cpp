// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, whose key is all that a time depends on: measured again, an
// evaluation takes the place of the old one.

#include "sluice/Tuning/ResultStore.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <sqlite3.h>

using namespace llvm;
using namespace sluice;

/// PRAGMA user_version: another number is another layout.
static constexpr int StoreVersion = 1;

static const char Schema[] = R"(
  CREATE TABLE IF NOT EXISTS evaluations (
    kernel TEXT, code TEXT, gpu TEXT, compiler TEXT, arguments TEXT,
    plan TEXT, launch INTEGER,
    ms REAL, base_ms REAL, runs INTEGER, wrong_words INTEGER, stopped INTEGER,
    error TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (kernel, code, gpu, compiler, arguments, plan, launch));
  PRAGMA user_version = 1;
)";

namespace {

/// A prepared statement; ends with its scope.
class Statement {
public:
  Statement(sqlite3 *Database, const char *SQL) {
    sqlite3_prepare_v2(Database, SQL, -1, &Handle, nullptr);
  }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(Handle); }

  explicit operator bool() const { return Handle; }
  void bind(const std::string &Text) {
    sqlite3_bind_text64(Handle, ++Bound, Text.data(), Text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void bind(double Number) { sqlite3_bind_double(Handle, ++Bound, Number); }
  void bind(sqlite3_int64 Number) {
    sqlite3_bind_int64(Handle, ++Bound, Number);
  }
  void bind(const EvaluationContext &C) {
    for (const std::string *Text :
         {&C.Kernel, &C.Code, &C.GPU, &C.Compiler, &C.Arguments})
      bind(*Text);
  }
  int step() { return sqlite3_step(Handle); }
  void reset() {
    sqlite3_reset(Handle);
    Bound = 0;
  }

  std::string text(int Column) {
    const unsigned char *Text = sqlite3_column_text(Handle, Column);
    size_t Bytes = sqlite3_column_bytes(Handle, Column);
    return std::string(reinterpret_cast<const char *>(Text), Text ? Bytes : 0);
  }
  double real(int Column) { return sqlite3_column_double(Handle, Column); }
  sqlite3_int64 number(int Column) {
    return sqlite3_column_int64(Handle, Column);
  }

private:
  sqlite3_stmt *Handle = nullptr;
  int Bound = 0;
};

} // namespace

Error ResultStore::failure(StringRef What) {
  return createStringError(What + " '" + Path +
                           "': " + sqlite3_errmsg(Database));
}

Error ResultStore::run(const char *SQL) {
  if (sqlite3_exec(Database, SQL, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure("the result store");
  return Error::success();
}

Expected<std::unique_ptr<ResultStore>>
ResultStore::open(const std::string &Path) {
  sqlite3 *Database = nullptr;
  int Status = sqlite3_open(Path.c_str(), &Database);
  std::unique_ptr<ResultStore> Store(new ResultStore(Database, Path));
  if (Status != SQLITE_OK)
    return Store->failure("cannot open the result store");
  constexpr std::chrono::seconds Patience(30);
  sqlite3_busy_timeout(Database,
                       int(std::chrono::milliseconds(Patience).count()));
  // A write-ahead log: readers and a writer do not wait for one another, and a
  // process that dies leaves whole transactions. Of several that switch to it
  // at once all but one are told that the database is locked, without waiting.
  const auto Until = std::chrono::steady_clock::now() + Patience;
  do
    Status = sqlite3_exec(Database, "PRAGMA journal_mode = WAL", nullptr,
                          nullptr, nullptr);
  while (Status == SQLITE_BUSY && std::chrono::steady_clock::now() < Until &&
         sqlite3_sleep(10));
  if (Status != SQLITE_OK)
    return Store->failure("the result store");
  sqlite3_int64 Version = 0;
  {
    Statement Read(Database, "PRAGMA user_version");
    if (Read && Read.step() == SQLITE_ROW)
      Version = Read.number(0);
  }
  if (Version != 0 && Version != StoreVersion)
    return createStringError(
        "the result store '" + Path + "' was made by another Sluice (layout " +
        Twine(Version) + ", this one has " + Twine(StoreVersion) +
        "): name another with --store=");
  if (Error E = Store->run(Schema))
    return std::move(E);
  return Store;
}

ResultStore::~ResultStore() { sqlite3_close(Database); }

Error ResultStore::add(const EvaluationContext &Context,
                       const std::vector<Evaluation> &Evaluations) {
  if (Error E = run("BEGIN IMMEDIATE"))
    return E;
  Statement Insert(Database,
                   "INSERT OR REPLACE INTO evaluations (kernel, code, gpu, "
                   "compiler, arguments, plan, launch, ms, base_ms, runs, "
                   "wrong_words, stopped, error) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bool Done = bool(Insert);
  for (const Evaluation &E : Evaluations) {
    if (!Done)
      break;
    Insert.bind(Context);
    Insert.bind(E.Plan);
    Insert.bind(sqlite3_int64(E.Launch));
    Insert.bind(E.Ms);
    Insert.bind(E.BaseMs);
    Insert.bind(sqlite3_int64(E.Runs));
    Insert.bind(sqlite3_int64(E.WrongWords));
    Insert.bind(sqlite3_int64(E.Stopped));
    Insert.bind(E.Error);
    Done = Insert.step() == SQLITE_DONE;
    Insert.reset();
  }
  if (!Done) {
    Error E = failure("cannot write to the result store");
    consumeError(run("ROLLBACK"));
    return E;
  }
  return run("COMMIT");
}

Expected<std::vector<std::string>>
ResultStore::gpus(const EvaluationContext &Context) {
  Statement Select(Database,
                   "SELECT DISTINCT gpu FROM evaluations WHERE kernel = ? AND "
                   "code = ? AND compiler = ? AND arguments = ? ORDER BY gpu");
  if (!Select)
    return failure("cannot read the result store");
  for (const std::string *Text :
       {&Context.Kernel, &Context.Code, &Context.Compiler, &Context.Arguments})
    Select.bind(*Text);
  std::vector<std::string> Found;
  int Status = SQLITE_ROW;
  while ((Status = Select.step()) == SQLITE_ROW)
    Found.push_back(Select.text(0));
  if (Status != SQLITE_DONE)
    return failure("cannot read the result store");
  return Found;
}

/// From the columns in which both of those below ask for it.
static Evaluation readEvaluation(Statement &Select) {
  Evaluation E;
  E.Plan = Select.text(0);
  E.Launch = Select.number(1);
  E.Ms = Select.real(2);
  E.BaseMs = Select.real(3);
  E.Runs = Select.number(4);
  E.WrongWords = Select.number(5);
  E.Stopped = Select.number(6);
  E.Error = Select.text(7);
  return E;
}

Expected<std::vector<Evaluation>>
ResultStore::find(const EvaluationContext &Context) {
  Statement Select(Database,
                   "SELECT plan, launch, ms, base_ms, runs, wrong_words, "
                   "stopped, error FROM evaluations WHERE kernel = ? AND "
                   "code = ? AND gpu = ? AND compiler = ? AND arguments = ? "
                   "ORDER BY plan, launch");
  if (!Select)
    return failure("cannot read the result store");
  Select.bind(Context);
  std::vector<Evaluation> Found;
  int Status = SQLITE_ROW;
  while ((Status = Select.step()) == SQLITE_ROW)
    Found.push_back(readEvaluation(Select));
  if (Status != SQLITE_DONE)
    return failure("cannot read the result store");
  return Found;
}

Expected<std::vector<std::pair<EvaluationContext, Evaluation>>>
ResultStore::findKernel(const std::string &Kernel) {
  Statement Select(Database,
                   "SELECT plan, launch, ms, base_ms, runs, wrong_words, "
                   "stopped, error, kernel, code, gpu, compiler, arguments "
                   "FROM evaluations WHERE kernel = ? "
                   "ORDER BY at DESC, plan, launch");
  if (!Select)
    return failure("cannot read the result store");
  Select.bind(Kernel);
  std::vector<std::pair<EvaluationContext, Evaluation>> Found;
  int Status = SQLITE_ROW;
  while ((Status = Select.step()) == SQLITE_ROW)
    Found.push_back({{Select.text(8), Select.text(9), Select.text(10),
                      Select.text(11), Select.text(12)},
                     readEvaluation(Select)});
  if (Status != SQLITE_DONE)
    return failure("cannot read the result store");
  return Found;
}
