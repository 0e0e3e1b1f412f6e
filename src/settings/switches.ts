/** Flags of booleans, which are true where no value follows: `--receive --port 9003`. */
import { readBoolean } from '../query/index.ts';
import type { Setting } from './settings.ts';

/** The arguments with a value after each such flag. @param rows settings by the name of their flag */
export function withValues(
  argv: readonly string[],
  rows: ReadonlyMap<string, Setting<unknown>>,
): string[] {
  return argv.map((given, at) => {
    const next = argv[at + 1];
    const isBare = next === undefined || next.startsWith('-');
    const isSwitch = given.startsWith('--') && rows.get(given.slice(2))?.read === readBoolean;
    return isBare && isSwitch ? `${given}=true` : given;
  });
}
