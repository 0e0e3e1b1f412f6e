/** The scripts that people run: what each does and the options that it takes. */
import { availableParallelism } from 'node:os';
import type { Planted } from '../test/support/simulation/month.ts';
import {
  choice,
  flag,
  helpOf,
  list,
  numeric,
  oneOf,
  optional,
  read,
  text,
  UsageError,
  whole,
  type Command,
  type CommandLine,
  type Option,
} from './command-line.ts';

const FRONT_ENDS = ['uws', 'node'] as const;
type FrontEnd = (typeof FRONT_ENDS)[number];
const DURATION = /^[1-9]\d*[smh]$/;

/** Checked for being complete by its type, since the simulation takes a second to load. */
const PLANTED_FAULTS: Readonly<Record<Planted, true>> = {
  'a lying disk': true,
  'a sealed day built again': true,
  'a doubled pod': true,
  'a stale tag': true,
  'an unheard deletion': true,
  'a believed clock': true,
};

export const STAGES = ['types', 'lint', 'format', 'dead', 'pinned', 'tests'] as const;
type Stage = (typeof STAGES)[number];

export const BENCHMARK_NAMES = [
  'xor-decode',
  'matrix',
  'grouped-sums',
  'csv-rows',
  'on-demand',
  'readers',
  'sets',
  'start',
  'stored',
  'stream',
  'warm',
  'mixed',
  'estimates',
  'usage',
  'focus',
  'receive',
  'receive-blocks',
  'received',
  'blocks',
  'places',
] as const;

function seed(of: string): Option<number> {
  return whole(`seed of ${of}; the same seed repeats them`, { unit: 'N', default: 1, least: 0 });
}

function propertySeed(): Option<string> {
  return {
    ...text('seed of properties, or random', 'N', '1'),
    read: (given) => {
      if (given === 'random' || /^\d{1,9}$/.test(given)) return given;
      throw new UsageError('expected a whole number or random');
    },
  };
}

function frontEnd(): Option<FrontEnd> {
  return choice('front end of the server', FRONT_ENDS, 'uws');
}

function duration(help: string, otherwise: string): Option<string> {
  return {
    ...text(help, 'DURATION', otherwise),
    read: (given) => {
      if (DURATION.test(given)) return given;
      throw new UsageError('expected a duration such as 60s, 5m or 1h');
    },
  };
}

function script(name: string): string {
  return `node --import tsx scripts/${name}.ts`;
}

type NoValues = Readonly<Record<never, never>>;

/** Values of options by command; those without a default may be undefined. */
export interface CommandValues {
  readonly check: {
    readonly only: readonly Stage[] | undefined;
    readonly unit: boolean;
    readonly since: string | undefined;
    readonly seed: string;
    readonly record: boolean;
  };
  readonly fuzz: {
    readonly requests: number;
    readonly seconds: number | undefined;
    readonly seed: number;
    readonly connections: number;
    readonly 'front-end': FrontEnd;
    readonly port: number;
    readonly openapi: number | undefined;
    readonly show: number | undefined;
  };
  readonly torture: {
    readonly minutes: number;
    readonly seed: number;
    readonly rows: number;
    readonly days: number;
    readonly workers: readonly number[];
    readonly 'front-end': readonly FrontEnd[];
    readonly 'memory-limit': readonly string[];
    readonly checked: boolean;
    readonly tree: string | undefined;
    readonly short: boolean;
    readonly planted: boolean;
    readonly only: string;
  };
  readonly simulate: {
    readonly seeds: number;
    readonly seed: number;
    readonly planted: Planted | undefined;
    readonly json: boolean;
  };
  readonly soak: {
    readonly minutes: number;
    readonly 'fault-every': number;
    readonly rows: number;
    readonly days: number;
    readonly 'front-end': FrontEnd;
    readonly kill: 'bucket' | 'clickhouse' | undefined;
    readonly seed: number;
  };
  readonly 'cluster-day': {
    readonly nodes: number;
    readonly pods: number;
    readonly hours: number;
    readonly interval: number;
    readonly step: number;
    readonly seed: number;
    readonly faults: boolean;
    readonly real: number;
  };
  readonly bench: BenchValues;
  readonly prove: {
    readonly only: readonly string[] | undefined;
    readonly list: boolean;
    readonly resume: boolean;
    readonly processes: number;
    readonly node: readonly string[] | undefined;
  };
  readonly sbom: { readonly licences: boolean };
  readonly 'build-bundle': NoValues;
  readonly 'lay-out': NoValues;
  readonly 'compile-cache': NoValues;
  readonly 'list-prices': NoValues;
  readonly openb: {
    readonly out: string;
    readonly 'from-day': number;
    readonly days: number;
    readonly interval: string;
    readonly 'usage-interval': string;
    readonly 'node-interval': string;
  };
  readonly 'record-answers': {
    readonly workers: number;
    readonly 'front-end': FrontEnd;
    readonly folder: string | undefined;
  };
  readonly 'render-chart': NoValues;
  readonly 'scrape-costs': { readonly minutes: number };
  readonly 'write-dashboards': NoValues;
  readonly 'write-layout': NoValues;
  readonly 'write-reference': NoValues;
}

