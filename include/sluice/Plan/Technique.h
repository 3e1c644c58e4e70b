// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A technique as all others see it: one row of a table. Whoever has something
/// to do for each technique, the parser of options, plan files, the planner,
/// the pass pipeline, the tuner, the emulator's comparison, goes over
/// techniques() and knows none by name.
///
/// A new technique adds its parts to TechniqueParts.h, its row to
/// lib/Plan/Techniques and its name to Techniques.def
/// (docs/internals/writing-a-technique.md).

#ifndef SLUICE_PLAN_TECHNIQUE_H
#define SLUICE_PLAN_TECHNIQUE_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Choice.h"
#include "sluice/Plan/OptionSpec.h"
#include "sluice/Plan/Options.h"
#include "sluice/Plan/PlanningContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm::yaml {
class IO;
} // namespace llvm::yaml

namespace sluice {

/// A deliberate fault of `test-wrong-rewrite=`, to see that tests notice it.
struct PlantedFault {
  llvm::StringLiteral Name;
  void (*Plant)(Options &);
};

/// Where in LLVM's pipeline a technique's pass stands.
enum class PassStage {
  Start,           ///< Before all else.
  BeforeUnrolling, ///< Loops are simple, and not yet vectorised or unrolled.
  Last,            ///< Of the IR passes.
  Code,            ///< Behind these: it looks at the code that comes out.
};

/// The pass that carries a technique out, by its name for `opt`. It reads the
/// plan in the module. No name: something else does.
struct TechniquePass {
  llvm::StringLiteral Name = "";
  PassStage Stage = PassStage::Start;
  /// For clang's pipeline: "<planned>".
  llvm::StringLiteral Parameters = "";
  /// The same where a link makes the code (-foffload-lto).
  llvm::StringLiteral BeforeLink = Parameters;
};

class Technique {
public:
  virtual ~Technique() = default;

  /// Its option and its name in tests: "throttle".
  virtual llvm::StringLiteral name() const = 0;

  /// Who is other with it.
  enum Changes { Kernel = 1, Host = 2 };
  virtual unsigned changes() const = 0;

  //===- Options ----------------------------------------------------------===//

  /// The first has the technique's name and knows the value "off".
  virtual llvm::ArrayRef<OptionSpec> options() const = 0;
  /// May this compile use it?
  virtual bool isOn(const Options &) const = 0;
  /// Does it need facts of the kernels, which take a compile of their own?
  virtual bool needsFacts(const Options &Opts) const { return isOn(Opts); }
  /// As its option does with "off"; for `transforms=off`.
  virtual void switchOff(Options &Opts) const = 0;
  /// What of it a plan says, so that no option may say it beside a plan, as in
  /// "the plan has its own factors". Empty: nothing.
  virtual llvm::StringLiteral saidByPlans() const { return ""; }
  /// Does an option say of it what a plan says?
  virtual bool isSaidByOptions(const Options &) const { return false; }
  virtual llvm::ArrayRef<PlantedFault> faults() const { return {}; }

  //===- The plan ---------------------------------------------------------===//

  /// The version of plan files in which its newest key came.
  virtual unsigned newestVersion() const { return 1; }
  /// The first version that has those of its keys that \p Kernel uses.
  virtual unsigned versionOf(const KernelPlan &) const { return 1; }
  /// Its keys of a kernel, of a loop, and its lists behind the kernel's loops.
  virtual void mapKernel(llvm::yaml::IO &, KernelPlan &) const {}
  virtual void mapLoop(llvm::yaml::IO &, LoopPlan &) const {}
  virtual void mapLists(llvm::yaml::IO &, KernelPlan &) const {}
  /// What is wrong with what was read of a loop, as a sentence, or of a kernel,
  /// as in "load f.cu:3:5 twice"; empty: nothing.
  virtual std::string faultInLoop(const LoopPlan &) const { return ""; }
  virtual std::string faultInKernel(const KernelPlan &) const { return ""; }
  /// Takes its part of the user's plan for the kernel in place of what was
  /// planned. \p Given may be null: the plan says nothing of the kernel.
  virtual void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                         KernelPlan &Ours) const {}
  /// Takes its part out of the plan.
  virtual void forget(KernelPlan &) const {}

  //===- Planning, doing, tuning ------------------------------------------===//

  /// Decides for all kernels, if it is on. In the table's order: what the
  /// techniques before it decided is in the plans.
  virtual void plan(PlanningContext &) const {}
  virtual TechniquePass pass() const { return {}; }
  /// One that ends what pass() began, if that takes two.
  virtual TechniquePass endingPass() const { return {}; }
  /// Does the tuner begin with code that is without it?
  virtual bool isOffUntuned() const { return false; }
  /// The tuner's choices about \p Kernel.
  virtual std::vector<Choice> knobs(const KernelPlan &,
                                    const GPUModel &) const {
    return {};
  }
};

/// All there are, in the order of Techniques.def.
llvm::ArrayRef<const Technique *> techniques();

#define SLUICE_TECHNIQUE(Name) const Technique &Name##Technique();
#include "sluice/Plan/Techniques.def"

/// The loop of \p Kernel, which may be null, that \p Id names; null: none.
const LoopPlan *findLoop(const KernelPlan *Kernel, const CodeId &Id);

/// Of two entries for one loop or load, one would be ignored in silence: "load
/// f.cu:3:5 twice"; or empty.
template <typename Entries>
std::string entryThatIsTwice(const Entries &All, llvm::StringRef Kind) {
  for (auto Entry = All.begin(); Entry != All.end(); ++Entry)
    for (auto Other = All.begin(); Other != Entry; ++Other)
      if (Entry->Id == Other->Id)
        return (Kind + " " + Entry->Id.str() + " twice").str();
  return "";
}

} // namespace sluice

#endif
