// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang++ for tests (lit.cfg.py). Of the second that clang takes for a short
// CUDA source, it reads the toolkit's headers for 0.8 s. They are the same for
// all sources with the same options, so here they are read once and kept as a
// precompiled header, which is what clang has read when it comes to the first
// line of a source: that of an empty one, or of one that begins with the same
// #include of a header beside it. What is compiled is the same.
//
// A command that has no CUDA source, or more that it might be about than its
// options say, is passed on as it is.

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using Words = std::vector<std::string>;

namespace {

/// What a command is about.
struct Command {
  Words Options; ///< Those that the headers may depend on, but for macros.
  Words Macros;  ///< Names of those that it defines.
  bool HasSmall = false; ///< Something that isSmall.
  std::string Source;
  std::string First; ///< The header that it includes first, if beside it.
  std::string Pass;  ///< The only one, "host" or "device"; empty: both.
  bool IsPlain = true;
};

} // namespace

static bool startsWith(const std::string &Text, const std::string &Start) {
  return Text.compare(0, Start.size(), Start) == 0;
}

static bool endsWith(const std::string &Text, const std::string &End) {
  return Text.size() >= End.size() &&
         Text.compare(Text.size() - End.size(), End.size(), End) == 0;
}

static bool isOneOf(const std::string &Text, const Words &All) {
  return std::find(All.begin(), All.end(), Text) != All.end();
}

static bool startsWithOneOf(const std::string &Text, const Words &All) {
  return std::any_of(All.begin(), All.end(), [&](const std::string &Start) {
    return startsWith(Text, Start);
  });
}

/// Asks for something else than code, or for what a precompiled header changes.
static bool isOdd(const std::string &Word) {
  static const Words Odd = {"-E",     "-P",           "-M",
                            "-MM",    "-MD",          "-MMD",
                            "-H",     "-###",         "-v",
                            "-cc1",   "--version",    "--help",
                            "-",      "-nocudainc",   "-nobuiltininc",
                            "-dM",    "-include-pch", "-emit-pch",
                            "--emit", "-verify",      "-ftime-report"};
  return isOneOf(Word, Odd) ||
         startsWithOneOf(Word, {"@", "-print-", "--print-", "--analyze",
                                "-save-temps", "--save-temps", "-ftime-trace"});
}

/// Has nothing to do with what the headers are parsed to.
static bool isForLater(const std::string &Word) {
  return isOneOf(Word,
                 {"-c", "-S", "-emit-llvm", "-fsyntax-only", "--cuda-host-only",
                  "--cuda-device-only", "-Qunused-arguments"}) ||
         startsWithOneOf(Word, {"-cuid=", "-fplugin", "-fpass-plugin", "-Rpass",
                                "--cuda-include-ptx=", "--no-cuda-include-ptx=",
                                "-fsave-optimization-record",
                                "-foptimization-record", "-l", "-L", "-Wl,"});
}

/// The same, but clang takes it for a difference where it has the choice.
static bool isSmall(const std::string &Word) {
  return isOneOf(Word, {"-w", "-Wno-error", "-g", "-gline-tables-only",
                        "-fno-discard-value-names"});
}

