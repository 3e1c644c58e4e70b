# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sets of hints a kernel gets, and where they stand in its text."""

import unittest

from . import hintsets, hintsets_report

# x is written, a and b are not; a's load is there twice.
PTX = """\
.visible .entry k(
	.param .u64 k_param_0,
	.param .u64 k_param_1,
	.param .u64 k_param_2
)
{
	ld.param.b64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd4, %rd1;
	ld.param.b64 %rd2, [k_param_1];
	cvta.to.global.u64 %rd5, %rd2;
	ld.param.b64 %rd3, [k_param_2];
	cvta.to.global.u64 %rd6, %rd3;
	.loc 1 7 9 // some/k.cu:7:9
	ld.global.b32 %r1, [%rd4];
	.loc 1 7 16 // some/k.cu:7:16
	ld.global.nc.b32 %r2, [%rd5];
	.loc 1 7 9 // some/k.cu:7:9
	ld.global.b32 %r3, [%rd4+4];
	.loc 1 8 5 // some/k.cu:8:5
	ld.global.b32 %r4, [%rd6];
	st.global.b32 [%rd6], %r4;
	ret;
}
"""
A, B, X = "k.cu:7:9", "k.cu:7:16", "k.cu:8:5"

# As `sluice hints --json` has it; the first load was inlined twice, the last merged.
INLINED = {"at": "h.h:3:10", "inlined-at": ["h.h:9:3", "k.cu:20:7"]}
UNKNOWN = {"at": "<unknown>", "inlined-at": []}
FIRST = "L1::evict_first"
PROFILES = [
    {
        "kernels": [
            {
                "name": "k",
                "loads": [
                    {**load, "algorithm-1": first, "chosen": second, "compile": hint}
                    for load, first, second, hint in (
                        ({"at": A, "inlined-at": []}, "bypass", "bypass", FIRST),
                        ({"at": B, "inlined-at": []}, "cache", "cache", "none"),
                        (INLINED, "bypass", "cache", "none"),
                        (UNKNOWN, "bypass", "cache", "none"),
                    )
                ],
            },
            {"name": "large", "refused": "too many loads for pairs"},
            {"name": "none", "loads": []},
        ]
    }
]
# Loads that were inlined, merged, and given a hint by the compile.
OTHERS = """\
.visible .entry k(
	.param .u64 k_param_0
)
{
	.loc 2 3 10, function_name $L__info_string0, inlined_at 1 9 3 // a/h.h:3:10 @[ a/h.h:9:3 @[ /b/k.cu:20:7 ] ]
	ld.global.b32 %r1, [%rd1];
	.loc 1 0 5 // /b/k.cu:0:5
	ld.global.b32 %r2, [%rd1];
	.loc 1 7 9 // some/k.cu:7:9
	ld.global.L1::no_allocate.b32 %r3, [%rd1];
	ret;
}
"""


def loads(ptx):
    return [line.split()[0] for line in ptx.splitlines() if "\tld.global" in line]


class HintSets(unittest.TestCase):
    def sets(self, most_random=0):
        return [s["k"] for s in hintsets.enumerate_sets(PTX, most_random)]

    def test_no_hint_is_the_first(self):
        self.assertEqual(self.sets()[0], {})
        self.assertEqual(hintsets.apply(PTX, {"k": {}}), PTX)

    def test_all_bypassing_sets_once(self):
        sets = self.sets()
        bypassing = [s for s in sets if set(s.values()) <= {"no_allocate"}]
        self.assertEqual(len(bypassing), 2**3)
        self.assertEqual(len({tuple(sorted(s.items())) for s in sets}), len(sets))
        self.assertIn({A: "no_allocate", X: "no_allocate"}, sets)

    def test_nc_only_of_what_is_not_written(self):
        nc = [set(s) for s in self.sets() if "nc" in s.values()]
        self.assertCountEqual(nc, [{A, B}, {A}, {B}])

    def test_one_last_and_the_rest_first(self):
        self.assertIn(
            {A: "evict_first", B: "evict_last", X: "evict_first"}, self.sets()
        )

    def test_a_hint_goes_to_all_copies_and_nothing_else(self):
        edited = hintsets.apply(PTX, {"k": {A: "evict_last", B: "cg"}})
        self.assertEqual(
            loads(edited),
            ["ld.global.L1::evict_last.b32", "ld.global.cg.nc.b32"]
            + ["ld.global.L1::evict_last.b32", "ld.global.b32"],
        )
        plain = edited.replace(".L1::evict_last", "").replace(".cg", "")
        self.assertEqual(plain, PTX)

    def test_another_kernel_stays(self):
        self.assertEqual(hintsets.apply(PTX, {"other": {A: "nc"}}), PTX)


class Choices(unittest.TestCase):
    choices = hintsets.choices_in(PROFILES)

    def test_only_of_kernels_with_pairs_and_loads(self):
        self.assertEqual(set(self.choices), {"k"})

    def test_by_solver_and_by_bypass(self):
        of_kernel = self.choices["k"]
        self.assertEqual(of_kernel["ILP"], {A: "no_allocate"})
        self.assertEqual(of_kernel["ILP cg"], {A: "cg"})
        inlined = "h.h:3:10 @[ h.h:9:3 @[ k.cu:20:7 ] ]"
        self.assertEqual(set(of_kernel["heuristic"]), {A, inlined, "<unknown>"})
        self.assertEqual(of_kernel["planned"], {A: "evict_first"})

    def test_places_are_those_of_ptx(self):
        places = list(hintsets.enumerate_sets(OTHERS, 0)[1]["k"])
        self.assertEqual(places, [hintsets.position_of(INLINED), "k.cu:0:5"])
        chosen = hintsets.applicable(self.choices["k"]["heuristic"], places)
        self.assertEqual(chosen, dict.fromkeys(places, "no_allocate"))

    def test_sets_have_them_once(self):
        def keys(choices):
            sets = hintsets.enumerate_sets(PTX, 0, choices)
            return [tuple(sorted(s["k"].items())) for s in sets]

        # What bypasses was tried; so were no hints, and cg on one load.
        self.assertEqual(keys(self.choices), keys({}))
        both = {"k": {"heuristic cg": {A: "cg", X: "cg", "k.cu:9:9": "cg"}}}
        self.assertEqual(keys(both), [*keys({}), ((A, "cg"), (X, "cg"))])

    def test_loads_that_the_code_lacks(self):
        self.assertEqual(hintsets.unmatched(OTHERS, self.choices), [])
        missing = [place for _, place in hintsets.unmatched(PTX, self.choices)]
        self.assertCountEqual(missing, [hintsets.position_of(INLINED), "<unknown>"])

    def test_times_in_the_report(self):
        measured = [
            ({}, 4.0),
            ({A: "no_allocate"}, 2.0),
            ({A: "cg", B: "cg"}, 3.0),
            ({A: "evict_first"}, 5.0),
        ]
        self.assertEqual(
            hintsets_report.chosen_times(measured, self.choices["k"]),
            {"heuristic": 2.0, "ILP": 2.0, "planned": 5.0},
        )


if __name__ == "__main__":
    unittest.main()
