// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is cut where it should not be does not compile, or runs into
// another error, and is not taken: nothing here has to know what is allowed.

#include "Reduce.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;

namespace {

class Reducer {
public:
  Reducer(Kernel K, unsigned Steps, function_ref<bool(const Kernel &)> Holds)
      : Best(std::move(K)), Steps(Steps), Holds(Holds) {}

  Kernel run();

private:
  /// Takes \p Smaller if it is still one.
  bool take(Kernel Smaller);
  bool dropStatements();
  bool unwrap();
  bool simplifyExpressions();
  bool dropParts();
  bool shrinkShape();

  Kernel Best;
  unsigned Steps;
  function_ref<bool(const Kernel &)> Holds;
};

} // namespace

using Body = std::vector<Statement>;

static void collect(Body &B, std::vector<Body *> &Bodies) {
  Bodies.push_back(&B);
  for (Statement &S : B) {
    collect(S.Body, Bodies);
    collect(S.Else, Bodies);
  }
}

/// All lists of statements, the outer ones first; in the same order in a copy.
static std::vector<Body *> bodiesOf(Kernel &K) {
  std::vector<Body *> Bodies;
  collect(K.Body, Bodies);
  for (HelperFunction &F : K.Helpers)
    collect(F.Body, Bodies);
  return Bodies;
}

bool Reducer::take(Kernel Smaller) {
  if (Steps == 0)
    return false;
  --Steps;
  if (!Holds(Smaller))
    return false;
  Best = std::move(Smaller);
  return true;
}

/// Halves of a list, quarters, ... single ones; from the end, where what is
/// declared earlier is used.
bool Reducer::dropStatements() {
  bool Any = false;
  for (size_t Which = 0; Which < bodiesOf(Best).size(); ++Which) {
    size_t Size = bodiesOf(Best)[Which]->size();
    for (size_t Chunk = Size; Chunk > 0; Chunk /= 2)
      for (size_t End = Size; End > 0; End = End > Chunk ? End - Chunk : 0) {
        // What was taken before may have shortened it.
        if (Which >= bodiesOf(Best).size() || Steps == 0)
          return Any;
        Size = bodiesOf(Best)[Which]->size();
        End = std::min(End, Size);
        if (End == 0)
          break;
        Kernel Smaller = Best;
        Body &B = *bodiesOf(Smaller)[Which];
        size_t Begin = End > Chunk ? End - Chunk : 0;
        B.erase(B.begin() + long(Begin), B.begin() + long(End));
        Any |= take(std::move(Smaller));
      }
  }
  return Any;
}

/// A statement's body in its place, then an if without its else.
bool Reducer::unwrap() {
  bool Any = false;
  for (size_t Which = 0; Which < bodiesOf(Best).size(); ++Which)
    for (size_t I = 0;
         Which < bodiesOf(Best).size() && I < bodiesOf(Best)[Which]->size();
         ++I) {
      const Statement S = (*bodiesOf(Best)[Which])[I];
      if (!S.HasBody)
        continue;
      Kernel Smaller = Best;
      Body &B = *bodiesOf(Smaller)[Which];
      B.erase(B.begin() + long(I));
      B.insert(B.begin() + long(I), S.Body.begin(), S.Body.end());
      if (take(std::move(Smaller))) {
        Any = true;
        --I; // what is here now
        continue;
      }
      if (S.Else.empty())
        continue;
      Smaller = Best;
      (*bodiesOf(Smaller)[Which])[I].Else.clear();
      Any |= take(std::move(Smaller));
    }
  return Any;
}

namespace {

/// An expression between marks.
struct Marked {
  size_t Begin, End; ///< With the marks.
  char Type;
};

} // namespace

/// The outer ones first.
static std::vector<Marked> markedIn(StringRef Text) {
  std::vector<Marked> Result;
  std::vector<size_t> Open;
  for (size_t I = 0; I < Text.size(); ++I)
    if (Text[I] == OpenMark) {
      Open.push_back(Result.size());
      Result.push_back({I, 0, Text[I + 1]});
    } else if (Text[I] == CloseMark) {
      Result[Open.back()].End = I + 1;
      Open.pop_back();
    }
  return Result;
}