static Command read(const Words &All) {
  static const Words WithValue = {
      "-x",       "-I",        "-isystem",    "-iquote", "-idirafter",
      "-include", "-imacros",  "-D",          "-U",      "-Xclang",
      "-mllvm",   "-target",   "-Xarch_host", "-T",      "-Xarch_device",
      "--param",  "-isysroot", "-Xassembler", "-u",      "-z",
      "-MF",      "-MT",       "-MQ",         "-ccbin",  "-Xpreprocessor"};
  static const Words LaterWithValue = {"-o", "-Xcuda-ptxas", "-Xcuda-fatbinary",
                                       "-Xlinker"};
  Command Result;
  bool AsCuda = false;
  unsigned Sources = 0;
  for (size_t I = 1; I < All.size(); ++I) {
    const std::string &Word = All[I];
    const std::string Value = I + 1 < All.size() ? All[I + 1] : "";
    Result.IsPlain &= !isOdd(Word);
    if (Word == "--cuda-host-only" || Word == "--cuda-device-only")
      Result.Pass = Word == "--cuda-host-only" ? "host" : "device";
    if (isOneOf(Word, LaterWithValue)) {
      ++I;
    } else if (Word == "-Xclang" && Value == "-fcuda-include-gpubinary") {
      I += 3;
    } else if (startsWith(Word, "-Xarch_") && startsWith(Value, "-mllvm=")) {
      ++I;
    } else if (isOneOf(Word, WithValue)) {
      if (Word == "-x")
        AsCuda = Value == "cuda";
      Result.IsPlain &= !isOdd(Value) && (Word != "-x" || AsCuda);
      if (Word[1] == 'i' || Word == "-I") // what it names depends on the place
        Result.IsPlain &= startsWith(Value, "/");
      if (Word == "-D")
        Result.Macros.push_back(Value.substr(0, Value.find('=')));
      else if (Word != "-x")
        Result.Options.insert(Result.Options.end(), {Word, Value});
      ++I;
    } else if (!startsWith(Word, "-")) {
      const bool IsObject =
          endsWith(Word, ".o") || endsWith(Word, ".a") || endsWith(Word, ".so");
      const bool IsSource = AsCuda || endsWith(Word, ".cu");
      Result.IsPlain &= IsSource || IsObject;
      Sources += IsSource;
      if (IsSource)
        Result.Source = Word;
    } else if (startsWith(Word, "-D")) {
      Result.Macros.push_back(Word.substr(2, Word.find('=') - 2));
    } else if (isSmall(Word)) {
      Result.HasSmall = true;
    } else if (!isForLater(Word)) {
      Result.IsPlain &= !startsWith(Word, "-I") || startsWith(Word, "-I/");
      Result.Options.push_back(Word);
    }
  }
  Result.IsPlain &= Sources == 1;
  return Result;
}

[[noreturn]] static void become(const Words &Command) {
  std::vector<char *> Arguments;
  for (const std::string &Word : Command)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  execv(Arguments[0], Arguments.data());
  std::cerr << "cannot run " << Command[0] << "\n";
  _exit(127);
}

/// Says nothing.
static bool runs(const Words &Command) {
  const pid_t Child = fork();
  if (Child == 0) {
    const int Nothing = open("/dev/null", O_WRONLY);
    dup2(Nothing, STDOUT_FILENO);
    dup2(Nothing, STDERR_FILENO);
    become(Command);
  }
  int Status = 1;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return Child > 0 && Status == 0;
}

static double seconds(const struct timespec &Time) {
  return double(Time.tv_sec) + double(Time.tv_nsec) * 1e-9;
}

/// The headers that were read for what lies in \p Folder.
static Words headersOf(const std::string &Folder) {
  Words Result;
  for (const char *Pass : {"/host.d", "/device.d"}) {
    std::ifstream Dependencies(Folder + Pass);
    std::string Word;
    for (Dependencies >> Word; Dependencies >> Word;)
      if (Word != "\\" && !startsWith(Word, Folder))
        Result.push_back(Word);
  }
  return Result;
}

/// Is what was made in \p Folder of what is there now?
static bool isUpToDate(const std::string &Folder) {
  struct stat About;
  if (stat((Folder + "/made").c_str(), &About) != 0)
    return false;
  const double Made = seconds(About.st_mtim);
  // Another file in the place of one counts as a change, however old it is.
  const auto IsOlder = [&](const std::string &File) {
    return stat(File.c_str(), &About) == 0 && seconds(About.st_ctim) < Made;
  };
  const Words Headers = headersOf(Folder);
  return IsOlder(SLUICE_CLANG) &&
         std::all_of(Headers.begin(), Headers.end(), IsOlder);
}

static std::string contentOf(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), std::istreambuf_iterator<char>()};
}

/// All names in the headers, each in a line.
static void writeNames(const std::string &Folder) {
  std::set<std::string> Names;
  for (const std::string &Header : headersOf(Folder)) {
    std::string Name;
    for (char C : contentOf(Header) + ' ')
      if (std::isalnum(static_cast<unsigned char>(C)) || C == '_')
        Name += C;
      else if (!Name.empty())
        Names.insert(std::exchange(Name, ""));
  }
  std::ofstream Out(Folder + "/names");
  Out << '\n';
  for (const std::string &Name : Names)
    Out << Name << '\n';
}

