// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct __sluice_words {};
