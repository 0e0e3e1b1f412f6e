/**
 * One frozen `Config` from, in order: flags, the environment, the file named by `--config` (YAML),
 * defaults. An empty value means unset. Nothing else reads the environment.
 */
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { ACCESS_SETTINGS, type AccessSettings } from './access.ts';
import { AGENT_SETTINGS, type AgentSettings } from './agent.ts';
import { AUDIT_SETTINGS, type AuditSettings } from './audit.ts';
import { BILL_SETTINGS, type BillSettings } from './bills.ts';
import { BUCKET_SETTINGS, type BucketSettings } from './buckets.ts';
import { BUILD_SETTINGS, type BuildSettings } from './build.ts';
import { CLUSTER_SETTINGS, type ClusterSettings } from './cluster.ts';
import { divideMemory, type MemoryBudget } from './memory-budget.ts';
import { METRICS_SETTINGS, type MetricsSettings } from './metrics.ts';
import { Fault, hideSecrets, hideUrlSecrets, nearest, parseYamlTexts } from '../query/index.ts';
import {
  CONTROL_PLANES,
  DISCOUNTS,
  PRICES,
  type ControlPlaneSettings,
  type Discounts,
  type Prices,
} from './prices.ts';
import { receivedMemory } from './received.ts';
import { toldSetting, type ToldSetting } from './told.ts';
import { TLS_SETTINGS, type TlsSettings } from './tls.ts';
import { OPERATIONS_SETTINGS, type OperationsSettings } from './operations.ts';
import { RECEIVER_SETTINGS, type ReceiverSettings } from './receiver.ts';
import { EXTERNAL_SETTINGS, type ExternalSettings } from './external.ts';
import { SIZING_SETTINGS, type SizingSettings } from './sizing.ts';
import { blocksBytes } from './stored-blocks.ts';
import { STORE_SETTINGS, type StoreSettings } from './store.ts';
import { withValues } from './switches.ts';
import { SETTINGS, type Machine, type Rows, type Setting, type Settings } from './settings.ts';

export interface Config
  extends
    Settings,
    StoreSettings,
    AccessSettings,
    BuildSettings,
    BillSettings,
    BucketSettings,
    MetricsSettings,
    ReceiverSettings,
    ClusterSettings,
    SizingSettings,
    ExternalSettings,
    AuditSettings,
    OperationsSettings,
    TlsSettings,
    AgentSettings,
    ControlPlaneSettings,
    Discounts {
  /** How `memoryLimitBytes` is divided. `workers` is the number that fits. */
  readonly memory: MemoryBudget;
  readonly prices: Prices;
  /** All settings as they may be shown. */
  readonly told: readonly ToldSetting[];
}

export interface Loaded {
  readonly config: Config;
  /** Text to print instead of running, for `--help`; `config` then has the defaults. */
  readonly help?: string;
}

