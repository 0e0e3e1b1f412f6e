/**
 * Looks for wrong bytes: asks the server as users run it for large answers, in every way that a
 * client may read them, and compares each with what it must be.
 *
 *   npm run torture -- --short
 */
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runShortForm } from './torture/short-form.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      checked: { type: 'boolean', default: false },
      tree: { type: 'string', default: ROOT },
      rows: { type: 'string', default: '50000' },
      seed: { type: 'string', default: '1' },
    },
  });
  const note = (line: string): void => void process.stderr.write(`${line}\n`);
  const tally = await runShortForm({
    tree: values.tree,
    rows: Number(values.rows),
    seed: Number(values.seed),
    isChecked: values.checked,
    note,
  });
  process.stdout.write(tally.report());
  return tally.isWell;
}

if (!(await main())) process.exitCode = 1;
