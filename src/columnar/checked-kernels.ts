/** The kernels of checked memory: what they are asked with is looked at, and what all of them share. */
import { isAddress, type Arena } from './arena.ts';

export type Exports = WebAssembly.Instance['exports'];

/** Where the kernels' read-only tables end at the latest. */
export const STATICS_BYTES: number = 65_536;

/**
 * Each kernel, asked with an address whose run was freed, is an error before it runs, and one that wrote
 * to the tables that all share is one behind it.
 */
export function checkedExports(exports: Exports, arena: Arena): Exports {
  const statics = arena.text(0, STATICS_BYTES);
  const before = Buffer.from(statics);
  const checked =
    (name: string, kernel: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      for (const arg of args) if (isAddress(arg)) arena.checkPointer(arg);
      const result = kernel(...args);
      if (!statics.equals(before)) throw new Error(`BUG: ${name} wrote to what all kernels share`);
      return result;
    };
  const entries = Object.entries(exports).map(([name, value]) => {
    const isKernel = typeof value === 'function';
    return [name, isKernel ? checked(name, value as (...args: unknown[]) => unknown) : value];
  });
  return Object.fromEntries(entries) as Exports;
}
