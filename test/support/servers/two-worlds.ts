/**
 * Two servers whose worlds differ only in rows that callers with a filter may not see: names, sizes and number of others'
 * pods and clusters, their bills, their collections. What is asked of them is made of the document of their API.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFocus } from '../../../src/commands/import-focus.ts';
import { testSeries, worldSeries } from '../fleets/world.ts';
import { focusCsv, type FocusRow } from '../stores/focus-rows.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../stores/scripted-store.ts';
import { remoteReads } from '../stores/series-store.ts';
import type { ToldSeries } from '../stores/series-file.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.UTC(2024, 4, 1);
const DAYS = 2;
const NOW = new Date(FIRST_MS + DAYS * DAY_MS + 1.5 * HOUR_MS).toISOString();

/** Rows that are the same in both worlds. */
export const OWN_NAMESPACE = 'mine';
/** Callers, each with the role admin: what is refused is refused for the filter. */
export const SCOPES: Readonly<Record<string, string>> = {
  byNamespace: 'namespace:"mine"',
  byLabel: 'label[team]:"red"',
  byPods: '(pod<~:"web"|pod<~:"log")+namespace:"mine"+cluster:"eu"',
};

/** Others in a world: namespaces on the caller's nodes with what their pods request, and clusters. */
interface Others {
  readonly namespaces: Readonly<Record<string, number>>;
  readonly clusters: readonly string[];
  readonly billed: Readonly<Record<string, number>>;
  /** Names by category. */
  readonly collections: Readonly<Record<string, string>>;
}

export const OTHERS: readonly [Others, Others] = [
  {
    namespaces: { payroll: 1.5 },
    clusters: ['us'],
    billed: { AmazonS3: 40 },
    collections: { Salaries: 'payroll' },
  },
  {
    namespaces: { takeover: 0.5, layoffs: 2.5 },
    clusters: ['secret', 'spare'],
    billed: { AmazonS3: 700, AmazonRDS: 12 },
    collections: { Bids: 'takeover', Cuts: 'layoffs' },
  },
];

export interface WorldAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface World {
  readonly server: ServerProcess;
  /** @param as a key of SCOPES, or `admin`, who sees all rows */
  ask(as: string, asking: Asking): Promise<WorldAnswer>;
  stop(): Promise<void>;
}

/** @param command another one than users start */
export async function startWorlds(command?: string): Promise<readonly [World, World]> {
  return await Promise.all([startWorld(OTHERS[0], command), startWorld(OTHERS[1], command)]);
}

