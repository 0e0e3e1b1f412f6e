/** A Kubernetes API in the process whose calls fail as planned, and what follows from the changes it told. */
import assert from 'node:assert/strict';
import { setImmediate as breath } from 'node:timers/promises';
import type { ApiAnswer, Followed, Transport } from '../../../src/cluster/index.ts';
import { Unavailable } from '../../../src/query/index.ts';

export type Failure =
  | 'unreachable'
  | '401'
  | '403'
  | '410'
  | '429'
  | '500'
  | 'cut'
  | 'end'
  | 'garbage';

export const FAILURES: readonly Failure[] = [
  'unreachable',
  '401',
  '403',
  '410',
  '429',
  '500',
  'cut',
  'end',
  'garbage',
];
/** Planned failures. */
export interface Plan {
  readonly failures: Failure[];
  /** Ends the open watch. */
  end: (how: 'close' | 'lose') => void;
}

/** A transport whose next calls fail as planned. */
export function failing(inner: Transport, plan: Plan): Transport {
  return {
    ...inner,
    async send(call, signal) {
      const how = plan.failures.shift();
      if (how === 'unreachable') throw new Unavailable('planned');
      if (how !== undefined && /^\d+$/.test(how)) {
        return { status: Number(how), header: () => '', body: spoken('') };
      }
      const own = new AbortController();
      signal.addEventListener('abort', () => own.abort(), { once: true });
      const answer = await inner.send(call, own.signal);
      if (how !== undefined) return { ...answer, body: spoilt(answer.body, how, own) };
      if (!call.path.includes('watch=true')) return answer;
      const ended = { how: 'lose' };
      plan.end = (end) => {
        ended.how = end;
        own.abort();
      };
      return { ...answer, body: untilEnded(answer.body, ended) };
    },
  };
}

async function* untilEnded(
  body: ApiAnswer['body'],
  ended: { readonly how: string },
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    if (ended.how === 'lose') throw error;
  }
}

async function* spoken(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}

/** The chunks of the next few turns, half of the last one, then a failure. */
async function* spoilt(
  body: ApiAnswer['body'],
  how: Failure,
  own: AbortController,
): AsyncGenerator<Uint8Array> {
  if (how === 'garbage') yield Buffer.from('garbage\n');
  const chunks: Uint8Array[] = [];
  const reading = (async () => {
    for await (const chunk of body) chunks.push(chunk);
  })().catch(() => undefined);
  await breath();
  await breath();
  own.abort();
  await reading;
  yield* chunks.slice(0, -1);
  const [last] = chunks.slice(-1);
  if (last !== undefined) yield how === 'end' ? last : last.subarray(0, last.length / 2);
  if (how === 'cut') throw new Error('ECONNRESET');
}

/** Replays the changes. @returns the objects that are left, by uid */
export function replay(followed: readonly Followed<string>[]): ReadonlyMap<string, string> {
  const there = new Map<string, string>();
  const gone = new Set<string>();
  for (const change of followed) {
    if (change.type === 'synced') continue;
    const { type, uid, value } = change;
    assert.ok(!gone.has(uid), `${type} of ${uid} after its deletion`);
    assert.equal(there.has(uid), type === 'update' || type === 'delete', `${type} of ${uid}`);
    // A deletion that only a list shows has the last version seen.
    const least = Number(there.get(uid) ?? 0) + (type === 'update' ? 1 : 0);
    assert.ok(Number(value) >= least, `${type} of ${uid} to ${value} after ${there.get(uid)}`);
    if (type === 'delete') gone.add(uid);
    if (type === 'delete') there.delete(uid);
    else there.set(uid, value);
  }
  return there;
}
