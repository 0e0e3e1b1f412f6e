/**
 * Compiles workers/kernels (AssemblyScript) to workers/kernels/kernels.wasm.
 *
 * Two compiles: the product, and a proof. The second uses a runtime whose allocator is `ERROR()`,
 * so a kernel that would allocate does not compile.
 */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { decimalTablesSource } from './decimal-tables.ts';
import { powersOfTenSource } from './powers-of-ten.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = join(ROOT, 'workers/kernels');
const binary = join(folder, 'kernels.wasm');
/** Written by each install, and so whenever the compiler may be another. */
const installed = join(ROOT, 'node_modules/.package-lock.json');

const FLAGS = [
  'index.ts',
  '-O3',
  '--noAssert',
  '--enable',
  'simd,threads',
  '--importMemory',
  '--noExportMemory',
  '--sharedMemory',
  '--initialMemory',
  '16',
  '--maximumMemory',
  '65536',
];

function isFresh(): boolean {
  const built = statSync(binary, { throwIfNoEntry: false });
  if (!built) return false;
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return [installed, ...sources.map((name) => join(folder, name))].every((path) => {
    const changed = statSync(path, { throwIfNoEntry: false });
    return changed === undefined || changed.mtimeMs <= built.mtimeMs;
  });
}

/** Tables that are too large to be typed; git does not keep them. */
const TABLES = [
  { path: join(folder, 'powers-of-ten.ts'), source: powersOfTenSource },
  { path: join(folder, 'decimal-tables.ts'), source: decimalTablesSource },
];

function writeTables(): void {
  for (const { path, source } of TABLES) {
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (isThere && readFileSync(path, 'utf8') === source()) continue;
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, source());
    renameSync(unfinished, path);
  }
}

async function compile(label: string, options: readonly string[]): Promise<void> {
  const flags = [...FLAGS, ...options, '--baseDir', folder];
  // Only here: loading the compiler takes seconds, which a fresh binary need not wait for.
  const { default: asc } = await import('assemblyscript/asc');
  const { error } = await asc.main(flags, { stderr: process.stderr });
  if (!error) return;
  process.stderr.write(`cannot compile the kernels (${label})\n`);
  process.exit(1);
}

/** Does nothing when the binary is newer than every source and the compiler. */
export async function buildKernels(): Promise<void> {
  if (isFresh()) return;
  const startedMs = performance.now();
  writeTables();
  await compile('no allocation allowed', ['--runtime', './no-runtime', '--noEmit']);
  // Renamed when whole: another process may be reading the old one.
  const unfinished = `kernels.${process.pid}.wasm`;
  await compile('product', ['--runtime', 'stub', '-o', unfinished]);
  renameSync(join(folder, unfinished), binary);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stderr.write(`kernels built in ${seconds} s\n`);
}
