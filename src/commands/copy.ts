/** `prorata copy`: stored sets from one store into another, byte for byte, or as files for other programs. */
import { statSync } from 'node:fs';
import { ALLOCATION_COLUMNS, ALLOCATIONS, ASSETS } from '../allocation/index.ts';
import { ASSET_COLUMNS } from '../assets/index.ts';
import { Arena, createMemory, type ColumnNames } from '../columnar/index.ts';
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
  parquetBucket,
  parquetFolder,
  sinkSets,
  type Copied,
  type CopyPlace,
  type ParquetPlace,
} from '../storage/copies.ts';
import { flagsHelp, takeFlags, type Flag } from '../terminal/flags.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';

const FLAGS: readonly Flag[] = [
  { name: 'from', value: 'PLACE', help: 'where the sets are' },
  { name: 'to', value: 'PLACE', help: 'where they are to be, too' },
  { name: 'as', value: 'parquet', help: 'files of Parquet, for other programs, in place of sets' },
  { name: 'kinds', value: 'KINDS', help: 'with --as: allocations, assets or both; default both' },
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

  With --as parquet each set becomes a file in a folder or a bucket, which DuckDB, Athena, Spark and their kin read:
  PLACE/allocations/date=2026-11-27/….parquet. A set that was replaced takes the place of its file at once.

  prorata copy --from /var/lib/prorata --to s3://costs/prorata
  prorata copy --from /var/lib/prorata --to clickhouse://prorata@clickhouse:8443/prorata?secure=true
  prorata copy --from s3://costs/prorata --to s3://costs/tables --as parquet

${flagsHelp(FLAGS)}`;

type Opening = () => Promise<CopyPlace>;

/** Opens where sets are to be, and copies them there. @param onSome called after some of them */
type Copying = (
  from: CopyPlace,
  signal: AbortSignal,
  onSome: (copied: Copied, done: number, all: number) => void,
) => Promise<Copied>;

interface CopyArguments {
  readonly openFrom: Opening;
  readonly copyTo: Copying;
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
  const kinds = parquetKinds(values.get('as'), values.get('kinds'));
  const place = placeOf(to, '--to');
  return {
    openFrom: openingOf(config, placeOf(from, '--from'), '--from'),
    copyTo: kinds ? asParquet(config, place, kinds) : asSets(openingOf(config, place, '--to')),
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

/** What is stored of rows that other programs can make sense of; bills come and go in parts, and usage is in sketches. */
const PARQUET_KINDS: ReadonlyMap<string, ColumnNames> = new Map([
  [ALLOCATIONS, ALLOCATION_COLUMNS],
  [ASSETS, ASSET_COLUMNS],
]);

/** @returns undefined where sets are copied as they are @throws {Fault} naming the flag */
function parquetKinds(
  as: string | undefined,
  named: string | undefined,
): ReadonlyMap<string, ColumnNames> | undefined {
  if (as === undefined) {
    if (named === undefined) return undefined;
    throw new Fault('--kinds needs --as parquet: sets are copied whole');
  }
  if (as !== 'parquet') throw new Fault(`--as: '${as}' is not parquet`);
  const names = named?.split(',') ?? [...PARQUET_KINDS.keys()];
  const known = names.map((name): [string, ColumnNames] => {
    const columns = PARQUET_KINDS.get(name);
    if (columns !== undefined) return [name, columns];
    throw new Fault(`--kinds: '${name}' is not ${[...PARQUET_KINDS.keys()].join(' or ')}`);
  });
  return new Map(known);
}

function asSets(openTo: Opening): Copying {
  return async (from, signal, onWindow) => {
    const to = await openTo();
    try {
      return await copySets(from, to, signal, onWindow);
    } finally {
      await to.close();
    }
  };
}

/** @throws {Fault} where no file can be */
function asParquet(config: Config, place: Place, kinds: ReadonlyMap<string, ColumnNames>): Copying {
  if (place.kind === 'clickhouse')
    throw new Fault('--to: a database has no files of Parquet; its tables have the same columns');
  const open = (signal: AbortSignal): ParquetPlace =>
    place.kind === 'folder'
      ? parquetFolder(place.folder)
      : parquetBucket(objectPlaceOf(config, place), signal);
  return (from, signal, onSet) => sinkSets({ from, to: open(signal), kinds, signal, onSet });
}

async function run(args: CopyArguments, signal: AbortSignal): Promise<void> {
  const from = await args.openFrom();
  try {
    await copyAll(args, from, signal);
  } finally {
    await from.close();
  }
}

async function copyAll(
  { copyTo, isJson, isQuiet }: CopyArguments,
  from: CopyPlace,
  signal: AbortSignal,
): Promise<void> {
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  try {
    const copied = await copyTo(from, signal, (now, done, all) => {
      line.draw(() => ({ fraction: done / all, doing: summary(now) }));
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
