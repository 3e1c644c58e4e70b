#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds Sluice, installing what is missing, and runs all of its tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

say "running the tests"
# One more than there are cores: some tests wait, for a time limit or a disk.
exec ctest --test-dir build --no-tests=error --output-on-failure \
  -j"$(($(nproc) + 1))" "$@"
