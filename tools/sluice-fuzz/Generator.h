// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The state of a kernel that is being made. What keeps kernels good:
///
/// * An index is an Index, whose bound is known, or is taken modulo the size.
/// * Integers are added, subtracted and multiplied as unsigned; divisors are
///   made positive and shifts masked where they are used.
/// * A floating-point variable is read through bound(), so none is NaN.
/// * Inputs are read only. A thread writes only its own slots of outputs, and
///   counters by atomics whose results are not used.
/// * Shared memory is written, read and waited for where all threads of the
///   block go (Place::Together), if no thread can have returned yet. There,
///   too, all wait for a flag of the block's last thread, which waits for none.
/// * Where warps wait for others: Waits.cpp.

#ifndef SLUICE_TOOLS_FUZZ_GENERATOR_H
#define SLUICE_TOOLS_FUZZ_GENERATOR_H

#include "Generate.h"
#include "Kernel.h"
#include "Random.h"

namespace sluice::fuzz {

struct Variable {
  std::string Name;
  char Type; ///< As in mark().
};

/// An integer in [0, Bound).
struct Index {
  std::string Name;
  unsigned Bound;
  bool Uniform; ///< The same in all threads of a block.
};

/// What may be read: \p Rows rows of \p Pitch elements. A function's has one.
struct Input {
  std::string Name;
  std::string Type; ///< Of an element, in C++.
  char As;          ///< What it is read as.
  unsigned Rows, Pitch;
  std::string PitchText;
};

struct Output {
  std::string Name;
  char Type;
  unsigned Slots; ///< Of each thread: a power of two.
  bool Blocked;   ///< Slot s of thread t is [t * Slots + s], else [s * n + t].
};

/// A function (row, length, unsigned) that returns a float.
struct Helper {
  std::string Name;
  std::string Type; ///< Of the row's elements; empty: any.
};

/// A parameter or constant, from 1 to 24.
struct Scalar {
  std::string Name;
  unsigned Value;
};

/// What each thread writes from end to end, and reads, in a piece of its own.
struct RowKind {
  std::string Type; ///< Of an element. Empty: there are none.
  char As;          ///< What it, or each field, is: 'u', 'f' or 'd'.
  bool IsStruct;    ///< Of fields x, y and z.
  unsigned Most;    ///< Elements.
  unsigned Behind;  ///< So far behind its end a row is read, at most.
  std::string Pitch, ToBegin, FromBegin; ///< In C++.
};

/// What each thread reads and writes as the data say, in a piece of its own.
struct LineKind {
  std::string Type; ///< Of an element. Empty: there is none.
  bool IsFloat = false;
  unsigned Bytes = 0; ///< Of an element.
  unsigned Most = 0;  ///< Elements by one pointer.
  unsigned Pitch = 0; ///< Of the piece.
  std::string Mail;   ///< What threads hand on, a word of each. Empty: nothing.
};

/// Where a statement stands.
struct Place {
  bool Together = true;  ///< All threads that have not returned come here.
  bool InLoop = false;   ///< break and continue are possible ...
  bool InSwitch = false; ///< ... but for break, which is the switch's.
  bool MayPart = true;   ///< Threads may leave the loop one by one.
  bool MayContinue = true;
  unsigned Depth = 0;
  unsigned Iterations = 1; ///< Of the loops around it, multiplied.
};

class Generator {
public:
  Generator(uint64_t Seed, unsigned Number, Features With)
      : With(With), R(Seed, Number) {
    K.Number = Number;
  }
  Kernel make();

private:
  using Body = std::vector<Statement>;

  // Generate.cpp: the frame.
  void chooseShape();
  void addInputs();
  void addOutputs();
  void addScalars();
  Body prologue();
  Statement earlyReturn();
  Body epilogue();
  void packed(Body &To);
  Parameter &addBuffer(const std::string &Name, const std::string &Type,
                       emulator::ElementType Element, uint64_t Elements);
  /// With random numbers from \p Low to \p High in it.
  void addRandomBuffer(const std::string &Name, const std::string &Type,
                       emulator::ElementType Element, uint64_t Elements,
                       double Low = -2, double High = 2);
  void addInteger(const std::string &Name, unsigned Value);
  void addHelper();

