/**
 * Many questions of every kind at once over one server, as its users ask them: read whole, compressed,
 * slowly, or left in the midst. Counts what came of them, and looks at no answer.
 */
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../bench/random.ts';

export interface MixedLoadOptions {
  readonly url: string;
  /** `start,end` of all days that may be asked about. */
  readonly days: { readonly firstMs: number; readonly count: number };
  /** Questions at once. */
  readonly lanes: number;
  readonly seed: number;
}

export interface MixedLoad {
  /** By status; 0: the connection broke, other than by this side. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Resolves when all questions under way have ended. */
  stop(): Promise<void>;
}

/** How an answer is read. */
type Reading = 'whole' | 'slowly' | 'a part';

const DAY_MS = 86_400_000;
const FORMATS = ['json', 'json', 'csv', 'ndjson', 'arrow'];
const AGGREGATES = ['', 'pod', 'namespace', 'controller', 'cluster,node', 'label:app', 'container'];
const READINGS: readonly Reading[] = ['whole', 'whole', 'whole', 'whole', 'slowly', 'a part'];
const SLOW_PAUSE_MS = 100;
/** A slow reader is done after so many pauses. */
const PAUSES = 30;

export function startMixedLoad(options: MixedLoadOptions): MixedLoad {
  const statuses = new Map<number, number>();
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const lanes = Array.from({ length: options.lanes }, async (_, lane) => {
    const pick = picker(seededRandom(1000 * options.seed + lane));
    while (!stopping.signal.aborted) {
      const path = question(pick, options.days);
      const reading = pick(READINGS);
      const encoding = pick(['identity', 'gzip']);
      const status = await ask(agent, options.url + path, encoding, reading);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 503 || status === 0) await sleep(50);
    }
  });
  return {
    statuses,
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
      agent.destroy();
    },
  };
}

type Pick = <T>(choices: readonly T[]) => T;

function picker(random: () => number): Pick {
  return (choices) => choices[Math.floor(random() * choices.length)] as (typeof choices)[number];
}

function question(pick: Pick, { firstMs, count }: MixedLoadOptions['days']): string {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const first = pick(numbers);
  const last = pick(numbers.slice(first));
  const [from, to] = [first, last + 1].map((day) => new Date(firstMs + day * DAY_MS).toISOString());
  const window = `window=${from},${to}`;
  const aggregate = (): string => {
    const names = pick(AGGREGATES);
    return names === '' ? '' : `&aggregate=${names}`;
  };
  const many = (): string => String(pick(Array.from({ length: 500 }, (_, i) => i)));
  const allocations = (): string =>
    `/model/allocation?${window}${aggregate()}&accumulate=${pick(['true', 'false'])}` +
    `&format=${pick(FORMATS)}&idle=${pick(['true', 'false'])}` +
    pick([
      '',
      `&filter=namespace!:"none-${many()}"`,
      `&limit=50&offset=${many()}`,
      '&columns=full',
    ]);
  return pick([
    allocations,
    allocations,
    allocations,
    () => `/model/allocation/summary?${window}${aggregate()}&limit=${many()}`,
    () => `/model/allocation/summary/topline?${window}&aggregate=${pick(['namespace', 'pod'])}`,
    () => `/model/allocation/autocomplete?${window}&field=${pick(['pod', 'namespace', 'label'])}`,
    () => `/model/allocation/compute?window=${pick(['2h', '6h', '24h'])}${aggregate()}`,
    () => `/model/assets?${window}&aggregate=${pick(['type', 'cluster,type', 'name'])}`,
    () => `/model/savings/requestSizingV2?${window}&limit=${many()}`,
    () => `/model/savings/clusterSizingETL?${window}`,
    () => `/model/cloudCost?${window}`,
  ])();
}

function ask(agent: Agent, url: string, encoding: string, reading: Reading): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'accept-encoding': encoding };
    const asked = request(url, { agent, headers }, (response) => {
      const { statusCode = 0 } = response;
      response.once('close', () =>
        resolve(response.complete || reading !== 'whole' ? statusCode : 0),
      );
      response.on('error', () => undefined);
      if (reading === 'slowly') readSlowly(response);
      else if (reading === 'a part') response.once('data', () => response.destroy());
      if (reading !== 'slowly') response.resume();
    });
    asked.on('error', () => resolve(0)).end();
  });
}

function readSlowly(response: IncomingMessage): void {
  let pauses = 0;
  response.on('data', () => {
    if (++pauses > PAUSES) return void response.destroy();
    response.pause();
    setTimeout(() => response.resume(), SLOW_PAUSE_MS);
  });
}
