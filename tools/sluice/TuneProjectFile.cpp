// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each table of the file is read by a function that names its keys; a key that
// none of them asked for is an error, as are names that stand for two things.

#include "TuneProjectFile.h"
#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

// Errors come as values.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

using namespace llvm;
using namespace sluice;

namespace {

using Words = std::vector<std::string>;

class ProjectReader {
public:
  explicit ProjectReader(StringRef File) : File(File) {}

  Expected<TuneProjectFile> read(const toml::table &Top) {
    TuneProjectFile Result;
    expectKeys(Top, {"program", "workers"});
    for (const toml::table *Program : tables(Top, "program"))
      Result.Programs.push_back(readProgram(*Program));
    for (const toml::table *Workers : tables(Top, "workers"))
      Result.Workers.push_back(readWorkers(*Workers));
    if (Problem.empty() && Result.Programs.empty())
      complain(Top, "there is no [[program]] to tune");
    if (!Problem.empty())
      return createStringError(Problem);
    return Result;
  }

private:
  ProjectProgram readProgram(const toml::table &T) {
    expectKeys(T,
               {"name", "source", "options", "arguments", "command", "builds"});
    ProjectProgram P;
    P.Source = text(T, "source");
    if (!T.contains("source"))
      complain(T, "a [[program]] needs a source");
    else if (!StringRef(P.Source).ends_with(".cu"))
      complain(*T.get("source"), "source is a .cu file");
    P.Name =
        T.contains("name") ? text(T, "name") : sys::path::stem(P.Source).str();
    takeName(T, P.Name);
    P.Options = options(T, "options");
    if (T.contains("arguments") && T.contains("command"))
      complain(*T.get("arguments"),
               "command is the whole command line, with its arguments");
    if (T.contains("command"))
      P.Commands = words(T, "command");
    else
      P.Arguments = lists(T, "arguments");
    P.Builds = readBuilds(T);
    return P;
  }

  std::map<std::string, Words> readBuilds(const toml::table &T) {
    std::map<std::string, Words> Result;
    const toml::node *Builds = T.get("builds");
    if (!Builds)
      return {{"", {}}};
    const toml::table *Table = Builds->as_table();
    if (!Table || Table->empty()) {
      complain(*Builds, "builds is a table: NAME = [options]");
      return {};
    }
    for (const auto &[Key, Value] : *Table) {
      checkName(Value, std::string(Key.str()));
      Result[std::string(Key.str())] = options(*Table, Key.str());
    }
    return Result;
  }

  ProjectWorkers readWorkers(const toml::table &T) {
    expectKeys(T, {"name", "gpu", "count", "slurm", "ray"});
    ProjectWorkers W;
    W.Architecture = T.contains("gpu") ? text(T, "gpu") : "sm_90";
    if (!StringRef(W.Architecture).starts_with("sm_"))
      complain(*T.get("gpu"), "gpu is an architecture, such as \"sm_90\"");
    W.Name = T.contains("name") ? text(T, "name") : W.Architecture;
    takeName(T, "workers " + W.Name);
    if (const toml::node *Count = T.get("count")) {
      W.Count = Count->value<int64_t>().value_or(0);
      if (W.Count == 0 || W.Count > 100000)
        complain(*Count, "count is a number from 1");
    }
    W.Slurm = words(T, "slurm");
    W.Ray = text(T, "ray");
    return W;
  }

  void takeName(const toml::node &At, const std::string &Name) {
    checkName(At, Name);
    if (!Names.insert(Name).second)
      complain(At, "a second one with the name '" + Name +
                       "': give it a name = of its own");
  }

  /// Names become parts of file names.
  void checkName(const toml::node &At, const std::string &Name) {
    const bool IsSafe = !Name.empty() && all_of(Name, [](char C) {
      return isAlnum(C) || StringRef("_-+. ").contains(C);
    });
    if (!IsSafe)
      complain(At, "the name '" + Name +
                       "' has other signs than letters, digits, _, -, + and .");
  }

  void expectKeys(const toml::table &T, ArrayRef<StringRef> Keys) {
    for (const auto &[Key, Value] : T)
      if (!is_contained(Keys, StringRef(Key.str())))
        complain(Value, "there is no key '" + std::string(Key.str()) +
                            "' here (" + join(Keys, ", ") + ")");
  }

  std::vector<const toml::table *> tables(const toml::table &T,
                                          std::string_view Key) {
    std::vector<const toml::table *> Result;
    const toml::node *Node = T.get(Key);
    if (!Node)
      return Result;
    if (const toml::array *List = Node->as_array())
      for (const toml::node &N : *List)
        if (const toml::table *Entry = N.as_table())
          Result.push_back(Entry);
    if (Result.empty())
      complain(*Node, "write [[" + std::string(Key) + "]]");
    return Result;
  }

