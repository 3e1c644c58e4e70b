// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is written to a store is there, whoever else writes or dies.

#include "sluice/Tuning/ResultStore.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

namespace {

class ResultStoreTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("sluice-store", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(const Twine &Name) const {
    return (Folder + "/" + Name).str();
  }
  std::unique_ptr<ResultStore> open(const Twine &Name = "store.db") {
    return cantFail(ResultStore::open(path(Name)));
  }
  std::string errorOfOpening(const Twine &Name) {
    auto Store = ResultStore::open(path(Name));
    return Store ? "" : toString(Store.takeError());
  }

  SmallString<128> Folder;
};

EvaluationContext context(const std::string &Kernel = "k") {
  return {Kernel, "c0de", "GPU", "clang 22", "1000"};
}

Evaluation evaluation(const std::string &Plan, unsigned Launch = 0,
                      double Ms = 1) {
  Evaluation E;
  E.Plan = Plan;
  E.Launch = Launch;
  E.Ms = Ms;
  E.BaseMs = 2 * Ms;
  E.Runs = 7;
  return E;
}

bool operator==(const Evaluation &A, const Evaluation &B) {
  auto Tie = [](const Evaluation &E) {
    return std::tie(E.Plan, E.Launch, E.Ms, E.BaseMs, E.Runs, E.WrongWords,
                    E.Stopped, E.Error);
  };
  return Tie(A) == Tie(B);
}

TEST_F(ResultStoreTest, FindsAKernelInAllContexts) {
  auto Store = open();
  EvaluationContext Other = context();
  Other.GPU = "another GPU";
  ASSERT_FALSE(Store->add(context(), {evaluation("a"), evaluation("b")}));
  ASSERT_FALSE(Store->add(Other, {evaluation("a")}));
  ASSERT_FALSE(Store->add(context("other"), {evaluation("a")}));
  auto Found = cantFail(Store->findKernel("k"));
  ASSERT_EQ(Found.size(), 3u);
  unsigned OfOther = 0;
  for (const auto &[Context, Evaluated] : Found) {
    EXPECT_EQ(Context.Kernel, "k");
    EXPECT_EQ(Context.Arguments, "1000");
    EXPECT_EQ(Evaluated.BaseMs, 2);
    OfOther += Context.GPU == "another GPU";
  }
  EXPECT_EQ(OfOther, 1u);
  EXPECT_TRUE(cantFail(Store->findKernel("none")).empty());
}

TEST_F(ResultStoreTest, RoundTrip) {
  const std::string Odd("it's \"odd\"; DROP TABLE evaluations;--\n\t%s ü \xff "
                        "a\0b",
                        47);
  EvaluationContext C = {Odd + "1", Odd + "2", Odd + "3", Odd + "4", Odd + "5"};
  Evaluation A = evaluation(Odd, 3, 0.1 + 0.2);
  A.WrongWords = INT64_MAX;
  A.Stopped = true;
  A.Error = Odd;
  Evaluation B = evaluation("", 4000000000u, 1e-300);
  cantFail(open()->add(C, {A, B}));

  // Another process's view: opened anew.
  std::vector<Evaluation> Found = cantFail(open()->find(C));
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_TRUE(Found[0] == B) << "by plan, the empty text first";
  EXPECT_TRUE(Found[1] == A);
  EXPECT_EQ(cantFail(open()->gpus(C)), std::vector<std::string>{C.GPU});
}

TEST_F(ResultStoreTest, EveryPartOfTheContextCounts) {
  auto Store = open();
  cantFail(Store->add(context(), {evaluation("p")}));
  for (std::string EvaluationContext::*Part :
       {&EvaluationContext::Kernel, &EvaluationContext::Code,
        &EvaluationContext::GPU, &EvaluationContext::Compiler,
        &EvaluationContext::Arguments}) {
    EvaluationContext Other = context();
    Other.*Part += "x";
    EXPECT_TRUE(cantFail(Store->find(Other)).empty());
    bool IsGPU = Part == &EvaluationContext::GPU;
    EXPECT_EQ(cantFail(Store->gpus(Other)).size(), IsGPU ? 1u : 0u);
  }
}

TEST_F(ResultStoreTest, GPUsByName) {
  auto Store = open();
  for (const char *GPU : {"H200", "A100", "H200"}) {
    EvaluationContext C = context();
    C.GPU = GPU;
    cantFail(Store->add(C, {evaluation("p"), evaluation("q")}));
  }
  EXPECT_EQ(cantFail(Store->gpus(context())),
            (std::vector<std::string>{"A100", "H200"}));
}

TEST_F(ResultStoreTest, NewTakesThePlaceOfOld) {
  auto Store = open();
  cantFail(Store->add(context(), {evaluation("p", 0, 1), evaluation("p", 1)}));
  cantFail(Store->add(context(), {evaluation("p", 0, 5)}));
  std::vector<Evaluation> Found = cantFail(Store->find(context()));
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].Ms, 5);
  EXPECT_EQ(Found[1].Launch, 1u);
}

TEST_F(ResultStoreTest, NothingToAdd) {
  cantFail(open()->add(context(), {}));
  EXPECT_TRUE(cantFail(open()->find(context())).empty());
}

TEST_F(ResultStoreTest, InMemory) {
  auto Store = cantFail(ResultStore::open(":memory:"));
  cantFail(Store->add(context(), {evaluation("p")}));
  EXPECT_EQ(cantFail(Store->find(context())).size(), 1u);
}

//===--- Several at a time ---===//

