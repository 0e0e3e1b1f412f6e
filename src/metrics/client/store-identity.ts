/** Name, version and oldest sample of a store. */
import type { Deadline } from './deadline.ts';
import type { HttpCall } from './http-call.ts';
import type { StoreClient } from './store-client.ts';
import { StoreFailure } from './store-failure.ts';

export interface StoreIdentity {
  /** `Prometheus` unless the store has another name, as Mimir does; `unknown` without build info. */
  readonly application: string;
  /** '' when unknown. */
  readonly version: string;
}

const UNKNOWN: StoreIdentity = { application: 'unknown', version: '' };

/** A store without the endpoint is no failure: it may still serve reads. */
export async function askIdentity(client: StoreClient, deadline: Deadline): Promise<StoreIdentity> {
  const text = await textUnlessRefused(client, get('/api/v1/status/buildinfo'), deadline);
  const data = field(parse(text), 'data');
  const version = field(data, 'version');
  if (typeof version !== 'string') return UNKNOWN;
  const application = field(data, 'application');
  return { application: typeof application === 'string' ? application : 'Prometheus', version };
}

/**
 * The oldest time in Prometheus, in blocks and head, from its own /metrics
 * (`prometheus_tsdb_lowest_timestamp`, ms, tsdb/db.go); undefined if the store or a proxy before it does
 * not show it, and while the store is empty.
 */
export async function askEarliest(
  client: StoreClient,
  deadline: Deadline,
): Promise<number | undefined> {
  const text = await textUnlessRefused(client, get('/metrics'), deadline);
  const value = /^prometheus_tsdb_lowest_timestamp ([-+.e\d]+)$/m.exec(text)?.[1];
  const ms = Number(value ?? Number.NaN);
  // An empty head starts at the largest int64.
  return Number.isFinite(ms) && ms < 8.64e15 ? ms : undefined;
}

function get(path: string): HttpCall {
  return { method: 'GET', path, headers: {} };
}

async function textUnlessRefused(
  client: StoreClient,
  call: HttpCall,
  deadline: Deadline,
): Promise<string> {
  try {
    return await client.text(call, deadline);
  } catch (error) {
    if (error instanceof StoreFailure && error.status === 502) return '';
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