  std::string text(const toml::table &T, std::string_view Key) {
    const toml::node *Node = T.get(Key);
    if (!Node)
      return "";
    auto Value = Node->value<std::string>();
    if (!Node->is_string() || Value->empty()) {
      complain(*Node, std::string(Key) + " is a text in quotes");
      return "";
    }
    return *Value;
  }

  /// A text is a list of one.
  Words words(const toml::table &T, std::string_view Key) {
    const toml::node *Node = T.get(Key);
    if (!Node)
      return {};
    if (Node->is_string())
      return {text(T, Key)};
    return words(*Node, Key);
  }
  Words words(const toml::node &Node, std::string_view Key) {
    Words Result;
    const toml::array *List = Node.as_array();
    if (!List)
      complain(Node, std::string(Key) + " is a list of texts");
    else
      for (const toml::node &N : *List) {
        if (!N.is_string())
          complain(N, std::string(Key) + " is a list of texts");
        Result.push_back(N.value_or(std::string()));
      }
    return Result;
  }

  /// A list of lists; a list of texts is one of them.
  std::vector<Words> lists(const toml::table &T, std::string_view Key) {
    const toml::node *Node = T.get(Key);
    const toml::array *List = Node ? Node->as_array() : nullptr;
    if (!Node || (List && List->empty()))
      return {{}};
    if (!List || !List->front().is_array())
      return {words(T, Key)};
    std::vector<Words> Result;
    for (const toml::node &N : *List)
      Result.push_back(words(N, Key));
    return Result;
  }

  Words options(const toml::table &T, std::string_view Key) {
    Words Result = words(T, Key);
    for (const std::string &Word : Result)
      if (namesGPU(Word))
        complain(*T.get(Key), "'" + Word +
                                  "': the workers say for which GPU, by "
                                  "gpu = in [[workers]] or by what they are");
    return Result;
  }

  /// The first complaint counts.
  void complain(const toml::node &At, const Twine &What) {
    if (!Problem.empty())
      return;
    const toml::source_position Where = At.source().begin;
    Problem = (File + ":" + Twine(Where.line) + ":" + Twine(Where.column) +
               ": " + What)
                  .str();
  }

  StringRef File;
  std::string Problem;
  StringSet<> Names;
};

} // namespace

Expected<TuneProjectFile> sluice::readTuneProject(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read the project '" + Path +
                                 "': " + Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  toml::parse_result Parsed =
      toml::parse(std::string_view(Text.data(), Text.size()));
  if (!Parsed) {
    const toml::parse_error &E = Parsed.error();
    const toml::source_position Where = E.source().begin;
    return createStringError(
        Path + ":" + Twine(Where.line) + ":" + Twine(Where.column) + ": " +
        StringRef(E.description().data(), E.description().size()));
  }
  return ProjectReader(Path).read(Parsed.table());
}

//===- Cases --------------------------------------------------------------===//

static ProjectCase caseOf(const ProjectProgram &Program,
                          const std::string &Build,
                          const ProjectWorkers &Workers, size_t Input,
                          bool HasOneKind) {
  ProjectCase C;
  C.Source = Program.Source;
  C.ForClang = Program.Options;
  append_range(C.ForClang, Program.Builds.at(Build));
  C.ForClang.push_back("--cuda-gpu-arch=" + Workers.Architecture);
  C.ForClang.push_back(Program.Source);
  C.Build = Program.Name;
  if (!Build.empty())
    C.Build += "." + Build;
  if (Program.Commands.empty())
    C.ForProgram = Program.Arguments[Input];
  else
    C.Command = Program.Commands[Input];
  C.Name = C.Build;
  if (std::max(Program.Commands.size(), Program.Arguments.size()) > 1)
    C.Name += "." + std::to_string(Input);
  if (!HasOneKind)
    C.Name += "." + Workers.Name;
  llvm::replace(C.Name, '/', '-'); // a chip's name may have one
  C.Workers = Workers;
  return C;
}

std::vector<ProjectCase> sluice::casesOf(ArrayRef<ProjectProgram> Programs,
                                         ArrayRef<ProjectWorkers> Workers) {
  std::vector<ProjectCase> Cases;
  for (const ProjectProgram &Program : Programs)
    for (const auto &Build : Program.Builds)
      for (const ProjectWorkers &Kind : Workers)
        for (size_t I = 0;
             I < std::max(Program.Commands.size(), Program.Arguments.size());
             ++I)
          Cases.push_back(
              caseOf(Program, Build.first, Kind, I, Workers.size() == 1));
  return Cases;
}