  // Expressions.cpp
  std::string expression(char Type, unsigned Depth = 2);
  std::string intExpression(unsigned Depth);
  std::string unsignedExpression(unsigned Depth);
  std::string floatExpression(char Type, unsigned Depth);
  std::string load(char Type);
  std::string element(const Input &A);
  std::string rowElement(const Input &A);
  std::string indexBelow(unsigned Bound);
  std::string ownSlot(const Output &O);
  std::string condition(bool Uniform);
  std::string uniformInt();
  /// A loop function's call on a row, of type float.
  std::string call();
  std::string rowAddress(const Input &A);
  std::string length(unsigned Most);
  const Variable *variable(char Type);

  // Statements.cpp: simple ones.
  void statements(Body &To, Place P, unsigned Count);
  void statement(Body &To, Place P);
  Statement assignment();
  Statement accumulate();
  Statement outputStatement();
  void declaration(Body &To);
  void callStatements(Body &To);
  Statement atomic();
  Statement conditional(Place P);
  Statement choice(Place P);
  void localArray(Body &To);
  void lambda(Body &To);
  void leave(Body &To, Place P);

  // Sums.cpp: sums in memory.
  void addSums();
  void sums(Body &To);
  Statement sumLoop();
  void stridedLoop(Body &To);
  void stridedWrites(Body &To);
  void ownWrites(Body &To);
  Statement fieldSums();
  std::string sumHead(const std::string &J);
  std::string summand(const std::string &J);
  std::string sharedProduct();
  std::string sumOf(const std::string &Slot, const std::string &J);

  // Decided.cpp: conditions that do not change in loops.
  void decidedLoop(Body &To);
  std::string conditionBefore();
  std::string decidedElement(const std::string &J);
  std::string side(const std::string &J, const std::string &Product);
  Statement decision(const std::string &Condition, const std::string &J,
                     const std::string &Product);

  // Chosen.cpp: searches for the least element, and sums over all others.
  void chosenPlaces(Body &To);
  void allButOne(Body &To);
  // Tiles.cpp: loops over a part of an array in shared memory.
  void tileLoops(Body &To);
  void digitCounts(Body &To);
  std::string
  tileStatement(llvm::function_ref<std::string(const std::string &)> At,
                const std::string &I, const std::string &J);

  // Steps.cpp: steps with barriers, structs in constant memory.
  void tileSteps(Body &To);
  void constantStructs(Body &To);

  // Arrays.cpp: local arrays.
  void productTile(Body &To);
  void chosenStructs(Body &To);
  void arrays(Body &To);

  // Angles.cpp: what branches compute, again.
  void angles(Body &To);
  std::string arrayIndex(const std::string &J, int Elements);
  std::string arrayStatement(const std::string &A, const std::string &B,
                             const std::string &J, int Elements);

  // Packed.cpp: sums with a sign, integers that are packed, choices, calls,
  // arrays of small elements, small structs at any byte.
  void signedSums(Body &To);
  void packedIntegers(Body &To);
  void choices(Body &To);
  void constantCalls(Body &To);
  void copiedArrays(Body &To);
  void copiedSums(Body &To);
  void comparedBytes(Body &To);
  void roundedHalves(Body &To);
  void overwrittenStores(Body &To);
  void wideConstants(Body &To);
  void joinedConditions(Body &To);
  void joinedCases(Body &To);
  void busyCalls(Body &To);
  void smallArrays(Body &To);
  void pixel(Body &To);

  // Elements.cpp: each thread's own, of many blocks.
  void together(Body &To);
  void elements(Body &To);
  Statement elementStatement(unsigned Depth);
  std::string elementCondition();

  // Conditions.cpp: of loops.
  void loopConditions(Body &To);

  // Strides.cpp: accesses behind conditions, by what a loop goes on by.
  void movedAddresses(Body &To);

  // Guards.cpp: stores behind the edge of a grid.
  void guardedStores(Body &To);

  // Divisions.cpp: by what a loop keeps.
  void keptDivisors(Body &To);

  // DoubleChoices.cpp: choices of doubles with arithmetic.
  void doubleChoices(Body &To);

  // Searches.cpp: loops that begin with what is loaded, or where another does.
  void searches(Body &To);

  // Windows.cpp: neighbours behind tests of the edge, and places that two ways
  // compute alike.
  void window(Body &To);
  void twoWays(Body &To);

  // Next.cpp: loops that begin as the code behind them does.
  void nextLoads(Body &To);

  // Words.cpp: neighbours that make up words.
  void words(Body &To);
  void wordsInLoop(Body &To, const std::string &Value, const std::string &Type,
                   emulator::ElementType Element);

