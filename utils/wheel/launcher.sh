#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Starts the tool of its own name. That is linked to LLVM 22, which no wheel has:
# without it this says what to install, and the loader would not.
self=$0
[ -L "$self" ] && self=$(readlink -f "$self")
bin=${self%/*}
tool=${bin%/*}/lib/sluice/bin/${self##*/}

# Where Debian has it there is no need to ask the loader, which takes longer.
there=
for library in /usr/lib/*-linux-gnu/libclang-cpp.so.22.1; do
  [ -e "$library" ] && [ -e "${library%/*}/libsqlite3.so.0" ] && there=yes
done
if [ -z "$there" ]; then
  missing=$(ldd "$tool" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found/ \1/p' | tr -d '\n')
  if [ -n "$missing" ]; then
    echo "${self##*/}: error: this machine has no$missing: Sluice is a plugin of clang 22" >&2
    echo "install: apt install clang-22 clang-tools-22 g++ coinor-libcbc3 libsqlite3-0" >&2
    exit 1
  fi
fi
exec "$tool" "$@"