/// Makes the precompiled headers of \p C in \p Folder: in a folder of their
/// own, of which clang takes the one that fits.
static bool make(const std::string &Folder, const Command &C) {
  const std::string Source = Folder + "/empty.cu";
  std::ofstream(Source) << (C.First.empty() ? ""
                                            : "#include \"" + C.First + "\"\n");
  for (const std::string Pass : {"host", "device"}) {
    Words Making = {SLUICE_CLANG, "-Wno-unused-command-line-argument"};
    Making.insert(Making.end(), C.Options.begin(), C.Options.end());
    Making.insert(Making.end(), {"--cuda-" + Pass + "-only", "-S", "-o"});
    Words Using = Making;
    const std::string Output = Folder + "/" + Pass + ".pch";
    Making.insert(Making.end(), {Output, "-Xclang", "-emit-pch", "-MD", "-MF",
                                 Folder + "/" + Pass + ".d", Source});
    // A header that must not come twice is no good.
    Using.insert(Using.end(), {"/dev/null", "-Xclang", "-include-pch",
                               "-Xclang", Output, Source});
    if (!runs(Making) || !runs(Using))
      return false;
    rename(Output.c_str(), (Folder + "/headers/" + Pass + ".pch").c_str());
  }
  writeNames(Folder);
  return true;
}

static bool exists(const std::string &File) {
  return access(File.c_str(), F_OK) == 0;
}

/// Is this one of the first uses of \p Folder? Most commands of one kind come
/// once or twice, and a program for the emulator takes two.
static bool isEarly(const std::string &Folder) {
  const int Uses = open((Folder + "/uses").c_str(),
                        O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  struct stat About;
  const bool IsCounted = write(Uses, ".", 1) == 1 && fstat(Uses, &About) == 0;
  close(Uses);
  return !IsCounted || About.st_size <= 3;
}

/// What is to be included by commands like \p C; empty: nothing.
static std::string headersFor(const Command &C) {
  std::string Key;
  for (const std::string &Word : C.Options)
    Key += Word + '\n';
  if (!C.First.empty())
    Key += "first " + C.First + '\n';
  if (const char *Override = getenv("CCC_OVERRIDE_OPTIONS"))
    Key += Override;
  std::ostringstream Name;
  Name << SLUICE_HEADERS "/" << std::hex << std::hash<std::string>()(Key);
  const std::string Folder = Name.str();
  if (!exists(Folder)) {
    mkdir(SLUICE_HEADERS, 0755);
    mkdir(Folder.c_str(), 0755);
    mkdir((Folder + "/headers").c_str(), 0755);
    std::ofstream(Folder + "/key") << Key;
  }
  if (!isUpToDate(Folder)) {
    if (isEarly(Folder))
      return "";
    const int Lock =
        open((Folder + "/lock").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (flock(Lock, LOCK_EX | LOCK_NB) != 0)
      return ""; // another makes them
    if (!isUpToDate(Folder)) {
      for (const char *Old : {"/made", "/bad"})
        remove((Folder + Old).c_str());
      std::ofstream{Folder + "/making"}; // as old as what is read from now on
      if (!make(Folder, C))
        std::ofstream{Folder + "/bad"};
      rename((Folder + "/making").c_str(), (Folder + "/made").c_str());
    }
    close(Lock);
  }
  if (exists(Folder + "/bad"))
    return "";
  const std::string Headers = Folder + "/headers";
  // Of several, clang takes the one that has its options to the letter.
  if (C.Pass.empty())
    return C.Macros.empty() && !C.HasSmall ? Headers : "";
  // A macro that no header names changes none.
  const std::string Names =
      C.Macros.empty() ? "" : contentOf(Folder + "/names");
  for (const std::string &Macro : C.Macros)
    if (Names.find('\n' + Macro + '\n') != std::string::npos)
      return "";
  return Headers + "/" + C.Pass + ".pch";
}

/// The header beside \p Source that it includes before anything else, as clang
/// names it; empty: there is none.
static std::string firstOf(const std::string &Source) {
  std::ifstream In(Source);
  std::string Line;
  while (std::getline(In, Line) && (Line.empty() || startsWith(Line, "//")))
    ;
  const std::string Start = "#include \"";
  if (!startsWith(Source, "/") || !startsWith(Line, Start) ||
      !endsWith(Line, "\""))
    return "";
  const std::string Header =
      Source.substr(0, Source.rfind('/') + 1) +
      Line.substr(Start.size(), Line.size() - Start.size() - 1);
  return exists(Header) ? Header : "";
}

int main(int Count, char **Arguments) {
  Words All(Arguments, Arguments + Count);
  All[0] = SLUICE_CLANG;
  if (Command C = read(All); C.IsPlain) {
    C.First = firstOf(C.Source);
    std::string Headers = headersFor(C);
    if (Headers.empty() && !C.First.empty()) {
      C.First.clear();
      Headers = headersFor(C);
    }
    if (!Headers.empty())
      All.insert(All.begin() + 1,
                 {"-Xclang", "-include-pch", "-Xclang", Headers});
  }
  become(All);
}
