export { Arena, ArenaFull, createMemory, Owners, type Owner } from './arena.ts';
export {
  compileKernels,
  createEngine,
  instantiateKernels,
  KERNELS_FILE,
  type Engine,
  type KernelExports,
} from './kernels.ts';
