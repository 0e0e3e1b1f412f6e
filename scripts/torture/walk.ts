/** A random walk: servers of many shapes, asked by many readers at once for as long as it may take. */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../bench/random.ts';
import type { Reading } from './client.ts';
import { examineCurl, examineExport, isExported } from './commands.ts';
import { examine, type Question } from './judge.ts';
import { nameOf, NOW, Server, type ServerFlags } from './server.ts';
import type { Store } from './stores.ts';
import type { Tally } from './tally.ts';

export interface WalkOptions {
  /** The folder of the sources whose bundle is tried. */
  readonly tree: string;
  readonly stores: readonly Store[];
  readonly seed: number;
  readonly minutes: number;
  readonly workers: readonly number[];
  readonly frontEnds: readonly ServerFlags['frontEnd'][];
  /** Undefined: the server's own choice. */
  readonly memoryLimits: readonly (string | undefined)[];
  readonly isChecked: boolean;
  readonly note: (line: string) => void;
}

const ROUND_MIN_MS = 15_000;
const ROUND_MAX_MS = 120_000;
const ROUNDS = 16;
const CLIENTS_MAX = 6;
const GZIP_SHARE = 0.3;
const CURL_SHARE = 0.05;
const EXPORT_SHARE = 0.03;
/** Gzip makes rows about so much shorter. */
const GZIP_FACTOR = 8;
/** Readers ask for the round's favourite so often: that is how answers come to be shared. */
const FAVOURITE_SHARE = 0.4;

/** Neighbouring seeds begin alike otherwise. */
const SPREAD = 2_654_435_761;

type Random = () => number;

export async function walk(options: WalkOptions, tally: Tally): Promise<void> {
  const random = seededRandom(options.seed * SPREAD);
  const endMs = performance.now() + 60_000 * options.minutes;
  const share = (60_000 * options.minutes) / ROUNDS;
  const roundMs = Math.min(ROUND_MAX_MS, Math.max(ROUND_MIN_MS, share));
  for (let round = 1; performance.now() < endMs; round++) {
    const store = pick(random, options.stores);
    const flags: ServerFlags = {
      workers: pick(random, options.workers),
      frontEnd: pick(random, options.frontEnds),
      memoryLimit: pick(random, options.memoryLimits),
      store,
      isChecked: options.isChecked,
      isBuilding: true,
    };
    const clients = 1 + Math.floor(random() * CLIENTS_MAX);
    const name = `round ${round}, ${nameOf(flags)}`;
    const server = await Server.start(options.tree, flags);
    const until = Math.min(endMs, performance.now() + roundMs);
    const favourite = pick(random, store.questions);
    const seeds = Array.from({ length: clients }, () => Math.floor(random() * 2 ** 31));
    await Promise.all(
      seeds.map((seed) => {
        const settings = ['--timezone=UTC', `--now=${NOW}`, `--workers=${flags.workers}`];
        const own = { server, store, favourite, untilMs: until, name, tally };
        const client = { ...own, tree: options.tree, settings };
        return runClient(client, seededRandom(seed));
      }),
    );
    await server.stop();
    tally.addServer(server, { ...flags });
    options.note(`${name}, ${clients} clients: ${tally.line()}`);
  }
}

interface Client {
  readonly tree: string;
  /** For processes beside the server. */
  readonly settings: readonly string[];
  readonly server: Server;
  readonly store: Store;
  readonly favourite: Question;
  readonly untilMs: number;
  readonly name: string;
  readonly tally: Tally;
}

async function runClient(client: Client, random: Random): Promise<void> {
  const { server, store, favourite, untilMs, name, tally } = client;
  while (performance.now() < untilMs && server.isAlive) {
    const question = random() < FAVOURITE_SHARE ? favourite : pick(random, store.questions);
    const acceptsGzip = random() < GZIP_SHARE;
    const wireBytes = question.body.bytes / (acceptsGzip ? GZIP_FACTOR : 1);
    const program = random();
    if (program < CURL_SHARE) {
      const rate = Math.max(100_000, question.body.bytes / (0.5 + 4 * random()));
      tally.add(await examineCurl(server.url, question, rate), `${name}, curl: ${question.path}`);
      continue;
    }
    if (program > 1 - EXPORT_SHARE && isExported(question)) {
      const outcome = await examineExport(client.tree, store, question, client.settings);
      tally.add(outcome, `${name}, export: ${question.path}`);
      continue;
    }
    const reading = anyReading(random, wireBytes);
    const goesOn = random() < 0.5;
    const outcome = await examine(server.url, question, { acceptsGzip, reading, goesOn });
    const coding = acceptsGzip ? ', gzip' : '';
    tally.add(outcome, `${name}, ${reading.kind}${coding}: ${question.path}`);
    // Whoever is refused at once must not ask in a tight loop.
    if (outcome.verdict === 'refused') await sleep(50);
  }
}

/** @param bytes about so many come on the wire */
function anyReading(random: Random, bytes: number): Reading {
  const kind = random();
  const pause = (): number => 100 + 4900 * random() ** 3;
  if (kind < 0.5) return { kind: 'steady', pauses: [] };
  if (kind < 0.62) {
    const seconds = 0.5 + 5 * random();
    return { kind: 'slow', pauses: [], bytesPerSecond: Math.max(10_000, bytes / seconds) };
  }
  if (kind < 0.75) {
    const places = Array.from({ length: 1 + Math.floor(4 * random()) }, () => bytes * random());
    const pauses = places.toSorted((a, b) => a - b).map((at) => ({ afterBytes: at, ms: pause() }));
    return { kind: 'pausing', pauses };
  }
  if (kind < 0.85) return { kind: 'late', pauses: [{ afterBytes: 1, ms: pause() }] };
  const pauses = random() < 0.5 ? [] : [{ afterBytes: 1, ms: pause() }];
  return { kind: 'vanishing', pauses, leavesAfterBytes: 1 + bytes * random() };
}

function pick<T>(random: Random, from: readonly T[]): T {
  const place = Math.floor(random() * from.length);
  return from[place] as T;
}
