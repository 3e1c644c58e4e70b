target triple = "nvptx64-nvidia-cuda"

@__sluice_votes_k = internal addrspace(1) global [512 x i64] zeroinitializer, align 16
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__sluice_votes_k to ptr)], section "llvm.metadata"

define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) #0 {
  %v = load float, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"sluice.by_warp", !"L1"}}
  store float %v, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "sluice-cached-warps"="__sluice_votes_k" }
