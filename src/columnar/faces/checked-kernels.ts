/** The kernels of checked memory: arguments are checked, and so are the tables that all threads share. */
import { isAddress, type Arena } from '../memory/arena.ts';

export type Exports = WebAssembly.Instance['exports'];

/**
 * An upper bound of the end of the kernels' read-only tables. Near to it: so much is compared after each
 * call, 0.6 us, where 64 KiB take 1.5 us. Nobody reads what lies behind.
 */
export const STATICS_BYTES: number = 24_576;

/**
 * Throws before a kernel runs with an address of a freed run, and after a kernel that wrote to the shared
 * tables.
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
