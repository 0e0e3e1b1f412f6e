/** Days of allocations and of a cloud bill, imported into a folder, and a server on it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFocus } from '../../../src/commands/import-focus.ts';
import { importHistory } from '../../../src/commands/import.ts';
import { focusCsv } from '../stores/focus-rows.ts';
import { errorOf, startBundleServer, type BundleServer } from './bundle-server.ts';
import { DAY_MS, FIRST_MS } from '../stores/saved-days.ts';

/** What a row costs, USD, and what it is of. */
export interface EstateRow {
  /** `cluster/node/namespace/pod/container`, or `cluster/node/__idle__`. */
  readonly name: string;
  readonly usd: number;
  /** Beside CPU. */
  readonly volume?: { readonly usd: number; readonly id: string };
  /** `kind:name` */
  readonly controller?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Provider id of the node; absent: made of its name. */
  readonly providerId?: string;
}

export interface EstateItem {
  readonly usd: number;
  readonly service?: string;
  readonly resource?: string;
}

export interface EstateDay {
  readonly rows: readonly EstateRow[];
  readonly items: readonly EstateItem[];
}

/** The provider id of a node that is not given another. */
export function nodeId(node: string): string {
  return `aws:///eu-1a/i-${node}`;
}

export function dayWindow(day: number, days: number = 1): string {
  return `${isoDay(day)},${isoDay(day + days)}`;
}

function isoDay(day: number): string {
  return new Date(FIRST_MS + day * DAY_MS).toISOString().replace('.000', '');
}

/** @param folder is there, empty @param days from FIRST_MS on */
export async function startEstate(
  folder: string,
  days: readonly EstateDay[],
): Promise<BundleServer> {
  const data = join(folder, 'data');
  const allocations = join(folder, 'allocations.json');
  writeFileSync(allocations, JSON.stringify({ code: 200, data: days.map(allocationsOf) }));
  await importHistory(['allocations', allocations, '--data-dir', data]);
  const bill = join(folder, 'bill.csv');
  const lines = days.flatMap(({ items }, day) => items.map((item) => lineOf(item, day)));
  writeFileSync(bill, focusCsv(...lines));
  if (lines.length > 0) await importFocus([bill, '--as', 'cloud', '--data-dir', data]);
  return await startBundleServer(['--workers=1', '--data-dir', data]);
}

function allocationsOf({ rows }: EstateDay, day: number): object {
  const window = { start: isoDay(day), end: isoDay(day + 1) };
  return Object.fromEntries(rows.map((row) => [row.name, allocationOf(row, window)]));
}

function allocationOf(row: EstateRow, window: object): object {
  const [cluster = '', node = '', namespace = '', pod = '', container = ''] = row.name.split('/');
  const [controllerKind, controller] = row.controller?.split(':') ?? [];
  const isIdle = namespace === '__idle__';
  const place = isIdle ? {} : { namespace, pod, container, controller, controllerKind };
  const own = { labels: row.labels, providerID: row.providerId ?? nodeId(node) };
  return {
    name: row.name,
    properties: { cluster, node, ...place, ...own },
    window,
    cpuCost: row.usd,
    ...(row.volume ? { pvs: volumesOf(cluster, row.volume) } : {}),
    totalCost: row.usd + (row.volume?.usd ?? 0),
  };
}

function volumesOf(
  cluster: string,
  { usd: cost, id: providerID }: { usd: number; id: string },
): object {
  return { [`cluster=${cluster}:name=${providerID}`]: { byteHours: 1, cost, providerID } };
}

function lineOf({ usd, service = 'AmazonEC2', resource = '' }: EstateItem, day: number): Record<string, string> {
  const cost = String(usd);
  const [start, end] = [isoDay(day), isoDay(day + 1)];
  return {
    BilledCost: cost,
    ContractedCost: cost,
    EffectiveCost: cost,
    ListCost: cost,
    BillingPeriodStart: '2026-01-01T00:00:00Z',
    BillingPeriodEnd: '2026-02-01T00:00:00Z',
    ChargePeriodStart: start,
    ChargePeriodEnd: end,
    ServiceName: service,
    ResourceId: resource,
    SubAccountId: 'account',
  };
} // prettier-ignore

/** The body of an answer with status 200. */
export async function bodyOf<T = Record<string, unknown>>(server: BundleServer, path: string): Promise<T> {
  const answer = await server.ask(path);
  if (answer.status !== 200) throw new Error(`${path}: ${errorOf(answer).message}`);
  return JSON.parse(answer.text) as T;
} // prettier-ignore

const JSON_TYPE = { 'content-type': 'application/json' };

/** Makes a collection. @returns its id */
export async function collect(server: { readonly url: string }, body: object): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify(body), headers: JSON_TYPE };
  const response = await fetch(`${server.url}/collections`, init);
  const { id, message } = (await response.json()) as { id?: string; message?: string };
  if (id === undefined) throw new Error(message);
  return id;
}

export async function shareIdle(server: BundleServer, idle: string): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify({ idle }), headers: JSON_TYPE };
  await fetch(`${server.url}/collection/configs`, init);
}

export const rowsOf = (filterString: string): { selectors: object } => ({
  selectors: { kubernetes: { kind: 'container', filterString } },
});
export const itemsOf = (filterString: string): { selectors: object } => ({
  selectors: { cloud: { filterString } },
});
