# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does layers.py find what is planted, and nothing else?"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import layers

# A tree that keeps to the layers, with each single header that one may use.
CLEAN = {
    "include/sluice/Target/GPUModel.h": '#include "llvm/ADT/ArrayRef.h"',
    "include/sluice/Analysis/KernelFacts.h": "#include <vector>",
    "lib/Analysis/KernelFacts.cpp": '#include "llvm/IR/Module.h"',
    "lib/Plan/Plan.cpp": '#include "sluice/Analysis/KernelFacts.h"',
    "lib/Planning/ModulePlanner.cpp": '#include "sluice/Transforms/SumPromotion.h"',
    "lib/Planning/KernelAnalysis.cpp": '#include "sluice/Transforms/LineCaching.h"\n'
    '#include "sluice/Transforms/StreamStaging.h"\n'
    '#include "sluice/Transforms/StreamWidening.h"',
    "lib/Emulator/Prepare.cpp": '#include "sluice/Analysis/AnalysisManagers.h"\n'
    '#include "sluice/Analysis/CacheHintMetadata.h"\n'
    '#include "sluice/Analysis/KernelFunction.h"\n'
    '#include "sluice/Transforms/ContractMultiplyAdd.h"',
    "lib/Planning/PlanPass.cpp": '#include "sluice/Transforms/PlanMetadata.h"',
    "lib/Planning/OptimizingPipeline.cpp": '#include "sluice/Transforms/TechniquePasses.h"',
    "lib/Frontend/DevicePlanner.cpp": '#include "clang/AST/ASTContext.h"',
    "lib/MLIR/Passes.cpp": '#include "mlir/Pass/Pass.h"',
    "lib/Tuning/Replay/Tracer.cpp": '#include "sluice/Simulator/TraceControl.h"',
    "tools/sluice/Main.cpp": '#include "sluice/Tuning/Tuner.h"',
    "lib/Target/CMakeLists.txt": "sluice_library(SluiceTarget GPUModel.cpp)",
    "lib/Plan/CMakeLists.txt": "sluice_library(SluicePlan Plan.cpp)\n"
    "target_link_libraries(SluicePlan PUBLIC SluiceTarget PRIVATE dl)",
}


class LayersTest(unittest.TestCase):
    def offences(self, **planted):
        """Of the clean tree with files added or replaced, by their paths."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**CLEAN, **planted}.items():
                file = Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + "\n")
            return layers.offences(folder)

    def finds(self, path, text, *words):
        found = self.offences(**{path: text})
        self.assertEqual(len(found), 1, found)
        for word in [path, *words]:
            self.assertIn(word, found[0])

    def test_nothing_in_a_clean_tree(self):
        self.assertEqual(self.offences(), [])

    def test_the_layers_have_no_circle(self):
        uses = {
            area: {used.split("/")[0] for used in below}
            for area, below in layers.LAYERS.items()
        }
        done = set()
        while done != set(uses):
            free = {a for a in set(uses) - done if uses[a] <= done}
            self.assertTrue(free, f"in a circle: {set(uses) - done}")
            done |= free

    def test_an_area_above(self):
        self.finds(
            "lib/Target/Occupancy.cpp",
            '#include "sluice/Plan/Plan.h"',
            "Target may not use Plan/Plan.h",
        )

    def test_a_transform_that_plans(self):
        self.finds(
            "lib/Transforms/CacheHintPass.cpp",
            '#include "sluice/Planning/ModulePlanner.h"',
            "Transforms may not use Planning/ModulePlanner.h",
        )

    def test_written_with_angles_and_spaces(self):
        self.finds(
            "include/sluice/Analysis/Profile.h",
            "  #  include <sluice/Simulator/Trace.h>",
            "Simulator/Trace.h",
        )

    def test_a_private_header_by_its_path(self):
        self.finds(
            "lib/Simulator/Trace.cpp",
            '#include "../Plan/Plan.cpp"',
            "Simulator may not use lib/Plan/Plan.cpp",
        )

    def test_more_than_the_one_header(self):
        self.finds(
            "lib/Tuning/Tuner.cpp",
            '#include "sluice/Simulator/Simulator.h"',
            "Tuning may not use Simulator/Simulator.h",
        )

    def test_a_header_that_is_not_used_any_more(self):
        found = self.offences(**{"lib/Tuning/Replay/Tracer.cpp": ""})
        self.assertEqual(
            found,
            ["utils/layers.py: Tuning does not use Simulator/TraceControl.h any more"],
        )

    def test_mlir(self):
        self.finds(
            "lib/Plugin/PassPlugin.cpp",
            '#include "mlir/Pass/Pass.h"',
            "is of MLIR",
        )

    def test_clang(self):
        self.finds(
            "lib/Transforms/PlacedRemarks.cpp",
            '#include "clang/Basic/SourceManager.h"',
            "is of clang",
        )

    def test_llvm_ir(self):
        self.finds("lib/Plan/Carveout.cpp", '#include "llvm/IR/Module.h"', "LLVM IR")

    def test_llvm_ir_through_a_header_below(self):
        found = self.offences(
            **{"include/sluice/Analysis/KernelFacts.h": '#include "llvm/IR/Value.h"'}
        )
        self.assertEqual(
            found,
            [
                "lib/Plan/Plan.cpp: reaches LLVM IR by "
                "include/sluice/Analysis/KernelFacts.h, llvm/IR/Value.h"
            ],
        )

    def test_llvm_in_the_users_program(self):
        self.finds(
            "lib/Tuning/Replay/Job.cpp", '#include "llvm/ADT/StringRef.h"', "LLVM"
        )

    def test_a_link_line(self):
        self.finds(
            "lib/Target/CMakeLists.txt",
            "sluice_library(SluiceTarget GPUModel.cpp)\n"
            "target_link_libraries(SluiceTarget\n  PUBLIC SluicePlan)",
            "SluiceTarget may not link SluicePlan",
        )

    def test_an_area_that_nobody_knows(self):
        self.finds("lib/Ranking/Rank.cpp", "#include <vector>", "does not know")

    def test_the_exit_status(self):
        for text, status in [("", 0), ('#include "sluice/Plan/Plan.h"', 1)]:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "lib/Target/Occupancy.cpp")
                file.parent.mkdir(parents=True)
                file.write_text(text + "\n")
                run = subprocess.run(
                    [sys.executable, layers.__file__, folder], capture_output=True
                )
                self.assertEqual(run.returncode, status, run.stdout)

    def test_an_empty_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(layers.offences(folder)), 1)


if __name__ == "__main__":
    unittest.main()
