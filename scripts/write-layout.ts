/**
 * Builds the kernels, and writes what TypeScript knows of them (src/columnar/faces/layout), which a
 * build only compares.
 *
 *   node --import tsx scripts/write-layout.ts
 */
import { buildKernels } from './build-kernels.ts';

await buildKernels({ writesLayout: true });
