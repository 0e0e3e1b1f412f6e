/** `prorata copy`: stored sets from one store into another, byte for byte. */
import { statSync } from 'node:fs';
import { Arena, createMemory } from '../columnar/index.ts';
import { Fault } from '../query/index.ts';
import { warn } from '../terminal/warn.ts';
import {
  clickHousePlace,
  copySets,
  folderToRead,
  folderToWrite,
  isClickHouseUrl,
  readClickHouseUrl,
  type Copied,
  type CopyPlace,
} from '../storage/copies.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { createLine } from '../terminal/progress-line.ts';

const FLAGS: readonly Flag[] = [
  { name: 'from', value: 'PLACE', help: 'where the sets are' },
  { name: 'to', value: 'PLACE', help: 'where they are to be, too' },
  { name: 'json', help: '{"sets", "rows", "bytes", "same", "damages": [{"what", "reason"}]}' },
  { name: 'quiet', help: 'no progress' },
  { name: 'help', short: 'h', help: 'this text' },
];
const PASSWORD = 'STORE_PASSWORD';

const HELP = `prorata copy --from PLACE --to PLACE [flags]

  Copies stored sets, all of one window at once, and reads each back: it is the same to the byte or the copy
  ends. Sets that are there already, the same, are not copied again, so that a copy which was interrupted goes
  on where it ended. Sets that differ are replaced. A place is a folder, as of --data-dir, or a database of
  ClickHouse, clickhouse://USER@HOST:PORT/DATABASE?secure=true, whose password is taken from ${PASSWORD}. A
  server may have the folder that is read, and none may have the one that is written to. Ends with 1 when a
  set is damaged, which is told and left out.

  prorata copy --from /var/lib/prorata --to clickhouse://prorata@clickhouse:8443/prorata?secure=true

${flagsHelp(FLAGS)}`;

interface CopyArguments {
  readonly from: string;
  readonly to: string;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

export async function copy(argv: readonly string[]): Promise<void> {
  const args = usage(FLAGS, () => argumentsOf(argv));
  if (args === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const [openFrom, openTo] = usage(FLAGS, () => [
    placeOf(args.from, 'from'),
    placeOf(args.to, 'to'),
  ]);
  const from = await openFrom();
  try {
    const to = await openTo();
    try {
      await run(args, from, to);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** @returns undefined where help is wanted @throws {Fault} */
function argumentsOf(argv: readonly string[]): CopyArguments | undefined {
  const { values, rest } = takeFlags(argv, FLAGS);
  if (values.has('help')) return undefined;
  const [unknown] = rest;
  if (unknown !== undefined) throw new Fault(`copy takes no ${unknown.slice(0, 80)}`);
  const [from, to] = [values.get('from'), values.get('to')];
  if (from === undefined || to === undefined) {
    const hint =
      'for example --from /var/lib/prorata --to clickhouse://prorata@clickhouse:8123/prorata';
    throw new Fault('copy needs --from and --to', { hint });
  }
  return { from, to, isJson: values.has('json'), isQuiet: values.has('quiet') };
}

/** @throws {Fault} where there can be no such place */
function placeOf(text: string, flag: 'from' | 'to'): () => Promise<CopyPlace> {
  const note = (sentence: string): void => warn(sentence);
  if (isClickHouseUrl(text)) {
    const options = readClickHouseUrl(text, `--${flag}`, process.env[PASSWORD] ?? '');
    return () => clickHousePlace({ ...options, note });
  }
  if (text.includes('://')) {
    throw new Fault(`--${flag} is no place that is known`, { hint: 'a folder, or clickhouse://…' });
  }
  // Files of sets are on the heap; only a store that computes needs more.
  const folder = { folder: text, arena: new Arena(createMemory(ARENA_BYTES)), note };
  if (flag === 'to') return () => folderToWrite(folder);
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Fault(`--from: there is no folder ${text}`);
  }
  return () => folderToRead(folder);
}

const ARENA_BYTES = 2 << 20;

async function run(
  { isJson, isQuiet }: CopyArguments,
  from: CopyPlace,
  to: CopyPlace,
): Promise<void> {
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  try {
    const copied = await copySets(from, to, (now, done, windows) => {
      line.draw(() => ({ fraction: done / windows, doing: summary(now) }));
    });
    line.end();
    for (const { what, reason } of copied.damages) warn(`damaged: ${what}: ${reason}`);
    process.stdout.write(isJson ? `${JSON.stringify(copied)}\n` : `copied ${summary(copied)}\n`);
    if (copied.damages.length > 0) process.exitCode = 1;
  } finally {
    line.end();
  }
}

function summary({ sets, rows, bytes, same }: Copied): string {
  const were = same > 0 ? `; ${same} were there already` : '';
  return `${sets} sets, ${rows} rows, ${bytes} bytes${were}`;
}
