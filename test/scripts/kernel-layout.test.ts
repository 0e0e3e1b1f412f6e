/** What TypeScript knows of compiled kernels, from a kernel that is made up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import asc, { type Transform } from 'assemblyscript/asc';
import { kernelReader, layoutSources, type CompiledKernels } from '../../scripts/kernel-layout.ts';

const SOURCES: Readonly<Record<string, string>> = {
  'index.ts': 'export { LEAST, walk } from "./room/walk";',
  'room/walk.ts': `
    @unmanaged export class Walked { at: u32; unused: u32; reachedMs: f64; step: i32; }
    @unmanaged class Hidden { at: u32; }
    export const LEAST: u32 = 0x80000000;
    export function walk(walked: Walked, places: usize, untilMs: f64): u64 {
      walked.step += <i32>changetype<Hidden>(places).at;
      return <u64>walked.at + <u64>untilMs + LEAST;
    }`,
};

async function compiled(): Promise<CompiledKernels> {
  let kernels: CompiledKernels | undefined;
  const reader = kernelReader((read) => (kernels = read));
  const { error } = await asc.main(['index.ts', '--runtime', 'stub', '--noEmit'], {
    stderr: process.stderr,
    readFile: (name) => SOURCES[name] ?? null,
    transforms: [reader as unknown as Transform],
  });
  assert.equal(error, null);
  assert.ok(kernels);
  return kernels;
}

test('signatures, fields and constants are those of the kernels, and no private class is told', async () => {
  const sources = new Map(layoutSources(await compiled(), new Map([['LEAST', -(2 ** 31)]])));
  assert.deepEqual([...sources.keys()], ['exports.ts', 'constants.ts', 'room.ts']);
  const walk = 'walk(walked: number, places: number, untilMs: number): bigint;';
  assert.ok(sources.get('exports.ts')?.includes(`  ${walk}\n`));
  assert.ok(sources.get('constants.ts')?.endsWith('\n\nexport const LEAST = 2147483648;\n'));
  const fields = 'u32: { at: 0 },\n  f64: { reachedMs: 8 },\n  i32: { step: 16 },\n';
  const walked = `export const WALKED = { bytes: 20, u32: { at: 0 }, f64: { reachedMs: 8 }, i32: { step: 16 } } as const;\n`;
  const room = sources.get('room.ts') ?? '';
  assert.ok(room.endsWith(walked) || room.includes(fields), room);
  assert.ok(!room.includes('HIDDEN'));
});

test('a constant that the binary does not have is an error', async () => {
  const kernels = await compiled();
  assert.throws(() => layoutSources(kernels, new Map()), /the kernels export no LEAST/);
});
