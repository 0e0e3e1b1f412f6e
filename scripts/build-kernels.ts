/**
 * Compiles workers/kernels (AssemblyScript) to workers/kernels/kernels.wasm.
 *
 *   node --import tsx scripts/build-kernels.ts [--if-missing]
 *
 * Two compiles: the product, and a proof. The second uses a runtime whose allocator is `ERROR()`,
 * so a kernel that would allocate does not compile. `--if-missing` does nothing when the binary is
 * there and newer than every source.
 */
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const folder = fileURLToPath(new URL('../workers/kernels/', import.meta.url));
const binary = join(folder, 'kernels.wasm');

const common = [
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

async function compile(label: string, options: readonly string[]): Promise<void> {
  const { error, stderr } = await asc.main([...common, ...options, '--baseDir', folder]);
  if (!error) return;
  process.stderr.write(`${stderr.toString()}\ncannot compile the kernels (${label})\n`);
  process.exit(1);
}

if (!(process.argv.includes('--if-missing') && isFresh())) {
  const startedMs = performance.now();
  await compile('no allocation allowed', ['--runtime', './no-runtime', '--noEmit']);
  await compile('product', ['--runtime', 'stub', '-o', 'kernels.wasm']);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stderr.write(`kernels built in ${seconds} s\n`);
}