static StringRef zeroOf(char Type) {
  switch (Type) {
  case 'u':
    return "0u";
  case 'f':
    return "1.0f";
  case 'd':
    return "1.0";
  case 'n':
    return "2";
  default:
    return "0";
  }
}

/// A simpler expression for one of \p Text; the \p Number th that there is.
static bool simplify(std::string &Text, size_t Number) {
  std::vector<Marked> All = markedIn(Text);
  for (const Marked &M : All) {
    std::string Here = Text.substr(M.Begin, M.End - M.Begin);
    std::string Zero = mark(M.Type, zeroOf(M.Type));
    std::vector<std::string> Choices;
    if (Here.size() > Zero.size())
      Choices.push_back(Zero);
    for (const Marked &Inner : All)
      if (Inner.Begin > M.Begin && Inner.End < M.End && Inner.Type == M.Type)
        Choices.push_back(Text.substr(Inner.Begin, Inner.End - Inner.Begin));
    if (Number < Choices.size()) {
      Text.replace(M.Begin, M.End - M.Begin, Choices[Number]);
      return true;
    }
    Number -= Choices.size();
  }
  return false;
}

bool Reducer::simplifyExpressions() {
  bool Any = false;
  for (size_t Which = 0; Which < bodiesOf(Best).size(); ++Which)
    for (size_t I = 0; I < bodiesOf(Best)[Which]->size(); ++I)
      for (std::string Statement::*Part : {&Statement::Head, &Statement::Tail})
        for (size_t Number = 0;;) {
          Kernel Smaller = Best;
          if (Steps == 0 ||
              !simplify((*bodiesOf(Smaller)[Which])[I].*Part, Number))
            break;
          if (take(std::move(Smaller)))
            Any = true; // the same number is another one now
          else
            ++Number;
        }
  return Any;
}

static bool mentions(const Body &B, StringRef Name) {
  return any_of(B, [&](const Statement &S) {
    return fuzz::mentions(S.Head, Name) || fuzz::mentions(S.Tail, Name) ||
           mentions(S.Body, Name) || mentions(S.Else, Name);
  });
}

/// Functions, parameters that nothing uses, pragmas.
bool Reducer::dropParts() {
  bool Any = false;
  for (size_t I = Best.Helpers.size(); I-- > 0;) {
    Kernel Smaller = Best;
    Smaller.Helpers.erase(Smaller.Helpers.begin() + long(I));
    Any |= take(std::move(Smaller));
  }
  for (size_t I = Best.Parameters.size(); I-- > 0;) {
    if (mentions(Best.Body, Best.Parameters[I].Name))
      continue;
    Kernel Smaller = Best;
    Smaller.Parameters.erase(Smaller.Parameters.begin() + long(I));
    Any |= take(std::move(Smaller));
  }
  for (size_t Which = 0; Which < bodiesOf(Best).size(); ++Which)
    for (size_t I = 0; I < bodiesOf(Best)[Which]->size(); ++I) {
      Kernel Smaller = Best;
      Statement &S = (*bodiesOf(Smaller)[Which])[I];
      if (!StringRef(S.Head).starts_with("#"))
        continue;
      S.Head = S.Head.substr(S.Head.find('\n') + 1);
      Any |= take(std::move(Smaller));
    }
  return Any;
}

bool Reducer::shrinkShape() {
  bool Any = false;
  using emulator::Dim3;
  if (Best.Grid.count() > 1) {
    Kernel Smaller = Best;
    Smaller.Grid = Dim3();
    Any |= take(std::move(Smaller));
  }
  for (unsigned Threads : {32u, 64u, 128u, unsigned(Best.Block.count())}) {
    if (Threads > Best.Block.count() || Best.Block.X == Threads)
      continue;
    Kernel Smaller = Best;
    Smaller.Block = {Threads, 1, 1};
    if (take(std::move(Smaller)))
      return true;
  }
  return Any;
}

Kernel Reducer::run() {
  for (bool Any = true; Any && Steps > 0;) {
    Any = dropStatements();
    Any |= unwrap();
    Any |= shrinkShape();
    Any |= dropParts();
    Any |= simplifyExpressions();
  }
  return std::move(Best);
}

Kernel fuzz::reduce(Kernel K, unsigned MaxSteps,
                    function_ref<bool(const Kernel &)> Holds) {
  return Reducer(std::move(K), MaxSteps, Holds).run();
}
