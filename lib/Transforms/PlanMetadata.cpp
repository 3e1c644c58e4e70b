// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As text, and not a node for each number: the format has one parser, which
// checks all that it reads.

#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

static constexpr char Name[] = "sluice.plan";

void sluice::attachPlan(Module &M, const Plan &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  NamedMDNode *Node = M.getOrInsertNamedMetadata(Name);
  Node->clearOperands();
  Node->addOperand(
      MDNode::get(M.getContext(), MDString::get(M.getContext(), Text)));
}

Expected<std::optional<Plan>> sluice::attachedPlan(const Module &M) {
  const NamedMDNode *Node = M.getNamedMetadata(Name);
  if (!Node)
    return std::nullopt;
  // Linking modules appends: a plan for each.
  const MDString *Text = nullptr;
  if (Node->getNumOperands() == 1 && Node->getOperand(0)->getNumOperands() == 1)
    Text = dyn_cast_or_null<MDString>(Node->getOperand(0)->getOperand(0));
  if (!Text)
    return createStringError("!sluice.plan is not one plan; run sluice-plan "
                             "again");
  auto Plans = parsePlans(Text->getString(), "!sluice.plan");
  if (!Plans)
    return Plans.takeError();
  if (Plans->size() != 1)
    return createStringError("!sluice.plan has " + Twine(Plans->size()) +
                             " plans; one is possible");
  return std::move(Plans->front());
}
