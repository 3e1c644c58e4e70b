// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Kernels by their stubs' names. The names are clang 22's; that they still are
/// is for test/Carveout/names.cu.

#include "sluice/Transforms/CarveoutPass.h"
#include "gtest/gtest.h"

using namespace sluice;

namespace {

struct NameCase {
  const char *What, *Stub, *Kernel;
};

class KernelOfStub : public testing::TestWithParam<NameCase> {};

TEST_P(KernelOfStub, IsTheKernel) {
  EXPECT_EQ(kernelOfStub(GetParam().Stub), GetParam().Kernel);
}

constexpr NameCase Stubs[] = {
    {"Plain", "_Z20__device_stub__plainPf", "_Z5plainPf"},
    {"ExternC", "__device_stub__cname", "cname"},
    {"Static", "_ZL19__device_stub__statPf", "_ZL4statPf"},
    {"LengthGetsShorter", "_Z22__device_stub__gesummvPKfS0_Pf",
     "_Z7gesummvPKfS0_Pf"},
    {"LengthStaysTwoDigits", "_Z25__device_stub__tenLettersPf",
     "_Z10tenLettersPf"},
    {"DigitsInName", "_Z19__device_stub__a1b2ii", "_Z4a1b2ii"},
    {"NameEndsInDigits", "_ZN2st18__device_stub__st7Ei", "_ZN2st3st7Ei"},
    {"Namespace", "_ZN2ns21__device_stub__kernelEv", "_ZN2ns6kernelEv"},
    {"NamespaceEndsInDigit", "_ZN3ns221__device_stub__kernelEv",
     "_ZN3ns26kernelEv"},
    {"NamespacesEndInDigits", "_ZN3ns22v117__device_stub__k2Ev",
     "_ZN3ns22v12k2Ev"},
    {"Anonymous", "_ZN12_GLOBAL__N_119__device_stub__anonEPf",
     "_ZN12_GLOBAL__N_14anonEPf"},
    {"AnonymousInNamespace", "_ZN2ns12_GLOBAL__N_119__device_stub__anonEv",
     "_ZN2ns12_GLOBAL__N_14anonEv"},
    {"Template", "_Z19__device_stub__tmplIfEvPT_", "_Z4tmplIfEvPT_"},
    {"TemplateWithNumber", "_Z17__device_stub__tnI1FLi22EEvT_",
     "_Z2tnI1FLi22EEvT_"},
    {"TemplateOfKernel", "_Z20__device_stub__outerIXadL_Z5plainPfEEEvS0_",
     "_Z5outerIXadL_Z5plainPfEEEvS0_"},
    {"Member", "_ZN1S21__device_stub__memberEi", "_ZN1S6memberEi"},
    {"MemberTemplate", "_ZN1S17__device_stub__mtIfEEvT_", "_ZN1S2mtIfEEvT_"},
    {"MemberOfTemplate", "_ZN2STIiE21__device_stub__memberEi",
     "_ZN2STIiE6memberEi"},
    {"AbiTag", "_Z21__device_stub__taggedB2v2i", "_Z6taggedB2v2i"},
    {"KernelNamedLikeAStub", "_Z33__device_stub____device_stub__oddi",
     "_Z18__device_stub__oddi"},
};

constexpr NameCase NoStubs[] = {
    {"Nothing", "", ""},
    {"AnotherFunction", "_Z4mainv", ""},
    {"AnotherCFunction", "main", ""},
    {"MarkAlone", "__device_stub__", ""},
    {"MarkAloneWithLength", "_Z15__device_stub__v", ""},
    {"MarkInside", "_Z24my__device_stub__of_minev", ""},
    {"MarkInsideC", "my__device_stub__of_mine", ""},
    {"MarkInNamespace", "_ZN17__device_stub__ns1fEv", ""},
    {"MarkInArguments", "_Z1fP17__device_stub__Ty", ""},
    {"LengthTooLong", "_Z99__device_stub__plainPf", ""},
    {"LengthTooShort", "_Z7__device_stub__plainPf", ""},
    {"LengthZero", "_Z0__device_stub__plainPf", ""},
    {"LengthBeyondAnyNumber", "_Z99999999999999999999__device_stub__plainPf",
     ""},
    {"NoLength", "_Z__device_stub__plainPf", ""},
    {"NotMangled", "20__device_stub__plainPf", ""},
    {"VariableOfThatName", "_ZN2ns17__device_stub__xxE", ""},
};

std::string whatOf(const testing::TestParamInfo<NameCase> &Info) {
  return Info.param.What;
}
INSTANTIATE_TEST_SUITE_P(Stub, KernelOfStub, testing::ValuesIn(Stubs), whatOf);
INSTANTIATE_TEST_SUITE_P(NoStub, KernelOfStub, testing::ValuesIn(NoStubs),
                         whatOf);

} // namespace