  // Rows.cpp: rows that are written.
  void addRows();
  void rows(Body &To);
  Statement rowLoop();
  std::string rowLength();
  std::string rowTerm(const std::string &J);
  std::string rowStep(const std::string &To, const std::string &From,
                      const std::string &J);

  // Lines.cpp: what is read and written as the data say.
  void addLines();
  void lines(Body &To);
  Statement lineLoop(bool Together);
  void lineStatement(Body &To, const std::string &J, bool MayLeave);
  void lineOrder(Body &To, const std::string &J);
  void wideLine(Body &To, const std::string &J);
  void handOn(Body &To);
  std::string lineIndex(const std::string &J, unsigned Most);
  std::string lineElement(const std::string &J);
  std::string lineValue(const std::string &Element);
  std::string lineStore(const std::string &J);
  std::string lineLoad(const std::string &J);

  // Waits.cpp: warps that wait for others.
  void addWaits();
  void declareFlags(Body &To);
  void waits(Body &All);
  void waitInFront(Body &To);
  void waitBehind(Body &To);
  void waitBetween(Body &To);
  void waitInside(Body &To);
  void waitAhead(Body &To);
  void meetAround(Body &To);
  void meetInside(Body &To);
  Statement barrier();
  void ticket(Body &To);
  void lockedSum(Body &To);
  void ring(Body &To);
  void awaitNeighbour(Body &To, const std::string &Value, bool Up);
  Statement regionLoop(const std::string &J, Body Inner = {});
  unsigned slots() const;

  // WaitLooks.cpp: how they look, and tell others.
  void await(Body &To, const std::string &Slot, const std::string &Value);
  void signal(Body &To, const std::string &Slot, bool Guards = false);
  void meetByCounting(Body &To, const std::string &Round);
  void noteWait(llvm::StringRef Kind);
  bool isAskedWait(llvm::StringRef Kind) const;

  // Loops.cpp: loops and barriers.
  void loop(Body &To, Place P);
  void pointerLoop(Body &To, Place P);
  Statement reuse(const std::string &J, unsigned Bound, bool InMemory = false);
  Body loopBody(const Index &J, Place &P);
  std::pair<std::string, unsigned> tripCount(Place P, bool &Uniform);
  void exchange(Body &To, Place P);
  void sharedInLoop(Body &To);
  void shuffle(Body &To);
  void spin(Body &To);

  std::string fresh(const char *Prefix) {
    return Prefix + std::to_string(Names++);
  }
  /// What a body declares ends with it.
  struct Scope {
    explicit Scope(Generator &G)
        : G(G), Variables(G.Variables.size()), Indices(G.Indices.size()) {}
    ~Scope() {
      G.Variables.resize(Variables);
      G.Indices.resize(Indices, Index());
    }
    Generator &G;
    size_t Variables, Indices;
  };

  const Features With;
  Random R;
  Kernel K;
  unsigned Threads = 0; ///< Of the grid.
  unsigned BlockThreads = 0;
  unsigned Names = 0;
  unsigned Work = 0; ///< Iterations of all loops so far.
  std::vector<Variable> Variables;
  std::vector<Index> Indices;
  std::vector<Input> Inputs;
  std::vector<Output> Outputs;
  std::vector<Scalar> Scalars;
  std::vector<Helper> Helpers;
  std::string Counters; ///< Empty: none.
  std::string Flags;    ///< One for each block. Empty: none.
  /// Rows, one of each thread, in which it adds up and from which it reads.
  /// No name: there are none.
  Input Overlapping;
  RowKind Rows;
  LineKind LineData;
  std::string Waits;      ///< Flags of warps. Empty: none.
  bool GridWide = false;  ///< Warps wait for those of all blocks.
  bool OneCounts = false; ///< At a barrier of the grid, of each block.
  unsigned Units = 0;     ///< Warps that wait for one another.
  bool HasWaited = false, NeedsMail = false, NeedsSeen = false;
  std::string Shared; ///< Empty: none.
  char SharedType = 'i';
  std::string Template; ///< Its parameter, or empty.
  unsigned TemplateValue = 0;
  bool InHelper = false;
  /// Some thread of the block, or one of the others for which it waits.
  bool HasElements = false; ///< And nothing else: see Elements.cpp.
  bool MayHaveReturned = false;
};

/// \p Text, which declares something.
Statement declared(std::string Text);

} // namespace sluice::fuzz

#endif
