/**
 * Builds the kernels, and writes what TypeScript knows of them (src/columnar/faces/layout), which a
 * build only compares.
 */
import { buildKernels } from './build-kernels.ts';
import { commandLine } from './commands.ts';

commandLine('write-layout');
await buildKernels({ writesLayout: true });
