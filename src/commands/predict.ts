/** `prorata predict`: what manifests will cost, by a server or by a folder of stored sets. */
import { HotSets } from '../allocation/index.ts';
import type { Config } from '../config.ts';
import { parseQuery } from '../http/index.ts';
import { createLogger } from '../log.ts';
import {
  PREDICTION_PARAMETERS,
  predictCosts,
  readPredictionPlan,
  type Prediction,
} from '../prediction/index.ts';
import { Fault } from '../query/index.ts';
import { openReadOnly } from '../storage/index.ts';
import { runAsked, SettingsHelp } from './asked.ts';
import { askPrediction } from './ask-prediction.ts';
import { startEngine, timeOf } from './engine.ts';
import { flagsHelp, takeFlags, type Flag } from './flags.ts';
import { openInput } from './input-file.ts';
import { predictionTable } from './prediction-table.ts';
import { loadSettings } from './settings.ts';
import { warn } from './warn.ts';

/** Of a change that costs more than is allowed. */
const EXIT_EXCEEDED = 3;

const FLAGS: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    help: 'manifests in YAML or JSON; - is standard input',
  },
  { name: 'url', value: 'URL', help: 'of a server that is asked, instead of --data-dir' },
  {
    name: 'fail-above',
    value: 'USD',
    help: 'ends with 3 where all changes together cost more a month',
  },
  { name: 'json', help: 'the answer of POST /model/prediction/speccost' },
  ...PREDICTION_PARAMETERS,
];

const HELP = `prorata predict -f FILE --url URL | --data-dir FOLDER [flags]

  What the Deployments, StatefulSets and Pods of a file will cost a month of 730 hours, what they cost now,
  and the difference. --clusterID is --cluster-id where it is not given, --defaultNamespace is default.
  Ends with 0, with 1 on an error, with 2 on wrong usage, with 3 where --fail-above is exceeded, with
  130 when interrupted.

  kustomize build . | prorata predict -f - --url http://prorata:9003 --clusterID production --fail-above 50

${flagsHelp(FLAGS)}`;

interface Asked {
  readonly config: Config;
  readonly file: string;
  readonly url: string | undefined;
  readonly failAboveUsd: number;
  readonly isJson: boolean;
  /** As in a URL. */
  readonly query: string;
}

export async function predict(argv: readonly string[]): Promise<void> {
  await runAsked({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): Asked | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  const [file, url] = [values.get('file'), values.get('url')];
  if (file === undefined)
    throw new Fault('predict needs a file', { hint: 'for example -f web.yaml' });
  if (url === undefined && config.dataDir === undefined) {
    throw new Fault('predict needs a server or a folder', {
      hint: 'for example --url http://127.0.0.1:9003 or --data-dir /var/lib/prorata',
    });
  }
  const given = new Map([
    ['clusterID', config.clusterId],
    ['defaultNamespace', 'default'],
    ...values,
  ]);
  const parameters = new URLSearchParams();
  for (const { name } of PREDICTION_PARAMETERS) parameters.append(name, given.get(name) ?? '');
  const query = parameters.toString();
  const { calendar, nowMs } = timeOf(config);
  readPredictionPlan(parseQuery(query), calendar, nowMs()); // a mistake is told before anything is read
  const failAboveUsd = readUsd(values.get('fail-above'));
  return { config, file, url, failAboveUsd, isJson: values.has('json'), query };
}

/** Infinity: nothing is too much. */
function readUsd(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const usd = /^-?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (!Number.isNaN(usd)) return usd;
  throw new Fault(`--fail-above: '${text}' is no amount of USD a month`, {
    parameter: '--fail-above',
    hint: 'for example --fail-above 50',
  });
}

async function run(asked: Asked, signal: AbortSignal): Promise<void> {
  const bytes = await bytesOf(asked.file);
  const { predictions, warnings } = await (asked.url === undefined
    ? predictHere(asked, bytes, signal)
    : askPrediction(asked.url, asked.query, bytes.toString('utf8'), signal));
  const shown = asked.isJson ? `${JSON.stringify(predictions)}\n` : predictionTable(predictions);
  process.stdout.write(shown);
  for (const warning of warnings) warn(warning);
  const changeUsd = predictions.reduce(
    (sum, { costChange }) => sum + costChange.totalMonthlyRate,
    0,
  );
  if (changeUsd <= asked.failAboveUsd) return;
  const [by, limit] = [changeUsd.toFixed(2), asked.failAboveUsd];
  process.stderr.write(`prorata: costs change by $${by} a month, more than $${limit}\n`);
  process.exitCode = EXIT_EXCEEDED;
}

async function bytesOf(file: string): Promise<Buffer> {
  const input = await openInput(file, () => undefined);
  const chunks: Uint8Array[] = [];
  for await (const chunk of input.chunks()) chunks.push(Buffer.from(chunk));
  await input.close();
  return Buffer.concat(chunks);
}

export interface Predicted {
  readonly predictions: readonly Prediction[];
  readonly warnings: Iterable<string>;
}

async function predictHere(
  { config, query }: Asked,
  manifests: Uint8Array,
  signal: AbortSignal,
): Promise<Predicted> {
  const { calendar, nowMs } = timeOf(config);
  const plan = readPredictionPlan(parseQuery(query), calendar, nowMs());
  const sets = await openReadOnly(config.dataDir ?? '');
  const engine = await startEngine(config, createLogger('silent'));
  try {
    const { arena, owners, pool } = engine;
    const hot = new HotSets({
      arena,
      owners,
      budgetBytes: 0,
      read: (stored, owner, columns) => pool.run('readColumns', { stored, owner, columns }, signal),
    });
    const warnings = new Set<string>();
    const options = { ...engine, sets, hot };
    const answer = await predictCosts(options, plan, manifests, warnings, signal);
    const predictions = JSON.parse(Buffer.from(answer).toString()) as Prediction[];
    return { predictions, warnings };
  } finally {
    await engine.close();
  }
}
