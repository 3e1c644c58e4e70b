// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerPool.h"
#include "Arguments.h"
#include "EmbeddedFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

static json::Array asList(ArrayRef<std::string> Words) {
  json::Array List;
  for (const std::string &Word : Words)
    List.push_back(Word);
  return List;
}

/// \p Input and \p Output: the ends of pipes that are the child's.
static Error spawn(const std::string &Python, const std::string &Script,
                   int Input, int Output, pid_t &Child) {
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Output, STDOUT_FILENO);
  // A group of its own: Ctrl-C is for us alone.
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
  std::string Words[] = {Python, Script};
  char *Argv[] = {Words[0].data(), Words[1].data(), nullptr};
  int Problem =
      posix_spawn(&Child, Python.c_str(), &Actions, &Attributes, Argv, environ);
  posix_spawnattr_destroy(&Attributes);
  posix_spawn_file_actions_destroy(&Actions);
  if (Problem)
    return createStringError("cannot run '" + Python +
                             "': " + std::strerror(Problem));
  return Error::success();
}

Expected<std::map<std::string, unsigned>>
WorkerPool::start(const std::string &Script, StringRef Engine,
                  ArrayRef<ProjectWorkers> Kinds) {
  auto Python = sys::findProgramByName("python3");
  if (!Python)
    return createStringError("python3 is needed for --project, and is not on "
                             "PATH");
  if (Error E = writeOutput(Script, embeddedFile("pool.py")))
    return std::move(E);
  // Ends that the child does not inherit: its input ends when ours does.
  int In[2], Out[2];
  if (pipe2(In, O_CLOEXEC) || pipe2(Out, O_CLOEXEC))
    return createStringError("cannot make a pipe: " +
                             Twine(std::strerror(errno)));
  std::signal(SIGPIPE, SIG_IGN); // its end is seen at its output
  Error Problem = spawn(*Python, Script, In[0], Out[1], Child);
  close(In[0]);
  close(Out[1]);
  Input = fdopen(In[1], "w");
  Output = fdopen(Out[0], "r");
  if (Problem)
    return std::move(Problem);
  json::Array List;
  for (const ProjectWorkers &W : Kinds)
    List.push_back(json::Object{{"name", W.Name},
                                {"count", W.Count},
                                {"devices", asList(W.Devices)},
                                {"slurm", asList(W.Slurm)},
                                {"ray", W.Ray}});
  send(json::Object{{"engine", Engine}, {"kinds", std::move(List)}});
  std::optional<json::Object> First = next();
  const json::Object *Counts = First ? First->getObject("kinds") : nullptr;
  if (!Counts)
    return createStringError("no workers by " + Engine + ": " +
                             (First
                                  ? First->getString("why").value_or("").str()
                                  : std::string("the pool ended; see above")));
  std::map<std::string, unsigned> Result;
  for (const auto &[Name, Count] : *Counts)
    Result[Name.str()] = Count.getAsInteger().value_or(0);
  return Result;
}

void WorkerPool::send(json::Value Line) {
  std::string Text = formatv("{0}\n", Line);
  std::lock_guard<std::mutex> Guard(InputLock);
  if (!Input)
    return;
  std::fwrite(Text.data(), 1, Text.size(), Input);
  std::fflush(Input);
}

void WorkerPool::add(const PoolPiece &Piece) {
  send(json::Object{{"piece", Piece.Name},
                    {"folder", Piece.Folder},
                    {"kind", Piece.Kind},
                    {"limit", Piece.Limit},
                    {"first", Piece.First},
                    {"best", Piece.Best}});
}

std::optional<json::Object> WorkerPool::next() {
  char *Line = nullptr;
  size_t Room = 0;
  ssize_t Length = Output ? getline(&Line, &Room, Output) : -1;
  std::string Text(Line ? Line : "", Length > 0 ? Length : 0);
  std::free(Line);
  if (Length <= 0)
    return std::nullopt;
  Expected<json::Value> Value = json::parse(Text);
  if (Value && Value->getAsObject())
    return std::move(*Value->getAsObject());
  if (!Value)
    consumeError(Value.takeError());
  return json::Object{}; // not the pool's: a library that prints
}

void WorkerPool::closeInput() {
  std::lock_guard<std::mutex> Guard(InputLock);
  if (Input)
    std::fclose(Input);
  Input = nullptr;
}

void WorkerPool::end() {
  closeInput();
  if (Output)
    std::fclose(Output);
  Output = nullptr;
  // It ends what runs, in some seconds.
  constexpr std::chrono::milliseconds Patience(20000), Pause(20);
  for (auto Waited = Pause * 0; Child; Waited += Pause) {
    if (waitpid(Child, nullptr, WNOHANG) != 0) {
      Child = 0;
    } else if (Waited < Patience) {
      std::this_thread::sleep_for(Pause);
    } else {
      kill(Child, SIGKILL);
      waitpid(Child, nullptr, 0);
      Child = 0;
    }
  }
}
