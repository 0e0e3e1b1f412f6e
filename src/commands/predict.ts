/** `prorata predict`: predicts the costs of manifests, from a server or from a folder of stored sets. */
import type { Config } from '../settings/config.ts';
import { parseQuery } from '../http/index.ts';
import { createLogger } from '../terminal/log.ts';
import {
  PREDICTION_PARAMETERS,
  predictCosts,
  readPredictionPlan,
  type Prediction,
} from '../prediction/index.ts';
import { Fault, FoundCaveats, messageOf } from '../query/index.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { openHotSets } from '../server/caches.ts';
import { clockOf } from '../server/clock.ts';
import { bookOf, startEngine } from '../server/engine.ts';
import { requestPrediction } from './request-prediction.ts';
import { flagsHelp, takeFlags, type Flag } from '../terminal/flags.ts';
import { openInput } from '../terminal/input-file.ts';
import { predictionTable } from '../terminal/prediction-table.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';
import { LateWorkers, openQueriedSets } from '../server/open-sets.ts';
import { storeOf } from '../settings/store.ts';

/** The exit code for a change that costs more than allowed. */
const EXIT_EXCEEDED = 3;

const FLAGS: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    help: 'manifests in YAML or JSON; - is standard input',
  },
  { name: 'url', value: 'URL', help: 'of a running server that predicts, instead of --data-dir' },
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

interface PredictArguments {
  readonly config: Config;
  readonly file: string;
  readonly url: string | undefined;
  readonly failAboveUsd: number;
  readonly isJson: boolean;
  /** In the form of a URL's query. */
  readonly query: string;
}

export async function predict(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): PredictArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  const [file, url] = [values.get('file'), values.get('url')];
  if (file === undefined)
    throw new Fault('predict needs a file', { hint: 'for example -f web.yaml' });
  if (url === undefined && storeOf(config).kind === 'memory') {
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
  const { calendar, nowMs } = clockOf(config);
  readPredictionPlan(parseQuery(query), calendar, nowMs()); // a mistake is refused before anything is read
  const failAboveUsd = readUsd(values.get('fail-above'));
  return { config, file, url, failAboveUsd, isJson: values.has('json'), query };
}

/** Infinity: no limit. */
function readUsd(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const usd = /^-?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (!Number.isNaN(usd)) return usd;
  throw new Fault(`--fail-above: '${text}' is no amount of USD a month`, {
    parameter: '--fail-above',
    hint: 'for example --fail-above 50',
  });
}

async function run(args: PredictArguments, signal: AbortSignal): Promise<void> {
  const bytes = await bytesOf(args.file);
  const { predictions, warnings } = await (args.url === undefined
    ? predictHere(args, bytes, signal)
    : requestPrediction(args.url, args.query, bytes.toString('utf8'), signal));
  const shown = args.isJson ? `${JSON.stringify(predictions)}\n` : predictionTable(predictions);
  process.stdout.write(shown);
  for (const warning of warnings) warn(warning);
  const changeUsd = predictions.reduce(
    (sum, { costChange }) => sum + costChange.totalMonthlyRate,
    0,
  );
  if (changeUsd <= args.failAboveUsd) return;
  const [by, limit] = [changeUsd.toFixed(2), args.failAboveUsd];
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
  { config, query }: PredictArguments,
  manifests: Uint8Array,
  signal: AbortSignal,
): Promise<Predicted> {
  const workers = new LateWorkers();
  const sets = await openQueriedSets(config, workers);
  const { calendar, nowMs } = clockOf(config, sets);
  const plan = readPredictionPlan(parseQuery(query), calendar, nowMs());
  const engine = await startEngine(config, createLogger('silent'));
  try {
    const { compute } = engine;
    workers.connect(compute.pool);
    const hot = openHotSets(compute, 0, signal);
    const caveats = new FoundCaveats();
    const options = { sets, hot, compute, book: bookOf(config) };
    const answer = await predictCosts(options, plan, manifests, caveats, signal);
    const predictions = JSON.parse(Buffer.from(answer).toString()) as Prediction[];
    return { predictions, warnings: caveats.warnings.map(messageOf) };
  } finally {
    await engine.close();
    await sets.close();
  }
}