void writeMany(const std::string &Path, const std::string &Kernel, int Count) {
  auto Store = cantFail(ResultStore::open(Path));
  for (int I = 0; I < Count; ++I)
    cantFail(Store->add(context(Kernel), {evaluation(std::to_string(I), 0),
                                          evaluation(std::to_string(I), 1)}));
}

TEST_F(ResultStoreTest, TwoThreadsLoseNothing) {
  // They also race to make the file.
  std::thread A([&] { writeMany(path("store.db"), "a", 100); });
  std::thread B([&] { writeMany(path("store.db"), "b", 100); });
  A.join();
  B.join();
  for (const char *Kernel : {"a", "b"})
    EXPECT_EQ(cantFail(open()->find(context(Kernel))).size(), 200u);
}

TEST_F(ResultStoreTest, TwoStoresTakeTurns) {
  auto A = open(), B = open();
  for (int I = 0; I < 20; ++I) {
    std::string Plan = std::to_string(I);
    cantFail((I % 2 ? A : B)->add(context(), {evaluation(Plan)}));
    EXPECT_EQ(cantFail((I % 2 ? B : A)->find(context())).size(), I + 1u);
  }
}

/// Runs \p Do in a process of its own, and gives its exit status.
template <typename Function> int inAChild(Function Do) {
  pid_t Child = fork();
  if (Child == 0) {
    Do();
    _exit(0);
  }
  int Status = -1;
  waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
}

TEST_F(ResultStoreTest, FourProcessesLoseNothing) {
  EXPECT_EQ(inAChild([&] {
              pid_t Children[4];
              for (int C = 0; C < 4; ++C)
                if ((Children[C] = fork()) == 0) {
                  writeMany(path("store.db"), "k" + std::to_string(C), 25);
                  _exit(0);
                }
              for (pid_t Child : Children) {
                int Status = 0;
                waitpid(Child, &Status, 0);
                if (Status)
                  _exit(1);
              }
            }),
            0);
  for (int C = 0; C < 4; ++C)
    EXPECT_EQ(cantFail(open()->find(context("k" + std::to_string(C)))).size(),
              50u);
}

//===--- A process that dies ---===//

int RowsLeft;

/// Makes every database that is opened from now on end the process at the
/// RowsLeft-th row that is written to it.
void dieWhileWriting() {
  auto *Hook = +[](sqlite3 *Database, char **, const void *) {
    sqlite3_update_hook(
        Database,
        [](void *, int, const char *, const char *, sqlite3_int64) {
          if (--RowsLeft == 0)
            _exit(7);
        },
        nullptr);
    return int(SQLITE_OK);
  };
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(Hook));
}

TEST_F(ResultStoreTest, WhoDiesLeavesWholeTransactions) {
  std::vector<Evaluation> Batch;
  for (unsigned Launch = 0; Launch < 10; ++Launch)
    Batch.push_back(evaluation("p", Launch));
  EXPECT_EQ(inAChild([&] {
              RowsLeft = 25;
              dieWhileWriting();
              auto Store = open();
              for (const char *Kernel : {"first", "second", "third", "fourth"})
                cantFail(Store->add(context(Kernel), Batch));
            }),
            7);
  std::map<std::string, size_t> Rows;
  for (const char *Kernel : {"first", "second", "third", "fourth"})
    Rows[Kernel] = cantFail(open()->find(context(Kernel))).size();
  EXPECT_EQ(Rows,
            (std::map<std::string, size_t>{
                {"first", 10}, {"second", 10}, {"third", 0}, {"fourth", 0}}));
  // And the next one may write.
  cantFail(open()->add(context("third"), Batch));
  EXPECT_EQ(cantFail(open()->find(context("third"))).size(), 10u);
}

//===--- Files that are no store ---===//

TEST_F(ResultStoreTest, AnotherLayoutIsRefused) {
  open();
  sqlite3 *Database = nullptr;
  ASSERT_EQ(sqlite3_open(path("store.db").c_str(), &Database), SQLITE_OK);
  sqlite3_exec(Database, "PRAGMA user_version = 9", nullptr, nullptr, nullptr);
  sqlite3_close(Database);
  EXPECT_EQ(errorOfOpening("store.db"),
            "the result store '" + path("store.db") +
                "' was made by another Sluice (layout 9, this one has 1): name "
                "another with --store=");
}

TEST_F(ResultStoreTest, FileThatIsNoDatabase) {
  {
    std::error_code EC;
    raw_fd_ostream(path("notes.txt"), EC) << std::string(4096, 'x');
  }
  EXPECT_EQ(errorOfOpening("notes.txt"), "the result store '" +
                                             path("notes.txt") +
                                             "': file is not a database");
}

TEST_F(ResultStoreTest, PlaceThatCannotBeWritten) {
  for (const char *Name : {"no/such/folder/store.db", "."})
    EXPECT_EQ(errorOfOpening(Name), "cannot open the result store '" +
                                        path(Name) +
                                        "': unable to open database file");
}

TEST_F(ResultStoreTest, TableThatWentAway) {
  auto Store = open();
  sqlite3 *Database = nullptr;
  ASSERT_EQ(sqlite3_open(path("store.db").c_str(), &Database), SQLITE_OK);
  sqlite3_exec(Database, "DROP TABLE evaluations", nullptr, nullptr, nullptr);
  sqlite3_close(Database);
  const std::string Of =
      " '" + path("store.db") + "': no such table: evaluations";
  EXPECT_EQ(toString(Store->add(context(), {evaluation("p")})),
            "cannot write to the result store" + Of);
  EXPECT_EQ(toString(Store->find(context()).takeError()),
            "cannot read the result store" + Of);
  EXPECT_EQ(toString(Store->gpus(context()).takeError()),
            "cannot read the result store" + Of);
}

} // namespace
