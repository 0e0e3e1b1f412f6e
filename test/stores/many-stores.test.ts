/** Several stores as one source: order, labels of clusters, replicas, failures, and what they know of times. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  newestSampleMs,
  StoreFailure,
  type Batch,
  type MetricsSource,
} from '../../src/metrics/index.ts';
import { openManyStores, type ManyStores, type StoreEntry } from '../../src/stores/index.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { encodeSamples } from '../support/stores/samples-encoding.ts';

const { signal } = new AbortController();
const SELECTION = { metric: 'kube_pod_info', matchers: [] };
const RANGE = { startMs: 0, endMs: 100_000 };
const OPTIONS = { clusterLabels: ['cluster_id', 'cluster'], readTimeoutMs: 120_000 };

type Source = StoreEntry['replicas'][number]['source'];

/** Batches of one series of one sample each: the pod's number at the time of that number. */
function batchesOf(pods: readonly number[]): Batch[] {
  return pods.map((pod) => ({
    encoding: 'samples',
    bytes: Uint8Array.from(
      encodeSamples([{ labels: [['pod', `p${pod}`]], timestampsMs: [pod], values: [pod] }]),
    ),
  }));
}

interface Script {
  readonly pods?: readonly number[];
  /** After its batches. */
  readonly fails?: Error;
  readonly onRead?: () => void;
  readonly onEnd?: () => void;
  readonly pauseMs?: number;
}

function sourceOf(script: Script, more: Partial<Source> = {}): Source {
  return {
    name: 'a script',
    concurrentReads: 2,
    close: () => Promise.resolve(),
    async *read() {
      script.onRead?.();
      try {
        for (const batch of batchesOf(script.pods ?? [])) {
          if (script.pauseMs !== undefined)
            await new Promise((resolve) => setTimeout(resolve, script.pauseMs));
          yield batch;
        }
        if (script.fails !== undefined) throw script.fails;
      } finally {
        script.onEnd?.();
      }
    },
    ...more,
  };
}

function entry(
  name: string,
  cluster: string | undefined,
  ...sources: readonly Source[]
): StoreEntry {
  return { name, cluster, replicas: sources.map((source) => ({ source, pace: undefined })) };
}

async function podsOf(batches: AsyncIterable<Batch>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of batches)
    for (const { labels } of (await readBatches([batch])).values())
      found.push(`${labels['cluster_id'] ?? ''}/${labels['pod'] ?? ''}`);
  return found;
}

function down(): StoreFailure {
  return new StoreFailure('cannot read it: the connection was refused', { mayRetry: true });
}

