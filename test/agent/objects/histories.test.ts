/**
 * Following objects through random histories and random faults, without sockets: what a store would hold
 * after all samples is what a fresh list tells.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import fc from 'fast-check';
import { FOLLOWED } from '../../../src/agent/objects/kinds.ts';
import { PackedSeries } from '../../../src/agent/objects/packed-series.ts';
import { followObjects, type Sample } from '../../../src/agent/index.ts';
import { createClusterApi } from '../../../src/cluster/index.ts';
import { SimulatedStore, simulatedTransport } from '../../../src/demo/index.ts';
import { endedPod, readyNode, runningPod, stored } from '../../support/fleets/api-objects.ts';
import { textOf, textsIn } from '../../support/references/sample-texts.ts';
import {
  FAILURES,
  failing,
  type Failure,
  type Plan,
} from '../../support/servers/failing-transport.ts';
import { ofRuns } from '../../support/property-runs.ts';

type Step =
  | { readonly does: 'run'; readonly pod: string; readonly cpu: string }
  | { readonly does: 'end' | 'remove'; readonly pod: string }
  | { readonly does: 'node' | 'drain'; readonly node: string }
  | { readonly does: 'compact' | 'breathe' | 'take' | 'wait' | 'close' | 'lose' }
  | { readonly does: 'fail'; readonly how: Failure };

const POD = fc.constantFrom('a', 'b', 'c');
const NODE = fc.constantFrom('n1', 'n2');
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('run' as const), pod: POD, cpu: fc.constantFrom('1', '2') }),
    fc.record({ does: fc.constantFrom('end' as const, 'remove' as const), pod: POD }),
    fc.record({ does: fc.constantFrom('node' as const, 'drain' as const), node: NODE }),
    fc.record({
      does: fc.constantFrom(
        ...(['compact', 'breathe', 'breathe', 'take', 'take', 'wait', 'close', 'lose'] as const),
      ),
    }),
    fc.record({ does: fc.constant('fail' as const), how: fc.constantFrom(...FAILURES) }),
  ),
  { maxLength: 30 },
);

const STEP_MS = 15_000;

/** A store of what was sent: the last value of each series by its text without the value. */
class Taken {
  readonly #last: Map<string, { readonly timeMs: number; readonly value: number | undefined }> =
    new Map();

  add(samples: Iterable<Sample>, untilMs: number): string[] {
    const texts: string[] = [];
    for (const sample of samples) {
      const { timeMs, value } = sample;
      const text = textOf(sample);
      const series = text.replace(/ \S+$/, '');
      const before = this.#last.get(series);
      assert.ok(
        !(before && timeMs <= before.timeMs),
        `${series}: ${timeMs} after ${before?.timeMs}`,
      );
      assert.ok(timeMs <= untilMs + 1, `${series}: ${timeMs} is after ${untilMs}`);
      assert.ok(value !== undefined || before?.value !== undefined, `${series} ends twice`);
      this.#last.set(series, { timeMs, value });
      texts.push(text);
    }
    return texts;
  }

  /** What goes on. */
  get live(): string[] {
    return [...this.#last]
      .flatMap(([series, { value }]) => (value === undefined ? [] : [`${series} ${value}`]))
      .toSorted();
  }
}

/** The slow way: all objects, made anew. */
function fresh(store: SimulatedStore): string[] {
  return FOLLOWED.flatMap(({ kind, seriesOf }) =>
    store.list(kind).flatMap((object) => {
      const packed = new PackedSeries(seriesOf(object));
      return textsIn(packed);
    }),
  ).toSorted();
}

function apply(store: SimulatedStore, step: Step, plan: Plan, nowMs: number): void {
  if (step.does === 'run')
    store.put('Pod', stored(runningPod({ path: `x/${step.pod}`, cpu: step.cpu, startMs: nowMs })));
  if (step.does === 'end')
    store.put('Pod', stored(endedPod({ path: `x/${step.pod}`, startMs: nowMs, endMs: nowMs })));
  if (step.does === 'remove') store.remove('Pod', { namespace: 'x', name: step.pod });
  if (step.does === 'node') store.put('Node', stored(readyNode(step.node, nowMs)));
  if (step.does === 'drain') store.remove('Node', { namespace: '', name: step.node });
  if (step.does === 'compact') store.compact();
  if (step.does === 'close' || step.does === 'lose') plan.end(step.does);
  if (step.does === 'fail') plan.failures.push(step.how);
}

test('P-K2: through any failures the samples add up to the objects that are there', async () => {
  let [takings, ends] = [0, 0];
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      let nowMs = Date.UTC(2026, 0, 5);
      const store = new SimulatedStore({ nowMs: () => nowMs });
      const plan: Plan = { failures: [], end: () => undefined };
      const api = createClusterApi(failing(simulatedTransport(store), plan), {
        pageObjects: 2,
        callsPerSecond: Infinity,
        pause: () => breath(),
      });
      store.put('Pod', stored(runningPod({ path: 'x/a', startMs: nowMs })));
      const stop = new AbortController();
      const options = { signal: stop.signal, nowMs: () => nowMs, pause: () => breath() };
      const facts = await followObjects(api, options);
      const taken = new Taken();
      const take = (): string[] => {
        nowMs += STEP_MS;
        takings++;
        const texts = taken.add(facts.samples(nowMs), nowMs);
        ends += texts.filter((text) => text.endsWith(' stale')).length;
        return texts;
      };
      try {
        for (const step of script) {
          apply(store, step, plan, nowMs);
          if (step.does === 'take') take();
          if (step.does === 'wait') nowMs += 1000;
          if (step.does === 'breathe') await breath();
        }
        store.put('Pod', stored(runningPod({ path: 'x/z' })));
        store.put('Node', stored(readyNode('z')));
        for (let texts: string[] = []; !(hasBoth(texts) && facts.isComplete); texts = take())
          await breath();
        assert.deepEqual(taken.live, fresh(store));
      } finally {
        stop.abort();
      }
    }),
    { numRuns: 150, includeErrorInReport: true },
  );
  assert.ok(takings > ofRuns(100) && ends > ofRuns(100), `${takings} takings, ${ends} end markers`);
});

function hasBoth(texts: readonly string[]): boolean {
  return [/kube_pod_info.*pod="z"/, /kube_node_info.*node="z"/].every((form) =>
    texts.some((text) => form.test(text)),
  );
}
