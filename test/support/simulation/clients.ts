/** Clients of a simulated month: who change collections and bills, and who ask and compare. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Seeded } from '../../../scripts/seeded.ts';
import { streamedBill } from '../../../src/billing/focus/index.ts';
import { ownVisit } from '../../../src/http/visit.ts';
import { Fault, Unavailable } from '../../../src/query/index.ts';
import { ALL_TIME } from '../stores/bill-store.ts';
import { focusCsv } from '../stores/focus-rows.ts';
import { Killed } from './disk.ts';
import { DAY_MS } from './fleet.ts';
import type { Process } from './process.ts';

/** What was acknowledged last, or what may have happened where nothing was. */
type Allowed<Value> = readonly Value[];

const NEVER = new AbortController().signal;
const ASKED = [
  'aggregate=namespace',
  'aggregate=pod&reconcile=false',
  'aggregate=node&accumulate=true',
];

export class Clients {
  answers: number = 0;
  readonly #random: Seeded;
  readonly #firstMs: number;
  readonly #isTagStale: boolean;
  /** Bodies by tag. */
  readonly #known: Map<string, string> = new Map();
  #names: Allowed<string> = [''];
  #billed: Allowed<number> = [0];
  #made: number = 0;

  constructor(random: Seeded, firstMs: number, isTagStale: boolean) {
    this.#firstMs = firstMs;
    this.#random = random;
    this.#isTagStale = isTagStale;
  }

  async change({ collections, bills }: Process): Promise<void> {
    if (this.#random.is(0.4)) {
      const before = namesOf(collections);
      const name = `team-${this.#made++}`;
      const draft = { draft: { name, category: '', groups: [] }, groups: [] };
      const [first] = collections.list();
      const isRemoval = first !== undefined && this.#random.is(0.4);
      const after = isRemoval
        ? before
            .split(' ')
            .filter((one) => one !== first.collection.name)
            .join(' ')
        : [...before.split(' ').filter((one) => one !== ''), name].toSorted().join(' ');
      const done = isRemoval ? collections.remove(first.collection.id) : collections.create(draft);
      this.#names = (await isDone(done)) ? [after] : [before, after];
    }
    if (this.#random.is(0.2)) {
      const usd = 1 + this.#random.below(100);
      const text = focusCsv({
        BilledCost: String(usd),
        EffectiveCost: String(usd),
        BillingPeriodStart: '2024-05-01T00:00:00Z',
        BillingPeriodEnd: '2024-06-01T00:00:00Z',
        ChargePeriodStart: '2024-05-02T00:00:00Z',
        ChargePeriodEnd: '2024-05-03T00:00:00Z',
        ResourceId: 'id-one',
      });
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from(text));
      };
      const none = (): undefined => undefined;
      const arriving = {
        as: 'cloud',
        source: 'aws',
        currency: 'USD',
        isSkipping: false,
        onBad: none,
        onRows: none,
        files: [streamedBill('bill.csv', pieces())],
      } as const;
      const done = bills.deliver(arriving, AbortSignal.timeout(60_000));
      this.#billed = (await isDone(done)) ? [usd] : [...this.#billed, usd];
    }
  }

  /** @param untilMs the end of the days that are sealed */
  async check(process: Process, untilMs: number): Promise<void> {
    const names = namesOf(process.collections);
    assert.ok(
      this.#names.includes(names),
      `collections are '${names}', not '${this.#names.join("' or '")}'`,
    );
    this.#names = [names];
    const sums = await process.bills.billedByProvider(ALL_TIME, 'billedCost', NEVER);
    const billed = [...sums.values()].reduce((sum, usd) => sum + usd, 0);
    assert.ok(
      this.#billed.includes(billed),
      `bills are $${billed}, not $${this.#billed.join(' or $')}`,
    );
    this.#billed = [billed];
    if (untilMs > this.#firstMs) await this.#ask(process, untilMs);
  }

  async #ask(process: Process, untilMs: number): Promise<void> {
    // The same window again and again, and now and then all days.
    const days = this.#random.is(0.2) ? Infinity : 3;
    const endMs = Math.min(untilMs, this.#firstMs + days * DAY_MS);
    const query = `window=${isoOf(this.#firstMs)},${isoOf(endMs)}&${this.#random.of(ASKED)}`;
    const first = await answer(process, query);
    const { tag } = first;
    const body = this.#isTagStale ? `${first.body}${this.answers}` : first.body;
    assert.equal(this.#known.get(tag) ?? body, body, `one tag, two bodies: ${query}`);
    this.#known.set(tag, body);
    this.answers++;
  }
}

async function answer(
  { handler }: Process,
  query: string,
): Promise<{ readonly tag: string; readonly body: string }> {
  const reply = await handler({
    method: 'GET',
    path: '/allocation',
    query,
    header: () => '',
    body: new Uint8Array(),
    signal: NEVER,
    visit: ownVisit(),
  });
  const hash = createHash('sha256');
  if (typeof reply.body === 'string' || reply.body instanceof Uint8Array) hash.update(reply.body);
  else for await (const chunk of reply.body) hash.update(chunk);
  assert.equal(reply.status, 200, `${query}: ${reply.status}`);
  const tag = reply.headers['etag'] ?? '';
  assert.notEqual(tag, '', `${query} has a tag`);
  return { tag: `${query} ${tag}`, body: hash.digest('hex') };
}

function namesOf(collections: Process['collections']): string {
  return collections
    .list()
    .map(({ collection }) => collection.name)
    .toSorted()
    .join(' ');
}

/** @returns false where the disk or a kill prevented it */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof Unavailable || error instanceof Killed) return false;
    if (error instanceof Fault) throw new Error(`refused: ${error.message}`, { cause: error });
    throw error;
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
