// A runtime in which any allocation is a compile error. scripts/build-kernels.ts compiles the
// kernels with it once, as a proof; the product is compiled with the stub runtime.

// @ts-ignore: decorator
@global @unsafe function __alloc(size: usize): usize { ERROR("kernels must not allocate"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __realloc(ptr: usize, size: usize): usize { ERROR("kernels must not allocate"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __free(ptr: usize): void { ERROR("kernels must not allocate"); }
// @ts-ignore: decorator
@global @unsafe function __new(size: usize, id: u32): usize { ERROR("kernels must not allocate"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __renew(ptr: usize, size: usize): usize { ERROR("kernels must not allocate"); return 0; }
// @ts-ignore: decorator
@global @unsafe function __link(parent: usize, child: usize, expectMultiple: bool): void {}
// @ts-ignore: decorator
@global @unsafe function __pin(ptr: usize): usize { return ptr; }
// @ts-ignore: decorator
@global @unsafe function __unpin(ptr: usize): void {}
// @ts-ignore: decorator
@global @unsafe function __collect(): void {}
