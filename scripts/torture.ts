/**
 * Looks for wrong bytes: asks the server as users run it for large answers, in every way that a
 * client may read them, and compares each with what it must be.
 *
 *   npm run torture -- --minutes 30 --seed 1
 *   npm run torture -- --short
 *
 *   --minutes N        how long the walk takes; default 10
 *   --seed N           of the rows and of the walk; default 1
 *   --rows N           of a stored day; default 50000
 *   --days N           stored days; default 2
 *   --workers LIST     default 1,2,4,8
 *   --front-end LIST   default uws,node
 *   --memory-limit LIST   default default,174Mi,256Mi,512Mi,2Gi
 *   --checked          with --check-memory
 *   --tree FOLDER      whose bundle is tried; default these sources
 *   --short            the fixed cases of every gate instead of the walk
 *   --planted          the same with faults planted in copies of the sources, each of which must be found
 *   --only TEXT        of them those whose names have it
 *
 * Progress comes on standard error, a report at the end. Ends with 1 where anything was wrong: an
 * answer with 200 that is neither equal nor visibly cut, a process that ended, a fault in the log.
 */
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runLongForm } from './torture/long-form.ts';
import type { ServerFlags } from './torture/server.ts';
import { tryPlanted } from './torture/planted.ts';
import { runShortForm, ShortForm } from './torture/short-form.ts';
import type { Tally } from './torture/tally.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// The folders of the servers have days of the demo.
process.env['PRORATA_DEMO'] = 'true';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '50000' },
    days: { type: 'string', default: '2' },
    workers: { type: 'string', default: '1,2,4,8' },
    'front-end': { type: 'string', default: 'uws,node' },
    'memory-limit': { type: 'string', default: 'default,174Mi,256Mi,512Mi,2Gi' },
    checked: { type: 'boolean', default: false },
    tree: { type: 'string', default: ROOT },
    short: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

/** @throws where it is no number above 0 */
function positive(name: 'minutes' | 'seed' | 'rows' | 'days'): number {
  const value = Number(values[name]);
  if (value > 0) return value;
  throw new Error(`--${name}: '${values[name]}' is not a number above 0`);
}

function frontEnds(): ServerFlags['frontEnd'][] {
  return values['front-end'].split(',').map((name) => {
    if (name === 'uws' || name === 'node') return name;
    throw new Error(`--front-end: '${name}' is not uws or node`);
  });
}

const beganMs = performance.now();

function note(line: string): void {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
  process.stderr.write(`${seconds.padStart(5)} s  ${line}\n`);
}

async function run(): Promise<Tally> {
  const { tree, checked: isChecked } = values;
  const [seed, rows] = [positive('seed'), positive('rows')];
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
    days: positive('days'),
    demoDays: 3,
    minutes: positive('minutes'),
    workers: values.workers.split(',').map(Number),
    frontEnds: frontEnds(),
    memoryLimits: values['memory-limit']
      .split(',')
      .map((limit) => (limit === 'default' ? undefined : limit)),
    isChecked,
    note,
  });
}

/** @returns whether all faults were found */
async function runPlanted(): Promise<boolean> {
  const options = { referenceTree: ROOT, seed: positive('seed'), rows: positive('rows'), note };
  const form = await ShortForm.prepare(options);
  try {
    const { checked: isChecked, only } = values;
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
