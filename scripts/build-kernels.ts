/**
 * Compiles workers/kernels (AssemblyScript) to workers/kernels/kernels.wasm.
 *
 *   node --import tsx scripts/build-kernels.ts [--if-missing]
 *
 * Two compiles: the product, and a proof. The second uses a runtime whose allocator is `ERROR()`,
 * so a kernel that would allocate does not compile. `--if-missing` does nothing when the binary is
 * there and newer than every source.
 */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { powersOfTenSource } from './powers-of-ten.ts';

const folder = fileURLToPath(new URL('../workers/kernels/', import.meta.url));
const binary = join(folder, 'kernels.wasm');
const powers = join(folder, 'powers-of-ten.ts');

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
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .every((name) => statSync(join(folder, name)).mtimeMs <= built.mtimeMs);
}

/** Tables that are too large to be typed; git does not keep them. */
function writeTables(): void {
  const source = powersOfTenSource();
  const isThere = statSync(powers, { throwIfNoEntry: false }) !== undefined;
  if (isThere && readFileSync(powers, 'utf8') === source) return;
  const unfinished = `${powers}.${process.pid}`;
  writeFileSync(unfinished, source);
  renameSync(unfinished, powers);
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

if (!(process.argv.includes('--if-missing') && isFresh())) {
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
