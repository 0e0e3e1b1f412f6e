/** `prorata import focus`: imports one delivery of a bill. */
import {
  openBills,
  readPurpose,
  readSource,
  type Arriving,
  type Delivered,
} from '../billing/deliveries/index.ts';
import type { Config } from '../settings/config.ts';
import { openBillFile, streamedBill, type BillFile } from '../billing/focus/index.ts';
import { Fault } from '../query/index.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { startBillEngine } from '../server/bill-engine.ts';
import { clockOf } from '../server/clock.ts';
import { recordedBills } from '../server/open-bill-feeds.ts';
import { flagsHelp, takeArguments, takeFlags, type Flag } from '../terminal/flags.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';
import { withRecordedChanges } from './recorded-command.ts';
import { openSets } from '../server/open-sets.ts';
import { storeOf } from '../settings/store.ts';

const FLAGS: readonly Flag[] = [
  { name: 'as', value: 'PURPOSE', help: "cloud: the cloud's own costs; external: costs of others" },
  { name: 'source', value: 'NAME', help: 'who bills, such as aws-main; default focus' },
  { name: 'currency', value: 'CODE', help: 'of all rows; default USD, in which all costs are' },
  { name: 'skip-bad-rows', help: 'leave out rows that are broken, and report each' },
  { name: 'quiet', help: 'no progress' },
];

const HELP = `prorata import focus FILE… --as cloud|external --data-dir FOLDER [flags]

  Keeps the charges of bills that follow FOCUS 1.0 to 1.3 (https://focus.finops.org), as CSV, plain
  or packed by gzip or zstd, or as Parquet; - is standard input. All files together are one delivery: it takes the place
  of whatever the source delivered before for the same billing periods, whole. One bad row refuses
  all files, and then nothing changes. No server may be running on the folder.
  Ends with 0, with 1 on an error, with 2 on wrong usage, with 130 when interrupted.

  prorata import focus 2024-09-*.csv.gz --as cloud --source aws-main --data-dir /var/lib/prorata

${flagsHelp(FLAGS)}`;

interface FocusArguments extends Pick<Arriving, 'as' | 'source' | 'currency' | 'isSkipping'> {
  readonly names: readonly string[];
  readonly config: Config;
  readonly isQuiet: boolean;
}

export async function importFocus(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): FocusArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { given: names, rest: settings } = takeArguments(rest);
  const { help, config } = loadSettings(settings);
  if (help !== undefined) return new SettingsHelp(help);
  if (names.length === 0) {
    throw new Fault('import focus needs files', { hint: 'for example import focus bill.csv' });
  }
  if (storeOf(config).kind === 'memory') {
    throw new Fault('import needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
  }
  return {
    as: readPurpose(values.get('as'), '--as'),
    source: readSource(values.get('source') ?? 'focus', '--source'),
    currency: readCurrency(values.get('currency') ?? 'USD'),
    isSkipping: values.has('skip-bad-rows'),
    isQuiet: values.has('quiet'),
    names,
    config,
  };
}

function readCurrency(text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase();
  throw new Fault(`--currency: '${text.slice(0, 80)}' is no currency`, { hint: 'such as USD' });
}

async function run(args: FocusArguments, signal: AbortSignal): Promise<void> {
  const { config, isQuiet, names, ...arriving } = args;
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  const state = { bytes: 0, total: 0, rows: 0 };
  const draw = (): void =>
    line.draw(() => ({ fraction: state.bytes / state.total, doing: `${state.rows} rows` }));
  const onBytes = (count: number): void => {
    signal.throwIfAborted();
    state.bytes += count;
    draw();
  };
  const onRows = (rows: number): void => {
    state.rows = rows;
    draw();
  };
  const note = (sentence: string): void => warn(sentence);
  const files: BillFile[] = [];
  const engine = await startBillEngine(config);
  const { compute } = engine;
  try {
    for (const name of names) {
      files.push(
        name === '-'
          ? streamedBill('standard input', process.stdin, onBytes)
          : await openBillFile(name, onBytes),
      );
    }
    state.total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const sets = await openSets(config, compute, note);
    try {
      const bills = openBills({ sets, compute, clock: clockOf(config) });
      const delivery = { ...arriving, files, onBad: note, onRows };
      const delivered = await withRecordedChanges(config, (changes) =>
        recordedBills(bills, changes).deliver(delivery, signal),
      );
      line.end();
      delivered.warnings.forEach(note);
      process.stdout.write(`${summary(args, delivered)}\n`);
    } finally {
      await sets.close();
    }
  } finally {
    line.end();
    for (const file of files) await file.close();
    await engine.close();
  }
}

function summary(
  { as, source }: FocusArguments,
  { rows, bad, periods, replacedRows }: Delivered,
): string {
  const months = periods.map((ms) => new Date(ms).toISOString().slice(0, 10)).join(', ');
  const what = `imported ${counted(rows, 'row')} of ${source} as ${as}`;
  const left = bad === 0 ? '' : `; left out ${counted(bad, 'bad row')}`;
  const before = replacedRows === 0 ? '' : `, in place of ${counted(replacedRows, 'row')}`;
  return `${what}, billed from ${months}${before}${left}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
