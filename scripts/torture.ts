/** `npm run torture`: large answers of the server as users run it, compared byte by byte with what they must be. */
import { fileURLToPath } from 'node:url';
import { commandLine } from './commands.ts';
import { runLongForm } from './torture/long-form.ts';
import { tryPlanted } from './torture/planted.ts';
import { runShortForm, ShortForm } from './torture/short-form.ts';
import type { Tally } from './torture/tally.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// The folders of the servers have days of the demo.
process.env['PRORATA_DEMO'] = 'true';

const { values } = commandLine('torture');
const { seed, rows, checked: isChecked, only } = values;
const tree = values.tree ?? ROOT;

const beganMs = performance.now();

function note(line: string): void {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
  process.stderr.write(`${seconds.padStart(5)} s  ${line}\n`);
}

async function run(): Promise<Tally> {
  if (values.short)
    return await runShortForm({
      tree,
      referenceTree: ROOT,
      seed,
      rows,
      isChecked,
      note,
      stopsEarly: false,
    });
  return await runLongForm({
    tree,
    seed,
    rows,
    days: values.days,
    demoDays: 3,
    minutes: values.minutes,
    workers: values.workers,
    frontEnds: values['front-end'],
    memoryLimits: values['memory-limit'].map((limit) => (limit === 'default' ? undefined : limit)),
    isChecked,
    note,
  });
}

/** @returns whether all faults were found */
async function runPlanted(): Promise<boolean> {
  const options = { referenceTree: ROOT, seed, rows, note };
  const form = await ShortForm.prepare(options);
  try {
    const missed = await tryPlanted({ root: ROOT, form, only, isChecked, note });
    for (const name of missed) process.stdout.write(`not found: ${name}\n`);
    return missed.length === 0;
  } finally {
    form.remove();
  }
}

async function runTally(): Promise<boolean> {
  const tally = await run();
  process.stdout.write(tally.report());
  return tally.isWell;
}

if (!(await (values.planted ? runPlanted() : runTally()))) process.exitCode = 1;