async function startWorld(others: Others, command: string | undefined): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'prorata-worlds-'));
  const series = seriesOf(others);
  const store = await startScriptedStore(remoteReads(() => series));
  await writeBill(home, others);
  writeFileSync(join(home, 'tokens.yaml'), tokens());
  const flags = ['--data-dir=data', `--now=${NOW}`, '--timezone=UTC', '--workers=1', '--refresh=5m', `--retention=${DAYS + 1}d`, '--metrics-reader=remote-read', `--metrics-url=${store.url}`, '--auth=tokens', '--tokens=tokens.yaml', '--failed-sign-ins=0']; // prettier-ignore
  const server = await startServerProcess(flags, {
    cwd: home,
    ...(command === undefined ? {} : { command }),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask: World['ask'] = async (as, asking) => {
    const answer = await answerOf(server.url, agent, as, asking);
    return { ...answer, body: withoutPort(answer.body, store.url) };
  };
  const stop = (): Promise<void> => stopped(server, store, agent, home);
  try {
    await built(ask, server);
    for (const [category, namespace] of Object.entries(others.collections))
      await collect(ask, category, namespace);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, ask, stop };
}

/** `/version` names the store, whose port is of no world. */
function withoutPort(body: Buffer, url: string): Buffer {
  return body.includes(url) ? Buffer.from(body.toString().replaceAll(url, 'http://store')) : body;
}

async function stopped(
  server: ServerProcess,
  store: ScriptedStore,
  agent: Agent,
  home: string,
): Promise<void> {
  agent.destroy();
  await server.stop();
  await store.stop();
  rmSync(home, { recursive: true, force: true });
}

async function built(ask: World['ask'], server: ServerProcess): Promise<void> {
  for (;;) {
    const { body } = await ask('admin', { method: 'GET', path: '/readyz?verbose' });
    const { backfill } = JSON.parse(body.toString()) as {
      readonly backfill?: { readonly done: number; readonly failing: readonly string[] };
    };
    if (backfill !== undefined && backfill.failing.length > 0)
      throw new Error([body.toString(), ...server.lines].join('\n'));
    if (backfill !== undefined && backfill.done > DAYS) return;
    await sleep(50);
  }
}

async function collect(ask: World['ask'], category: string, namespace: string): Promise<void> {
  const kubernetes = { kind: 'container', filterString: `namespace:"${namespace}"` };
  const body = JSON.stringify({
    name: namespace,
    category,
    groups: [{ selectors: { kubernetes } }],
  });
  const made = await ask('admin', { method: 'POST', path: '/collections', body });
  if (made.status !== 200) throw new Error(made.body.toString());
}

function seriesOf({ namespaces, clusters }: Others): TestSeries[] {
  const scraped = {
    startMs: FIRST_MS - HOUR_MS,
    endMs: FIRST_MS + DAYS * DAY_MS + HOUR_MS,
    everyMs: 600_000,
  };
  const shared = worldSeries({ cluster: 'eu', lacks: new Set(), scraped });
  const [ofPods, ofNodes] = [true, false].map((is) => shared.filter((one) => isOfPods(one) === is));
  const theirs = Object.entries(namespaces).flatMap(([namespace, factor]) =>
    (ofPods ?? [])
      .filter(({ labels }) => labels['resource'] !== 'nvidia_com_gpu')
      .map((one) => moved(one, namespace, factor)),
  );
  const mine = (ofPods ?? []).map((one) => moved(one, OWN_NAMESPACE, 1));
  const far = clusters
    .flatMap((cluster) => worldSeries({ cluster, lacks: new Set(), scraped }))
    .map((one) => moved(one, `${String(one.labels['cluster_id'])}-shop`, 1));
  return testSeries([...(ofNodes ?? []), ...mine, ...theirs, ...far]);
}

function isOfPods({ labels }: ToldSeries): boolean {
  return 'namespace' in labels || 'persistentvolume' in labels;
}

/** Labels that name what only one namespace has. */
const NAMING = [
  'pod',
  'pod_name',
  'uid',
  'persistentvolume',
  'volumename',
  'pod_ip',
  'ip',
  'hostname',
];

function moved(
  { name, labels, samples }: ToldSeries,
  namespace: string,
  factor: number,
): ToldSeries {
  const isOwn = namespace === OWN_NAMESPACE;
  const named = Object.entries(labels).map(([label, value]) => [
    label,
    isOwn || !NAMING.includes(label)
      ? value
      : label.endsWith('ip')
        ? String(value).replace('10.0.0.', `10.${namespace.length}.0.`)
        : `${namespace}-${value}`,
  ]);
  const place = 'namespace' in labels ? { namespace } : {};
  const team = 'label_team' in labels ? { label_team: isOwn ? 'red' : 'blue' } : {};
  const isAmount =
    name.includes('resource_requests') ||
    name.includes('usage_seconds') ||
    name.includes('egress_bytes');
  return {
    name,
    labels: { ...(Object.fromEntries(named) as ToldSeries['labels']), ...place, ...team },
    samples: samples.map(([ms, value]) => [ms, isAmount ? value * factor : value] as const),
  };
}

async function writeBill(home: string, { billed }: Others): Promise<void> {
  const rows = Array.from({ length: DAYS }, (_, day) => [
    line(day, 'AmazonEC2', 6, { ResourceId: 'i-eun1' }),
    line(day, 'AmazonS3', 3, { ResourceId: 'own', Tags: '{"team":"red"}' }),
    ...Object.entries(billed).map(([service, usd]) => line(day, service, usd, { ResourceId: 'theirs', Tags: '{"team":"blue"}' })),
  ]); // prettier-ignore
  const file = join(home, 'bill.csv');
  writeFileSync(file, focusCsv(...rows.flat()));
  await importFocus([file, '--as', 'cloud', '--quiet', '--data-dir', join(home, 'data')]);
}

function line(day: number, service: string, usd: number, more: FocusRow): FocusRow {
  const at = (ms: number): string => new Date(ms).toISOString();
  const cost = String(usd);
  return {
    BilledCost: cost,
    ContractedCost: cost,
    EffectiveCost: cost,
    ListCost: cost,
    BillingPeriodStart: '2024-05-01T00:00:00Z',
    BillingPeriodEnd: '2024-06-01T00:00:00Z',
    ChargePeriodStart: at(FIRST_MS + day * DAY_MS),
    ChargePeriodEnd: at(FIRST_MS + (day + 1) * DAY_MS),
    ServiceName: service,
    ...more,
  };
}

function tokens(): string {
  const callers = [
    ['admin', ''],
    ...Object.entries(SCOPES).map(([name, filter]) => [name, `, filter: '${filter}'`]),
  ];
  return callers
    .map(
      ([name = '', rows = '']) =>
        `- {name: ${name}, sha256: ${createHash('sha256').update(name).digest('hex')}, roles: [admin]${rows}}\n`,
    )
    .join('');
}

/** Headers that change with each answer. */
const LEFT_OUT: ReadonlySet<string> = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

function answerOf(
  url: string,
  agent: Agent,
  as: string,
  { method, path, body, headers = {} }: Asking,
): Promise<WorldAnswer> {
  const own =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}${path}`,
      { method, agent, headers: { authorization: `Bearer ${as}`, ...own, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        response.on('end', () => {
          const told = Object.entries(response.headers).filter(([name]) => !LEFT_OUT.has(name));
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(told.map(([name, value]) => [name, String(value)])),
            body: Buffer.concat(parts),
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** What was compared, and what differs. */
export interface Compared {
  /** Answers of both worlds together. */
  readonly answers: number;
  /** Second answers to a tag of the first: 304 in both worlds. */
  readonly unchanged: number;
  readonly differences: readonly string[];
}

/** Asks a caller's question in both worlds, and again with the tag of the first. */
export async function compareIn(
  worlds: readonly [World, World],
  as: string,
  asking: Asking,
): Promise<Compared> {
  const [one, other] = await bothOf(worlds, as, asking);
  const difference = differenceOf(one, other);
  const about = `${as}: ${asking.method} ${asking.path} ${asking.body ?? ''}`;
  if (difference !== undefined)
    return { answers: 2, unchanged: 0, differences: [`${about}\n${difference}`] };
  const { etag } = one.headers;
  if (etag === undefined) return { answers: 2, unchanged: 0, differences: [] };
  const again = await bothOf(worlds, as, { ...asking, headers: { 'if-none-match': etag } });
  const isUnchanged = again.every(({ status }) => status === 304);
  const differences = isUnchanged ? [] : [`${about}: ${again.map(({ status }) => status).join()} for the tag of the first`]; // prettier-ignore
  return { answers: 4, unchanged: isUnchanged ? 1 : 0, differences };
}

export async function isTellingApart(
  worlds: readonly [World, World],
  asking: Asking,
): Promise<boolean> {
  const [one, other] = await bothOf(worlds, 'admin', asking);
  return differenceOf(one, other) !== undefined;
}

async function bothOf(
  [one, other]: readonly [World, World],
  as: string,
  asking: Asking,
): Promise<readonly [WorldAnswer, WorldAnswer]> {
  return await Promise.all([one.ask(as, asking), other.ask(as, asking)]);
}

function differenceOf(one: WorldAnswer, other: WorldAnswer): string | undefined {
  const heads = [one, other].map(({ status, headers }) => JSON.stringify([status, headers]));
  if (one.body.equals(other.body)) return heads[0] === heads[1] ? undefined : heads.join('\n');
  const [a, b] = [one.body.toString('latin1'), other.body.toString('latin1')];
  let at = 0;
  while (a[at] === b[at]) at++;
  return [a, b]
    .map((text, i) => `${[one, other][i]?.status}: ${text.slice(Math.max(0, at - 120), at + 120)}`)
    .join('\n');
}