/** A setting's text, and its name as the operator wrote it. */
interface Given {
  readonly name: string;
  readonly text: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All settings. */
export const ROWS: readonly Setting<unknown>[] = [
  SETTINGS,
  STORE_SETTINGS,
  ACCESS_SETTINGS,
  BUILD_SETTINGS,
  BILL_SETTINGS,
  BUCKET_SETTINGS,
  METRICS_SETTINGS,
  RECEIVER_SETTINGS,
  SIZING_SETTINGS,
  CLUSTER_SETTINGS,
  EXTERNAL_SETTINGS,
  AUDIT_SETTINGS,
  OPERATIONS_SETTINGS,
  TLS_SETTINGS,
  AGENT_SETTINGS,
  CONTROL_PLANES,
  DISCOUNTS,
  PRICES,
].flatMap((rows): Setting<unknown>[] => Object.values(rows));
const ROW_BY_FLAG: ReadonlyMap<string, Setting<unknown>> = new Map(
  ROWS.filter(hasFlag).map((row) => [flagOf(row), row]),
);
const KEYS: readonly string[] = ROWS.filter((row) => row.isSecret !== true).map((row) => row.key);

/**
 * @param argv arguments after the command: `--name value` or `--name=value`, a boolean that is true also `--name`; the
 *   last one counts
 * @param readFile returns the text of the file at a path, or throws
 * @throws Fault naming the flag, variable or key, its value, what is accepted and an example
 */
export function loadConfig(
  argv: readonly string[],
  env: Environment,
  readFile: (path: string) => string,
  machine: Machine = thisMachine(),
): Loaded {
  const flags = readFlags(argv);
  if (flags.has('help')) return { config: assemble(new Map(), machine), help: helpText(machine) };
  const path = flags.get('config')?.text;
  const file = path ? readSettings(path, readFile) : new Map<string, Given>();
  const layers = [flags, readEnvironment(env), file];
  const given = new Map<string, Given>();
  for (const { key } of ROWS) {
    const first = layers.map((layer) => layer.get(key)).find((each) => each?.text);
    if (first !== undefined) given.set(key, first);
  }
  return { config: assemble(given, machine) };
}

function assemble(given: ReadonlyMap<string, Given>, machine: Machine): Config {
  const value = <T>(row: Setting<T>): T => {
    const from = given.get(row.key);
    return from === undefined ? row.fallback(machine) : accepted(row, from);
  };
  const memoryLimitBytes = value(SETTINGS.memoryLimitBytes);
  const told = ROWS.map((row) => toldSetting(row, given.get(row.key), machine));
  const receiving = all(RECEIVER_SETTINGS, value);
  const received = receivedMemory(receiving, memoryLimitBytes);
  const metricsUrl = value(SETTINGS.metricsUrl);
  const restBytes = memoryLimitBytes - received.bytes - blocksBytes(metricsUrl, memoryLimitBytes);
  const memory = Object.freeze(divideMemory(restBytes, value(SETTINGS.workers)));
  return Object.freeze({
    ...all(SETTINGS, value),
    workers: memory.threads,
    memory,
    told,
    ...all(STORE_SETTINGS, value),
    ...all(ACCESS_SETTINGS, value),
    ...all(BUILD_SETTINGS, value),
    ...all(BILL_SETTINGS, value),
    ...all(BUCKET_SETTINGS, value),
    ...all(METRICS_SETTINGS, value),
    ...receiving,
    receiveSeries: received.series,
    ...all(SIZING_SETTINGS, value),
    ...all(CLUSTER_SETTINGS, value),
    ...all(EXTERNAL_SETTINGS, value),
    ...all(AUDIT_SETTINGS, value),
    ...all(OPERATIONS_SETTINGS, value),
    ...all(TLS_SETTINGS, value),
    ...all(AGENT_SETTINGS, value),
    ...all(CONTROL_PLANES, value),
    ...all(DISCOUNTS, value),
    prices: Object.freeze(all(PRICES, value)),
  });
}

function all<Values extends object>(rows: Rows<Values>, value: <T>(row: Setting<T>) => T): Values {
  const entries = Object.entries<Setting<unknown>>(rows);
  return Object.fromEntries(entries.map(([name, row]) => [name, value(row)])) as Values;
}

function accepted<T>(row: Setting<T>, { name, text }: Given): T {
  const value = row.read(text.trim());
  if (value !== undefined) return value;
  const hide = row.isUrl === true ? hideUrlSecrets : hideSecrets;
  const shown = row.isSecret === true ? '***' : hide(text).slice(0, 80);
  throw new Fault(`${name}: '${shown}' is not ${row.accepted}`, {
    parameter: name,
    hint: `for example ${row.example}`,
  });
}

/** Flags by key; `config` and `help` are not settings. */
function readFlags(argv: readonly string[]): Map<string, Given> {
  const names = [...ROW_BY_FLAG.keys(), 'config'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: withValues(argv, ROW_BY_FLAG),
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  const flags = new Map<string, Given>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw unknown('argument', token.value, names);
    if (token.kind === 'option-terminator') continue;
    const { name, rawName, value = '' } = token;
    if (name !== 'help' && !names.includes(name)) throw unknown('flag', rawName, names);
    const swallowed = !token.inlineValue && value.startsWith('--'); // the next flag, not a value
    if (name !== 'help' && (token.value === undefined || swallowed)) throw valueless(rawName);
    flags.set(ROW_BY_FLAG.get(name)?.key ?? name, { name: rawName, text: value });
  }
  return flags;
}

function valueless(flag: string): Fault {
  const example = ROW_BY_FLAG.get(flag.slice(2))?.example ?? 'prorata.yaml';
  return new Fault(`${flag} needs a value`, {
    parameter: flag,
    hint: `for example ${flag}=${example}`,
  });
}

function readEnvironment(env: Environment): Map<string, Given> {
  const variables = new Map<string, Given>();
  for (const { key, env: name } of ROWS) {
    const text = name === undefined ? undefined : env[name];
    if (name !== undefined && text !== undefined) variables.set(key, { name, text });
  }
  return variables;
}

/** Scalars stay text, as in flags and environment, so that all three are read alike. */
function readSettings(path: string, readFile: (path: string) => string): Map<string, Given> {
  let root: unknown;
  try {
    root = parseYamlTexts(readFile(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`--config: cannot read ${path}: ${reason}`, { parameter: '--config', cause });
  }
  const settings = new Map<string, Given>();
  for (const [key, text] of leaves(root, '')) {
    if (!KEYS.includes(key)) throw unknown(`key in ${path}`, key, KEYS);
    settings.set(key, { name: `${key} in ${path}`, text });
  }
  return settings;
}

/** Dotted paths and texts; a list or a bare text in the place of keys is listed by its own path. */
function leaves(node: unknown, path: string): (readonly [string, string])[] {
  if (node instanceof Map) {
    const within = path === '' ? '' : `${path}.`;
    return [...node].flatMap(([key, value]) => leaves(value, `${within}${String(key)}`));
  }
  if (typeof node === 'string') return path === '' && node === '' ? [] : [[path, node]];
  return node === null || node === undefined ? [] : [[`${path}[]`, '']];
}

function unknown(kind: string, name: string, names: readonly string[]): Fault {
  const near = nearest(name.replace(/^-+/, ''), names);
  const dashes = name.startsWith('-') ? '--' : '';
  return new Fault(`unknown ${kind}: '${name.slice(0, 80)}'`, {
    parameter: name,
    hint: near === undefined ? `known: ${names.join(', ')}` : `did you mean '${dashes}${near}'?`,
  });
}

function helpText(machine: Machine): string {
  const lines = ROWS.map((row) => {
    const flag = hasFlag(row) ? `--${flagOf(row)} VALUE` : '';
    const key = row.isSecret === true ? '' : row.key;
    const names = [flag, row.env ?? '', key].filter((name) => name !== '').join(', ');
    const otherwise = row.otherwise ?? String(row.fallback(machine));
    return `  ${names}\n      ${row.help}\n      default: ${otherwise}\n`;
  });
  return [
    'Settings: a flag wins over a variable, a variable over a key of the file, that over the default.',
    '',
    '  --config FILE\n      YAML with the keys named last in each line below\n',
    ...lines,
    '  --help, -h\n      this text\n',
  ].join('\n');
}

function hasFlag(row: Setting<unknown>): boolean {
  return (row.flag !== undefined || !row.key.includes('.')) && row.isSecret !== true;
}

function flagOf(row: Setting<unknown>): string {
  return row.flag ?? row.key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function thisMachine(): Machine {
  // Without a limit libuv returns 0, undefined or a number beyond any memory.
  const limitBytes = process.constrainedMemory() || Infinity;
  return { cores: availableParallelism(), memoryBytes: Math.min(limitBytes, totalmem()) };
}
