/** `prorata copy`: stored sets from one store into another, byte for byte. */
import { statSync } from 'node:fs';
import { Arena, createMemory } from '../columnar/index.ts';
import { Fault } from '../query/index.ts';
import { clickHousePlaceOf, objectPlaceOf } from '../server/open-sets.ts';
import type { Config } from '../settings/config.ts';
import { readStore, STORE_SETTINGS, type StoreSettings } from '../settings/store.ts';
import {
  bucketPlace,
  clickHousePlace,
  copySets,
  folderToRead,
  folderToWrite,
  type Copied,
  type CopyPlace,
} from '../storage/copies.ts';
import { flagsHelp, takeFlags, type Flag } from '../terminal/flags.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';

const FLAGS: readonly Flag[] = [
  { name: 'from', value: 'PLACE', help: 'where the sets are' },
  { name: 'to', value: 'PLACE', help: 'where they are to be, too' },
  { name: 'json', help: '{"sets", "rows", "bytes", "same", "damages": [{"what", "reason"}]}' },
  { name: 'quiet', help: 'no progress' },
];

const HELP = `prorata copy --from PLACE --to PLACE [flags]

  Copies stored sets, all of one window at once, and reads each back: it is the same to the byte or the copy
  ends. Sets that are there already, the same, are not copied again, so that a copy which was interrupted goes
  on where it ended. Sets that differ are replaced. A place is a folder, as of --data-dir, or what --store
  takes: a bucket, or a database of ClickHouse, whose password is that of --store-password. A server may have
  the folder that is read, and none may have the one that is written to; servers may use buckets and databases
  meanwhile. Ends with 0, with 1 when a set is damaged, which is told and left out, with 2 on wrong usage,
  with 130 when interrupted.

  prorata copy --from /var/lib/prorata --to s3://costs/prorata
  prorata copy --from /var/lib/prorata --to clickhouse://prorata@clickhouse:8443/prorata?secure=true

${flagsHelp(FLAGS)}`;

type Opening = () => Promise<CopyPlace>;

interface CopyArguments {
  readonly openFrom: Opening;
  readonly openTo: Opening;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

export async function copy(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): CopyArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  const [from, to] = [values.get('from'), values.get('to')];
  if (from === undefined || to === undefined) {
    const hint = 'for example --from /var/lib/prorata --to s3://costs/prorata';
    throw new Fault('copy needs --from and --to', { hint });
  }
  return {
    openFrom: openingOf(config, placeOf(from, '--from'), '--from'),
    openTo: openingOf(config, placeOf(to, '--to'), '--to'),
    isJson: values.has('json'),
    isQuiet: values.has('quiet'),
  };
}

type Place = NonNullable<StoreSettings['store']>;

/** @throws {Fault} where there can be no such place */
function placeOf(text: string, flag: '--from' | '--to'): Place {
  const isFolder = !/^file:|:\/\//.test(text);
  const place = isFolder ? { kind: 'folder' as const, folder: text } : readStore(text, flag);
  if (place === undefined) {
    const hint = `a folder, or ${STORE_SETTINGS.store.accepted}`;
    throw new Fault(`${flag} is no place that is known`, { hint });
  }
  const isMissing = (folder: string): boolean =>
    statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true;
  if (flag === '--from' && place.kind === 'folder' && isMissing(place.folder))
    throw new Fault(`--from: there is no folder ${place.folder}`);
  return place;
}

/** Files of sets are on the heap; only a store that computes needs more. */
const ARENA_BYTES = 2 << 20;

/** @throws {Fault} where a password would go unencrypted */
function openingOf(config: Config, place: Place, flag: '--from' | '--to'): Opening {
  const isReadOnly = flag === '--from';
  const note = (sentence: string): void => warn(sentence);
  if (place.kind === 'clickhouse') {
    const options = clickHousePlaceOf(config, place, flag);
    return () => clickHousePlace({ ...options, note, isReadOnly });
  }
  const arena = new Arena(createMemory(ARENA_BYTES));
  if (place.kind === 'bucket') {
    const options = objectPlaceOf(config, place);
    return () => bucketPlace({ ...options, arena, note, isReadOnly });
  }
  const options = { folder: place.folder, arena, note };
  return () => (isReadOnly ? folderToRead(options) : folderToWrite(options));
}

async function run(args: CopyArguments, signal: AbortSignal): Promise<void> {
  const from = await args.openFrom();
  try {
    const to = await args.openTo();
    try {
      await copyAll(args, from, to, signal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copyAll(
  { isJson, isQuiet }: CopyArguments,
  from: CopyPlace,
  to: CopyPlace,
  signal: AbortSignal,
): Promise<void> {
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  try {
    const copied = await copySets(from, to, signal, (now, done, windows) => {
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