describe('several stores', () => {
  test('give the batches of one after the other, labelled, whichever is quicker', async () => {
    const scripts = fc.array(
      fc.record({
        count: fc.integer({ min: 0, max: 6 }),
        pauseMs: fc.constantFrom(undefined, 0, 1),
      }),
      { minLength: 1, maxLength: 7 },
    );
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const pods = (i: number, count: number): number[] =>
          Array.from({ length: count }, (_, at) => 1000 * i + at);
        const many = openManyStores(
          all.map(({ count, pauseMs }, i) =>
            entry(
              `s${i}`,
              `c${i}`,
              sourceOf({ pods: pods(i, count), ...(pauseMs === undefined ? {} : { pauseMs }) }),
            ),
          ),
          OPTIONS,
        );
        const found = await podsOf(many.read(SELECTION, RANGE, signal));
        const wanted = all.map(({ count }, i) => pods(i, count).map((pod) => `c${i}/p${pod}`));
        const first = found[0]?.split('/')[0] ?? '';
        const from = Math.max(
          0,
          wanted.findIndex((one) => one[0]?.startsWith(`${first}/`)),
        );
        assert.deepEqual(found, [...wanted.slice(from), ...wanted.slice(0, from)].flat());
        assert.deepEqual(await podsOf(many.read(SELECTION, RANGE, signal)), found);
      }),
      { numRuns: 30 },
    );
  });

  test('begin the next reads while one goes on, and end all of them with who reads', async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const scripted = (name: string): StoreEntry =>
      entry(
        name,
        name,
        sourceOf({
          pods: [1, 2, 3, 4, 5, 6],
          onRead: () => begun.push(name),
          onEnd: () => ended.push(name),
        }),
      );
    const many = openManyStores(['a', 'b', 'c', 'd', 'e', 'f'].map(scripted), OPTIONS);
    for await (const batch of many.read(SELECTION, RANGE, signal)) {
      assert.ok(batch.bytes.length > 0);
      break;
    }
    assert.equal(begun.length, 4);
    assert.deepEqual(ended.toSorted(), begun.toSorted());
  });

  test('fail with the one that fails, by its name and cluster, also while another goes on', async () => {
    const slow = sourceOf({ pods: Array.from({ length: 40 }, (_, i) => i), pauseMs: 5 });
    for (const entries of [
      [entry('eu', 'production', slow), entry('us', 'staging', sourceOf({ fails: down() }))],
      [entry('us', 'staging', sourceOf({ fails: down() })), entry('eu', 'production', slow)],
    ]) {
      let batches = 0;
      const reading = (async () => {
        for await (const _ of openManyStores(entries, OPTIONS).read(SELECTION, RANGE, signal))
          batches++;
      })();
      await assert.rejects(
        reading,
        /: cannot read it: the connection was refused \(store 'us' of cluster 'staging'\)$/,
      );
      assert.ok(batches < 40);
    }
  });

  test('go on without the one that failed where that is wanted, and only then', async () => {
    const many = openManyStores(
      [
        entry('eu', 'production', sourceOf({ pods: [1] })),
        entry('us', 'staging', sourceOf({ fails: down() })),
      ],
      OPTIONS,
    );
    const error = await podsOf(many.read(SELECTION, RANGE, signal)).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    const rest = many.without?.(error);
    assert.equal(
      rest?.warning,
      "store 'us' of cluster 'staging' is missing from this answer: cannot read it: the connection was refused",
    );
    assert.deepEqual(await podsOf(rest.source.read(SELECTION, RANGE, signal)), ['production/p1']);
    assert.equal(many.without?.(new Error('another')), undefined);
    const last = openManyStores([entry('us', 'staging', sourceOf({ fails: down() }))], OPTIONS);
    assert.equal(last.without?.(error), undefined);
  });

  test('need one of the replicas of a store: the other fills in, and is told of', async () => {
    const warnings: string[] = [];
    const pair = (...sources: readonly Source[]): ManyStores =>
      openManyStores([entry('eu', 'production', ...sources)], OPTIONS);
    const half = sourceOf({ pods: [1], fails: down() });
    const found = await podsOf(
      pair(half, sourceOf({ pods: [1, 2] })).read(SELECTION, RANGE, signal, (text) =>
        warnings.push(text),
      ),
    );
    assert.deepEqual(found, ['production/p1', 'production/p1', 'production/p2']);
    assert.match(warnings.join(), /^replica eu\/1 cannot be read, 1 of 2 can: /);
    await assert.rejects(
      podsOf(pair(half, half).read(SELECTION, RANGE, signal)),
      /store 'eu' of cluster 'production'/,
    );
    assert.equal(pair(half, half).hasReplicas, true);
  });

  test('tell of a cluster that has no pods while others have', async () => {
    const warnings: string[] = [];
    const onWarning = (text: string): unknown => warnings.push(text);
    const many = openManyStores(
      [
        entry('a', 'one', sourceOf({ pods: [1] })),
        entry('b', 'two', sourceOf({})),
        entry('c', 'three', sourceOf({})),
        entry('d', 'three', sourceOf({ pods: [2] })),
      ],
      OPTIONS,
    );
    await podsOf(many.read(SELECTION, RANGE, signal, (text) => void onWarning(text)));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^store 'b' of cluster 'two' has no samples of kube_pod_info/);
    await podsOf(
      many.read(
        { ...SELECTION, metric: 'pv_hourly_cost' },
        RANGE,
        signal,
        (text) => void onWarning(text),
      ),
    );
    assert.equal(warnings.length, 1);
  });

  test('read several metrics together where a store can, and one by one where it cannot', async () => {
    const asked: string[] = [];
    const together: MetricsSource['together'] = () =>
      Promise.resolve(async function* (metrics) {
        asked.push(metrics.join('|'));
        yield* batchesOf([1]);
      });
    const alone = sourceOf({ pods: [2] });
    const noting: Source = {
      ...alone,
      read: (selection, ...rest) => {
        asked.push(selection.metric);
        return alone.read(selection, ...rest);
      },
    };
    const many = openManyStores(
      [entry('a', 'a', sourceOf({}, { together })), entry('b', 'b', noting)],
      OPTIONS,
    );
    const read = await many.together?.(signal);
    assert.ok(read);
    const found = await podsOf(read(['x', 'y'], RANGE, signal));
    assert.deepEqual(found.toSorted(), ['a/p1', 'b/p2', 'b/p2']);
    assert.deepEqual(asked.toSorted(), ['x', 'x|y', 'y']);
    const none = openManyStores([entry('b', 'b', noting)], OPTIONS);
    assert.equal(await none.together?.(signal), undefined);
  });

  test('are known up to the cluster that is the farthest behind: a day is not over before', async () => {
    const at = (ms: number): Source => sourceOf({ pods: [ms] });
    const newest = (...entries: readonly StoreEntry[]): Promise<number | undefined> =>
      newestSampleMs(openManyStores(entries, OPTIONS), RANGE, signal);
    assert.equal(await newest(entry('a', 'a', at(900)), entry('b', 'b', at(400))), 400);
    assert.equal(await newest(entry('a', 'a', at(900)), entry('b', 'a', at(400))), 900);
    assert.equal(await newest(entry('a', 'a', at(900), at(400))), 900);
    assert.equal(await newest(entry('a', 'a', at(900)), entry('b', 'b', sourceOf({}))), undefined);
    const first = openManyStores(
      [
        entry('a', 'a', sourceOf({}, { earliestSampleMs: () => Promise.resolve(50) })),
        entry('b', 'b', sourceOf({}, { earliestSampleMs: () => Promise.reject(down()) })),
      ],
      OPTIONS,
    );
    assert.equal(await first.earliestSampleMs?.(signal), 50);
  });

  test('a store that was kept waiting for too long is read anew', async () => {
    let reads = 0;
    const waited = sourceOf({ pods: [1, 2, 3, 4, 5], onRead: () => reads++ });
    const slow = sourceOf({ pods: [6, 7, 8], pauseMs: 30 });
    const many = openManyStores([entry('a', 'a', slow), entry('b', 'a', waited)], {
      ...OPTIONS,
      readTimeoutMs: 40,
    });
    const found = await podsOf(many.read(SELECTION, RANGE, signal));
    assert.deepEqual(
      found,
      [6, 7, 8, 1, 2, 3, 4, 5].map((pod) => `a/p${pod}`),
    );
    assert.equal(reads, 2);
  });
});
