# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse

from . import (
    build,
    counted,
    counters,
    emulate,
    fixed,
    hintsets,
    hintsets_report,
    lines,
    model,
    ranks,
    report,
    strategies,
    tlp,
    unified,
    xmodel,
)

COMMANDS = {
    "build": (build, "make a folder to be measured"),
    "report": (report, "tables and plots from results.json"),
    "fixed": (fixed, "compare a variant with the best fixed throttling"),
    "emulate": (emulate, "check the programs at small sizes without a GPU"),
    "counters": (counters, "make a folder for counters of a GPU"),
    "counted": (counted, "tables of bank conflicts and of loads on their way"),
    "model": (model, "compare the L1 simulator with such counters"),
    "hintsets": (hintsets, "make a folder with every set of cache hints"),
    "hintsets-report": (hintsets_report, "what each set of hints gave"),
    "lines": (lines, "how often the lines of software-l1=shared are hit"),
    "ranks": (ranks, "compare CRAT's orders of limits with measured ones"),
    "tlp": (tlp, "how many blocks are enough: measured and predicted"),
    "unified": (unified, "fit Liang et al.'s choice of carveout to counters"),
    "strategies": (strategies, "compare the tuner's strategies on a store"),
    "xmodel": (xmodel, "compare the X-model with measured times"),
}


def main(description):
    parser = argparse.ArgumentParser(
        prog="benchmarks/run",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, help_text) in COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(run=module.main)
    arguments = parser.parse_args()
    return arguments.run(arguments)
