/** Random plans against random live states, 100,000 of them: nothing is ever raised. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClusterApi, type ClusterObject, type Transport } from '../../src/cluster/index.ts';
import { type SimulatedObject, SimulatedStore, simulatedTransport } from '../../src/demo/index.ts';
import { readQuantity } from '../../src/query/index.ts';
import { changeController, type Decide } from '../../src/request-sizing/apply/change-controller.ts';
import type { ControllerName } from '../../src/request-sizing/apply/controller.ts';
import { lowering } from '../../src/request-sizing/apply/decide.ts';
import { readTargets } from '../../src/request-sizing/index.ts';
import { workload, type ContainerAmounts } from '../support/fleets/cluster-objects.ts';
import { CLUSTER } from '../support/servers/sizing-cluster.ts';
import { measured } from '../support/measured.ts';

const PAIRS = 100_000;
/** Pairs of plan and object; each is read, tried and patched through the API. */
const PATCHED_PAIRS = 10_000;
const PLACE = { namespace: 'web', name: 'shop' };
const NAMES = ['a', 'b', 'c'];
const FLOORS = { cpu: 25_000_000n, memory: 64n * 2n ** 20n * 10n ** 9n };

/** mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Chance = () => number;

const CPU = ['m', '', 'u', 'n', 'k'];
const MEMORY = ['', 'Ki', 'Mi', 'Gi', 'M', 'G', 'm', 'e3'];

/** Some that are no quantities, some not there, most of ordinary size. */
function amount(chance: Chance, units: readonly string[]): string | undefined {
  const unit = units[Math.floor(chance() ** 2 * units.length)] ?? '';
  const kind = chance();
  if (kind < 0.1) return undefined;
  if (kind < 0.15) return ['', '0', '-1', 'much', '9e18', '0.0000000001'][Math.floor(chance() * 6)];
  const digits = chance() < 0.7 ? 0 : Math.floor(chance() * 4);
  return `${(chance() * 1000).toFixed(digits)}${unit}`;
}

function amounts(chance: Chance): Record<string, string> {
  const pairs = [['cpu', amount(chance, CPU)], ['memory', amount(chance, MEMORY)]]; // prettier-ignore
  return Object.fromEntries(pairs.filter(([, text]) => text !== undefined)) as Record<
    string,
    string
  >;
}

function live(chance: Chance): SimulatedObject {
  const names = NAMES.filter(() => chance() < 0.7);
  const containers = names.map((name): [string, ContainerAmounts] => [
    name,
    chance() < 0.9 ? { requests: amounts(chance) } : {},
  ]);
  // It is never seen as being rolled out.
  const status = { observedGeneration: 1e9 };
  return workload('web/shop', Object.fromEntries(containers), { status });
}

function number(chance: Chance, most: number): number {
  const kind = chance();
  if (kind < 0.1) return 0;
  return kind < 0.5 ? Math.floor(chance() * most) : chance() ** 4 * most;
}

function planned(chance: Chance): object {
  const containers = NAMES.filter(() => chance() < 0.8).map((name) => [
    name,
    {
      TargetCPURequestMillicores: number(chance, 1e6),
      TargetRAMRequestBytes: number(chance, 2 ** 40),
    },
  ]);
  const ContainerPlans = Object.fromEntries(containers) as object;
  return { [CLUSTER]: { web: [{ Name: 'shop', Kind: 'Deployment', ContainerPlans }] } };
}

/** Requests by container and resource. */
function requestsOf(object: ClusterObject | undefined): Map<string, string> {
  const containers = object?.spec?.template?.spec?.containers ?? [];
  return new Map(
    containers.flatMap(({ name, resources }) =>
      Object.entries(resources?.requests ?? {}).map(
        ([key, text]) => [`${name}/${key}`, String(text)] as const,
      ),
    ),
  );
}

interface Seen {
  patches: number;
  raised: string[];
}

/** Others change the object before one call in four; each patch is looked at as it is made. */
function watched(store: SimulatedStore, chance: Chance, seen: Seen): Transport {
  const inner = simulatedTransport(store);
  return {
    ...inner,
    async send(call, signal) {
      if (chance() < 0.25) store.put('Deployment', live(chance));
      const before = requestsOf(store.get('Deployment', PLACE));
      const answer = await inner.send(call, signal);
      const isReal = call.method === 'PATCH' && !call.path.includes('dryRun=All');
      if (!isReal || answer.status !== 200) return answer;
      seen.patches++;
      for (const [key, text] of requestsOf(store.get('Deployment', PLACE))) {
        const [was, is] = [readQuantity(before.get(key) ?? ''), readQuantity(text)];
        const isSame = before.get(key) === text;
        if (isSame || (was !== undefined && is !== undefined && is < was)) continue;
        seen.raised.push(`${key} from ${before.get(key)} to ${text}`);
      }
      return answer;
    },
  };
}

const SURROUNDINGS = { ranges: () => [], autoscalerOf: () => undefined, warnings: [] };

function decided(plan: object): { readonly decide: Decide; readonly controller: ControllerName } {
  const [target] = readTargets(plan, CLUSTER);
  assert.ok(target, 'a plan has a target');
  const options = { floors: FLOORS, denied: new Set<string>(), surroundings: SURROUNDINGS };
  return { decide: lowering({ ...target, ...options }), controller: target.controller };
}

test('P-A1: a decision on any live state lowers requests that are set, and nothing else', (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const chance = chanceOf(seed);
  const store = new SimulatedStore({ nowMs: () => 0, historyChanges: 1 });
  let lowered = 0;
  measured(t, 'P-A1', `${PAIRS} random pairs of plan and live state, none raised`);
  for (let pair = 0; pair < PAIRS; pair++) {
    const object = store.put('Deployment', live(chance));
    const decision = decided(planned(chance)).decide(object);
    assert.ok(typeof decision !== 'string', `seed ${seed}: ${JSON.stringify(decision)}`);
    const requests = requestsOf(object);
    for (const { container, resource, from, to } of decision.steps) {
      const [was, is] = [readQuantity(from), readQuantity(to)];
      assert.equal(requests.get(`${container}/${resource}`), from, `seed ${seed}`);
      assert.ok(
        was !== undefined && is !== undefined && is > 0n && is < was,
        `seed ${seed}: ${resource} from ${from} to ${to}`,
      );
      lowered++;
    }
  }
  assert.ok(lowered > PAIRS / 10, `seed ${seed}: ${lowered} lowered`);
});

test('P-A1, P-A2: no request is raised by a patch, though others change the object in between', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const chance = chanceOf(seed);
  const seen: Seen = { patches: 0, raised: [] };
  const store = new SimulatedStore({ nowMs: () => 0, historyChanges: 1 });
  const api = createClusterApi(watched(store, chance, seen), {
    callsPerSecond: Infinity,
    pause: () => Promise.resolve(),
  });
  const log = { intent: () => Promise.resolve(), outcome: () => Promise.resolve() };
  const context = { api, log, mayRaise: false, signal: new AbortController().signal };
  const ends = { changed: 0, unchanged: 0, failed: 0 };
  for (let pair = 0; pair < PATCHED_PAIRS; pair++) {
    store.put('Deployment', live(chance));
    const { decide, controller } = decided(planned(chance));
    const { is } = await changeController(context, controller, decide);
    ends[is]++;
  }
  const what = `seed ${seed}: ${JSON.stringify(ends)}`;
  assert.deepEqual(seen.raised, [], what);
  const least = PATCHED_PAIRS / 10;
  assert.ok(ends.changed > least && ends.unchanged > least && ends.failed > least / 100, what);
});
