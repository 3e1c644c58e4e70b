# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Of a trace of sluice emulate: each launch, and the barriers of its block 0.
/^launch/ {
  if (Name) print Name, Turns, "turns"
  Name = $2 " " $4 " " $6
  Turns = 0
}
/^barrier block 0$/ { ++Turns }
END { print Name, Turns, "turns" }