export interface BenchValues {
  readonly smoke: boolean;
  readonly 'no-peers': boolean;
  readonly 'four-only': boolean;
  readonly days: number | undefined;
  readonly rows: number | undefined;
  readonly 'first-only': boolean;
  readonly nodes: readonly string[] | undefined;
  readonly megabytes: number | undefined;
  readonly mbits: number | undefined;
  readonly 'max-containers': number | undefined;
  readonly write: boolean;
}

type CommandName = keyof CommandValues;

export const COMMANDS: { readonly [Name in CommandName]: Command<CommandValues[Name]> } = {
  check: {
    run: 'npm test --',
    what: `Runs the gate: build, types, lint, format, dead code, pinned dependencies and tests. A test whose server is not
installed is skipped by name, and fails if REQUIRE_SERVICES=1.`,
    options: {
      only: optional(
        list('stages; the build always runs', 'STAGE,...', '', (each) => oneOf(each, STAGES)),
      ),
      unit: flag('only unit tests, which open no process, thread or socket, and no other stage'),
      since: optional(text('only tests that a change since this commit can reach', 'COMMIT', '')),
      seed: propertySeed(),
      record: flag('write the time of each test file to test/durations.json, by which they are scheduled'), // prettier-ignore
    },
    examples: ['', '--only types,lint', '--unit', '--since main'],
    failure: 'a stage failed',
  },
  fuzz: {
    run: 'npm run fuzz --',
    what: `Sends hostile requests to the bundled server over the demo fleet, on several connections, while another process
polls /healthz. Fails if the server ends, answers 5xx other than 503 or not at all, if one request keeps its main
thread busy for too long, or if /healthz becomes slow. A failed request is printed as a command that repeats it.`,
    options: {
      requests: whole('requests to send', { unit: 'N', default: 100_000 }),
      seconds: optional(numeric('longest duration', { unit: 'SECONDS', default: 60 })),
      seed: seed('the requests'),
      connections: whole('connections at once', { unit: 'N', default: 8 }),
      'front-end': frontEnd(),
      port: whole('port of the server', { unit: 'PORT', default: 9790, most: 65_535 }),
      openapi: optional(
        whole('send N requests made of the served /openapi.json instead, and compare each answer with it', { unit: 'N', default: 1 }), // prettier-ignore
      ),
      show: optional(
        whole('write the request of this number and what repeats it; send nothing', { unit: 'NUMBER', default: 0, least: 0 }), // prettier-ignore
      ),
    },
    examples: ['--requests 100000 --seed 7', '--openapi 50000', '--seed 7 --show 4711'],
    failure: 'a request failed',
  },
  torture: {
    run: 'npm run torture --',
    what: `Reads large answers of the bundled server in every way that a client may, and compares each byte by byte.
Progress goes to standard error, a report to standard output.`,
    options: {
      minutes: numeric('duration of the walk', { unit: 'MINUTES', default: 10 }),
      seed: seed('the rows and the walk'),
      rows: whole('rows of a stored day', { unit: 'N', default: 50_000 }),
      days: whole('stored days', { unit: 'N', default: 2 }),
      workers: list('numbers of workers', 'N,...', '1,2,4,8', wholeItem),
      'front-end': list('front ends', 'NAME,...', 'uws,node', (each) => oneOf(each, FRONT_ENDS)),
      'memory-limit': list('memory limits', 'SIZE,...', 'default,174Mi,256Mi,512Mi,2Gi', String), // prettier-ignore
      checked: flag('run the servers with --check-memory'),
      tree: optional(text('sources whose bundle is tested; default: these', 'FOLDER', '')),
      short: flag('the fixed cases of the gate instead of the walk'),
      planted: flag('plant faults in copies of the sources, each of which must be found'),
      only: text('planted faults whose name has this text', 'TEXT', ''),
    },
    examples: ['--minutes 30 --seed 1', '--short', '--planted'],
    failure: 'an answer was wrong, a process ended, or a log has a fault',
  },
  simulate: {
    run: 'npm run simulate --',
    what: `Simulates months of a server whose clock, disk, metrics store and clients fail at random, and compares each with a
plain reference. Prints the seeds that fail.`,
    options: {
      seeds: whole('months, each of its own seed', { unit: 'N', default: 1 }),
      seed: seed('the first month'),
      planted: optional(
        choice('a planted fault, which must be found', Object.keys(PLANTED_FAULTS) as Planted[], 'a lying disk'), // prettier-ignore
      ),
      json: flag('print one line of JSON'),
    },
    examples: ['--seeds 1000 --seed 1', "--seed 17 --planted 'a lying disk'"],
    failure: 'a month failed',
  },
  soak: {
    run: 'npm run soak --',
    what: `Runs the bundled server for hours at half load with a fault at regular intervals, and prints a table of memory,
descriptors, threads and latency. With --kill, servers, builders and their store are killed in turn instead.`,
    options: {
      minutes: numeric('duration', { unit: 'MINUTES', default: 480 }),
      'fault-every': numeric('interval of faults or kills', { unit: 'SECONDS', default: 10 }),
      rows: whole('rows of a stored day; not with --kill', { unit: 'N', default: 5000 }),
      days: whole('stored days; not with --kill', { unit: 'N', default: 8 }),
      'front-end': frontEnd(),
      kill: optional(
        choice('kill two servers, two builders and this store in turn', ['bucket', 'clickhouse'], 'bucket'), // prettier-ignore
      ),
      seed: seed('the kills'),
    },
    examples: ['--minutes 480', '--kill bucket --minutes 10'],
    failure: 'a bound was broken or an answer was wrong',
  },
  'cluster-day': {
    run: 'npm run cluster-day --',
    what: `Simulates a day of a cluster: its API server and kubelets, \`prorata agent\` and \`prorata serve --receive\` over HTTP.
Costs are compared with the closed form of the cluster's plan; then memory and CPU of the agent are measured in real time.`,
    options: {
      nodes: whole('nodes', { unit: 'N', default: 200 }),
      pods: whole('pods at once', { unit: 'N', default: 5000 }),
      hours: whole('simulated hours; 0 = only measure the agent', { unit: 'HOURS', default: 24, least: 0 }), // prettier-ignore
      interval: whole("interval of the agent's readings", { unit: 'SECONDS', default: 300 }),
      step: whole("delay of the agent's timers in simulated time, at most", { unit: 'MILLISECONDS', default: 2000 }), // prettier-ignore
      seed: seed('the cluster'),
      faults: flag('let the API server and kubelets fail'),
      real: whole('real time in which the agent is measured; 0 = not measured', { unit: 'SECONDS', default: 180, least: 0 }), // prettier-ignore
    },
    examples: ['--nodes 20 --pods 500 --hours 3 --interval 60 --faults --real 0'],
    failure: 'a number is wrong',
  },
  bench: {
    run: 'npm run bench --',
    what: `Runs benchmarks, all or those named, and prints their tables and the peak resident size. \`scale\` runs only when it is
named. Missing peers are installed into bench/node_modules, except with --smoke.`,
    operands: {
      name: 'NAME',
      help: 'benchmark',
      choices: [...BENCHMARK_NAMES, 'scale'],
      least: 0,
      most: Infinity,
    },
    options: {
      smoke: flag('one run over little data; BENCH_SIZE=smoke is the same'),
      'no-peers': flag('neither install nor run the peers'),
      'four-only': flag('on-demand: a store of usage and requests only'),
      days: optional(
        whole('start, stream, places: stored days; default 30, 30, 10', { unit: 'N', default: 30 }),
      ),
      rows: optional(
        whole('start, places: rows of a day; default 1000, 50000', { unit: 'N', default: 50_000 }),
      ),
      'first-only': flag('places: first answers only'),
      nodes: optional(list('start: executables of Node; default: the one that runs', 'PATH,...', '', String)), // prettier-ignore
      megabytes: optional(
        whole('focus: size of the bill; default 1000', {
          unit: 'MEGABYTES',
          default: 1000,
        }),
      ),
      mbits: optional(
        whole('blocks: speed of the bucket; default 1000', {
          unit: 'MBIT/S',
          default: 1000,
        }),
      ),
      'max-containers': optional(
        whole('scale: largest fleet; default all', { unit: 'N', default: 10_000 }),
      ),
      write: flag('scale: write the tables into bench/README.md'),
    },
    examples: ['', 'grouped-sums warm', 'places --days=5 --rows=1000000', 'scale --max-containers=10000'], // prettier-ignore
  },
  prove: {
    run: 'npm run prove --',
    what: `Runs the proofs: the long forms of tests of which the gate runs a sample, and the scripts that search. Prints a line
per proof as it ends and a table of all at the end; logs are in .proofs. With --node, runs the unit tests, the HTTP
tests and the recorded answers on other versions of Node, and compares the speed of three benchmarks.`,
    options: {
      only: optional(list('proofs or rooms of src', 'NAME,...', '', String)),
      list: flag('print the proofs, with their rooms, minutes of CPU and commands; run nothing'),
      resume: flag('leave out proofs that passed with the sources as they are'),
      processes: whole('proofs at the same time', { unit: 'N', default: availableParallelism() }),
      node: optional(
        list('major versions of Node, fetched from PyPI or npm into .proofs', 'MAJOR,...', '', nodeMajor),
      ), // prettier-ignore
    },
    examples: ['', '--resume', '--only fleets,storage', '--node 22,24,26'],
    failure: 'a proof failed',
  },
  sbom: {
    run: 'npm run -s sbom --',
    what: 'Prints the packages that are installed and those in the bundle, as CycloneDX JSON.',
    options: { licences: flag('a line per package that runs: name, version, licence, use') },
    examples: ['', '--licences'],
  },
  'build-bundle': {
    run: script('build-bundle'),
    what: 'Builds the kernels and the bundle of the command, its workers and the page into dist, unless they are up to date.',
    options: {},
    examples: [''],
  },
  'lay-out': {
    run: script('lay-out'),
    what: `Lays out the files of the image into a new folder: /app and an empty /data. Times of files are SOURCE_DATE_EPOCH,
else 0. Run npm run prepare first.`,
    operands: { name: 'FOLDER', help: 'folder that does not exist yet', least: 1, most: 1 },
    options: {},
    examples: ['image'],
  },
  'compile-cache': {
    run: script('compile-cache'),
    what: `Fills V8's code cache of a tree that lay-out made, by running its server. Before Node 22.8 there is no cache.`,
    operands: { name: 'FOLDER UID', help: '/app of the tree, and the number of the user who runs it', least: 2, most: 2 }, // prettier-ignore
    options: {},
    examples: ['image/app 65532'],
  },
  'list-prices': {
    run: script('list-prices'),
    what: 'Writes src/pricing/list from tables of prices by provider, region and type.',
    operands: {
      name: 'FOLDER COLLECTED',
      help: `folder of node-types.csv, node-types-derived.csv, node-types-other.csv, rates.csv and gpu-models.csv,
      and their date, such as 2026-11-22`,
      least: 2,
      most: 2,
    },
    options: {},
    examples: ['data/prices 2026-11-22'],
  },
  openb: {
    run: script('openb'),
    what: `Loads the openb trace into a Prometheus data folder. Second 0 of the trace is 2024-01-01T00:00:00Z.`,
    operands: { name: 'FOLDER', help: 'folder of pods.csv and nodes.csv', least: 1, most: 1 },
    options: {
      out: text('data folder of Prometheus', 'FOLDER', 'data/openb'),
      'from-day': whole('first day of the trace', { unit: 'DAY', default: 0, least: 0 }),
      days: whole('days to load', { unit: 'N', default: 150 }),
      interval: duration('scrape interval of pods', '60s'),
      'usage-interval': duration('scrape interval of usage', '5m'),
      'node-interval': duration('scrape interval of nodes', '5m'),
    },
    examples: ['data/trace --from-day 40 --days 7'],
  },
  'record-answers': {
    run: script('record-answers'),
    what: 'Records the answers to the requests of test/support/recorded-requests.ts as fixtures.',
    options: {
      workers: whole('workers of the server', { unit: 'N', default: 1 }),
      'front-end': frontEnd(),
      folder: optional(text('folder to write; default test/fixtures/answers', 'FOLDER', '')),
    },
    examples: ['', '--workers 2 --front-end node --folder answers/'],
  },
  'render-chart': {
    run: script('render-chart'),
    what: 'Writes deploy/manifests and the settings in the schema of the chart. Needs helm on PATH or in HELM.',
    options: {},
    examples: [''],
  },
  'scrape-costs': {
    run: script('scrape-costs'),
    what: `Compares costs in /metrics of a changing load, scraped each second by Prometheus, with the API, every 15 seconds.`,
    options: { minutes: numeric('duration', { unit: 'MINUTES', default: 5 }) },
    examples: ['--minutes 5'],
    failure: 'they differ by more than 1 %',
  },
  'write-dashboards': {
    run: script('write-dashboards'),
    what: 'Writes deploy/dashboards from scripts/dashboards.',
    options: {},
    examples: [''],
  },
  'write-layout': {
    run: script('write-layout'),
    what: 'Builds the kernels and writes their layout for TypeScript into src/columnar/faces/layout.',
    options: {},
    examples: [''],
  },
  'write-reference': {
    run: script('write-reference'),
    what: 'Writes docs/api/reference.md from the OpenAPI document.',
    options: {},
    examples: [''],
  },
};

function nodeMajor(given: string): string {
  if (/^[2-9]\d$/.test(given)) return given;
  throw new UsageError('expected major versions such as 22,24');
}

function wholeItem(given: string): number {
  const value = Number(given);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`expected whole numbers above 0, such as 1,2,4`);
}

/** The arguments of this process, for a script of that name. Help and wrong usage end the process. */
export function commandLine<Name extends CommandName>(
  name: Name,
): CommandLine<CommandValues[Name]> {
  const command: Command = COMMANDS[name];
  const given = refuse(() => read(command, process.argv.slice(2)));
  if (given !== undefined) return given as CommandLine<CommandValues[Name]>;
  process.stdout.write(helpOf(command));
  process.exit(0);
}

/** Ends the process where what was typed is refused. */
export function refuse<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n--help lists all options\n`);
    process.exit(2);
  }
}
