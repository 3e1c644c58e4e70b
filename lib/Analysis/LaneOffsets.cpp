// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOffsets.h"

using namespace sluice;

LaneOffsets::LaneOffsets(const AddressForm &Form) : Form(Form) {
  AddressForm Rest = Form;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    Variable Tid{Variable::Tid, Axis};
    auto C = Form.coefficient(Tid);
    if (!C)
      return;
    Coefficients[Axis] = *C;
    Rest = Rest - AddressForm::constant(*C) * AddressForm::variable(Tid);
  }
  if (auto C = Rest.asConstant()) {
    Constant = *C;
    Affine = true;
  }
}

std::optional<int64_t> LaneOffsets::at(const ThreadIndex &Tid) const {
  if (Affine)
    return Constant + Coefficients[0] * Tid[0] + Coefficients[1] * Tid[1] +
           Coefficients[2] * Tid[2];
  return Form.evaluate([&](Variable V) -> std::optional<int64_t> {
    if (V.Kind == Variable::Tid)
      return Tid[V.Index];
    return std::nullopt;
  });
}
