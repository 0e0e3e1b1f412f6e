/**
 * Compiles workers/kernels (AssemblyScript) to workers/kernels/kernels.wasm.
 *
 * Two compiles: the product, and a proof. The second uses a runtime whose allocator is `ERROR()`,
 * so a kernel that would allocate does not compile. It is not optimized: errors come before that.
 *
 * Signatures and layouts that TypeScript has of them are generated (kernel-layout.ts): a build
 * fails where they are not what was compiled, and scripts/write-layout.ts writes them.
 */

import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Transform } from 'assemblyscript/asc';
import { fileURLToPath } from 'node:url';
import { join, relative } from 'node:path';
import { decimalTablesSource } from './decimal-tables.ts';
import { kernelReader, layoutSources, type CompiledKernels } from './kernel-layout.ts';
import { powersOfTenSource } from './powers-of-ten.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = join(ROOT, 'workers/kernels');
const binary = join(folder, 'kernels.wasm');
/** Written by each install, and so whenever the compiler may be another. */
const installed = join(ROOT, 'node_modules/.package-lock.json');

/** What is generated of the compiled kernels, and kept by git. */
const layoutFolder = join(ROOT, 'src/columnar/faces/layout');

const PAGES_MIN = 16;
const PAGES_MAX = 65_536;

const FLAGS = [
  'index.ts',
  '--noAssert',
  '--enable',
  'simd,threads',
  '--importMemory',
  '--noExportMemory',
  '--sharedMemory',
  '--initialMemory',
  String(PAGES_MIN),
  '--maximumMemory',
  String(PAGES_MAX),
];

function isFresh(): boolean {
  const built = statSync(binary, { throwIfNoEntry: false });
  if (!built) return false;
  const sources = [folder, layoutFolder].flatMap((each) =>
    readdirSync(each, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(each, name)),
  );
  return [installed, ...sources].every((path) => {
    const changed = statSync(path, { throwIfNoEntry: false });
    return changed === undefined || changed.mtimeMs <= built.mtimeMs;
  });
}

/** Tables that are too large to be typed; git does not keep them. */
const TABLES = [
  { path: join(folder, 'text/powers-of-ten.ts'), source: powersOfTenSource },
  { path: join(folder, 'text/decimal-tables.ts'), source: decimalTablesSource },
];

function writeTables(): void {
  for (const { path, source } of TABLES) if (textAt(path) !== source()) writeWhole(path, source());
}

function textAt(path: string): string | undefined {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere ? readFileSync(path, 'utf8') : undefined;
}

function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

async function compile(label: string, options: readonly string[]): Promise<CompiledKernels> {
  const flags = [...FLAGS, ...options, '--baseDir', folder];
  let compiled: CompiledKernels | undefined;
  // Only here: loading the compiler takes seconds, which a fresh binary need not wait for.
  const { default: asc } = await import('assemblyscript/asc');
  const reader = kernelReader((kernels) => (compiled = kernels));
  // The compiler makes an object of the class itself, though its types say otherwise.
  const transforms = [reader as unknown as Transform];
  const { error } = await asc.main(flags, { stderr: process.stderr, transforms });
  if (!error && compiled) return compiled;
  process.stderr.write(`cannot compile the kernels (${label})\n`);
  process.exit(1);
}

/** The part of WebAssembly that is used here: TypeScript has it only among what browsers have. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: { initial: number; maximum: number; shared: boolean }) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: object },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly Global: new () => { readonly value: number };
}

/** What the binary exports that is no function. */
function constantsOf(path: string): Map<string, number> {
  const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };
  const module = new wasm.Module(readFileSync(path));
  const memory = new wasm.Memory({ initial: PAGES_MIN, maximum: PAGES_MAX, shared: true });
  const { exports } = new wasm.Instance(module, { env: { memory, abort: () => undefined } });
  return new Map(
    Object.entries(exports).flatMap(([name, value]): [string, number][] =>
      value instanceof wasm.Global ? [[name, value.value]] : [],
    ),
  );
}

/** Writes the generated sources, or ends where they are not what they should be. */
function keepLayout(sources: readonly [name: string, text: string][], isWriting: boolean): void {
  const stale = sources.filter(([name, text]) => textAt(join(layoutFolder, name)) !== text);
  if (isWriting) for (const [name, text] of stale) writeWhole(join(layoutFolder, name), text);
  else if (stale.length > 0) {
    const names = stale.map(([name]) => name).join(', ');
    const where = relative(ROOT, layoutFolder);
    const command = 'node --import tsx scripts/write-layout.ts';
    process.stderr.write(`${where}: ${names} are not what the kernels say; run ${command}\n`);
    process.exit(1);
  }
}

interface BuildOptions {
  /** Writes what is generated of the kernels, in any case. */
  readonly writesLayout?: boolean;
}

/** Does nothing when the binary is newer than every source and the compiler. */
export async function buildKernels({ writesLayout }: BuildOptions = {}): Promise<void> {
  if (isFresh() && writesLayout !== true) return;
  const startedMs = performance.now();
  writeTables();
  await compile('no allocation allowed', ['--runtime', './no-runtime', '--noEmit']);
  // Renamed when whole: another process may be reading the old one.
  const unfinished = `kernels.${process.pid}.wasm`;
  const kernels = await compile('product', ['-O3', '--runtime', 'stub', '-o', unfinished]);
  const constants = constantsOf(join(folder, unfinished));
  keepLayout(layoutSources(kernels, constants), writesLayout === true);
  renameSync(join(folder, unfinished), binary);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stderr.write(`kernels built in ${seconds} s\n`);
}
