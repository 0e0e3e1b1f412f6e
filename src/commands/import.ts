/** `prorata import`: imports history from files that other programs saved. */
import {
  importSets,
  readOpencostCsv,
  readSavedAnswers,
  type Imported,
  type SavedFile,
} from '../allocation/index.ts';
import { Arena, createMemory, Owners } from '../columnar/index.ts';
import type { Config } from '../settings/config.ts';
import { Fault, nearest } from '../query/index.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { clockOf } from '../server/clock.ts';
import { flagsHelp, takeArguments, takeFlags, type Flag } from '../terminal/flags.ts';
import { openInput, type InputFile } from '../terminal/input-file.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';
import { withRecordedChanges } from './recorded-command.ts';
import { LateWorkers, openSets } from '../server/open-sets.ts';
import { storeOf } from '../settings/store.ts';

const FLAGS: readonly Flag[] = [
  { name: 'replace', help: 'days that are stored already are replaced; else they are refused' },
  { name: 'quiet', help: 'neither progress nor warnings' },
];

type ReadSets = (file: InputFile, config: Config) => SavedFile['sets'];

/** The kinds of files that can be imported. */
const KINDS: ReadonlyMap<string, ReadSets> = new Map<string, ReadSets>([
  ['allocations', (file) => readSavedAnswers(file.chunks(), file.name)],
  ['opencost-csv', (file, { clusterId }) => readOpencostCsv(file.chunks(), file.name, clusterId)],
]);

const HELP = `prorata import allocations FILE… --data-dir FOLDER [flags]
prorata import opencost-csv FILE… --data-dir FOLDER [flags]
prorata import focus FILE… --as cloud|external --data-dir FOLDER [flags], see import focus --help

  Keeps days that others computed, all of them or, on any error, none.
    allocations   answers of /model/allocation as JSON, of Kubecost, OpenCost or prorata: each set
                  a whole day of --timezone, or an hour; __idle__ rows are the idle of that day
    opencost-csv  what OpenCost's CSV exporter wrote: days of UTC, of the cluster --cluster-id
  Files may be compressed by gzip; - is standard input. No server may be running on the folder.
  Ends with 0, with 1 on an error, with 2 on wrong usage, with 130 when interrupted.

  curl -s 'http://kubecost:9090/model/allocation?window=30d&accumulate=false' > month.json
  prorata import allocations month.json --data-dir /var/lib/prorata

${flagsHelp(FLAGS)}`;

interface ImportArguments {
  readonly readSets: ReadSets;
  readonly files: readonly string[];
  readonly config: Config;
  readonly isReplacing: boolean;
  readonly isQuiet: boolean;
}

/** The command `import`, which is a reserved word. */
export async function importHistory(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): ImportArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { given, rest: settings } = takeArguments(rest);
  const { help, config } = loadSettings(settings);
  if (help !== undefined) return new SettingsHelp(help);
  const [kind, ...files] = given;
  const readSets = kindOf(kind);
  if (files.length === 0) {
    throw new Fault('import needs files', { hint: 'for example import allocations month.json' });
  }
  if (files.filter((file) => file === '-').length > 1) throw new Fault("'-' can be read once");
  if (storeOf(config).kind === 'memory') {
    throw new Fault('import needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
  }
  const [isReplacing, isQuiet] = [values.has('replace'), values.has('quiet')];
  return { readSets, files, config, isReplacing, isQuiet };
}

function kindOf(kind: string | undefined): ReadSets {
  const known = KINDS.get(kind ?? '');
  if (known !== undefined) return known;
  const names = [...KINDS.keys(), 'focus'];
  const near = nearest(kind ?? '', names);
  const message =
    kind === undefined ? 'import needs a kind' : `'${kind.slice(0, 80)}' cannot be imported`;
  throw new Fault(message, {
    hint: near === undefined ? `known: ${names.join(', ')}` : `did you mean '${near}'?`,
  });
}

async function run(args: ImportArguments, signal: AbortSignal): Promise<void> {
  const { config, isQuiet } = args;
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  const state: { bytes: number; total: number; imported: Imported } = {
    bytes: 0,
    total: 0,
    imported: { days: 0, hours: 0, rows: 0, warnings: [] },
  };
  const draw = (): void =>
    line.draw(() => ({ fraction: state.bytes / state.total, doing: summary(state.imported) }));
  const onBytes = (count: number): void => {
    signal.throwIfAborted();
    state.bytes += count;
    draw();
  };
  const inputs: InputFile[] = [];
  try {
    for (const file of args.files) inputs.push(await openInput(file, onBytes));
    state.total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
    const note = (sentence: string): void => warn(sentence);
    const arena = new Arena(createMemory(config.memory.arenaBytes));
    const owners = new Owners(arena);
    const sets = await openSets(config, { arena, owners, pool: new LateWorkers() }, note);
    try {
      const { calendar, nowMs } = clockOf(config, sets);
      const options = {
        sets,
        arena,
        owner: owners.take(),
        calendar,
        nowMs: nowMs(),
        retentionMs: config.retentionMs,
        isReplacing: args.isReplacing,
        onSet: (imported: Imported) => {
          state.imported = imported;
          draw();
        },
      };
      const files = inputs.map((file) => ({ name: file.name, sets: args.readSets(file, config) }));
      const change = {
        of: 'allocations',
        before: { sets: sets.list('allocations').length },
        after: { files: files.map(({ name }) => name), replace: args.isReplacing },
      };
      const imported = await withRecordedChanges(config, (changes) =>
        changes.own('allocations.import', change, () => importSets(options, files), countsOf),
      );
      line.end();
      if (!isQuiet) imported.warnings.forEach(note);
      process.stdout.write(`imported ${summary(imported)}\n`);
    } finally {
      await sets.close();
    }
  } finally {
    line.end();
    for (const input of inputs) await input.close();
  }
}

function countsOf({ days, hours, rows }: Imported): object {
  return { days, hours, rows };
}

function summary({ days, hours, rows }: Imported): string {
  const counts: readonly (readonly [number, string])[] = [
    [days, 'day'],
    [hours, 'hour'],
    [rows, 'row'],
  ];
  return counts
    .filter(([count, what]) => count > 0 || what !== 'hour')
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    .join(', ');
}
