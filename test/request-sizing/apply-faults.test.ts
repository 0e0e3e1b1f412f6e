/** Apply over real HTTP, while the API server fails in one way each. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClusterApi, openHttpTransport } from '../../src/cluster/index.ts';
import { ApplyRunner, FolderLogs, Journal, readTargets } from '../../src/request-sizing/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import {
  startScriptedCluster,
  type SeenCall,
  type Trouble,
} from '../support/servers/scripted-cluster.ts';
import { CLUSTER, newStore, planOptions } from '../support/servers/sizing-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-apply-faults-'));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const containers = { app: { TargetCPURequestMillicores: 100, TargetRAMRequestBytes: 2 ** 27 } };
const PLAN = {
  [CLUSTER]: {
    web: NAMES.map((Name) => ({ Name, Kind: 'Deployment', ContainerPlans: containers })),
  },
};

type Which = (call: SeenCall) => boolean;

const of =
  (name: string): Which =>
  ({ path }) =>
    path.split('?')[0]?.endsWith(`/${name}`) === true;
const isGet: Which = ({ method, path }) => method === 'GET' && path.includes('/namespaces/');
const isDryRun: Which = ({ path }) => path.includes('dryRun=All');
const isPatch: Which = (call) => call.method === 'PATCH' && !isDryRun(call);
const both =
  (one: Which, other: Which): Which =>
  (call) =>
    one(call) && other(call);

/** The first `times` calls of a sort. */
function first(which: Which, times: number, trouble: Trouble): (call: SeenCall) => Trouble {
  let left = times;
  return (call) => (which(call) && left-- > 0 ? trouble : undefined);
}

const refuse = (status: number, headers = {}): Trouble => ({ does: 'refuse', status, headers });

interface Case {
  readonly name: string;
  readonly script: (call: SeenCall) => Trouble;
  /** Names of those that stay as they are. */
  readonly kept?: string;
  readonly errors?: readonly RegExp[];
  readonly warnings?: readonly RegExp[];
}

const CASES: readonly Case[] = [
  { name: 'a conflict at the patch', script: first(both(isPatch, of('b')), 1, refuse(409)) },
  { name: 'two conflicts at the patch', script: first(both(isPatch, of('b')), 2, refuse(409)) },
  { name: 'three conflicts at the patch', script: first(both(isPatch, of('b')), 3, refuse(409)), kept: 'b', errors: [/web\/deployment:b: it changed 3 times/] }, // prettier-ignore
  { name: 'a conflict at the dry run', script: first(both(isDryRun, of('b')), 1, refuse(409)) },
  { name: 'a refusal to patch one', script: first(both(isPatch, of('b')), 9, refuse(403)), kept: 'b', errors: [/:b: the Kubernetes API refused PATCH .*as planned/] }, // prettier-ignore
  { name: 'a refusal at the dry run', script: first(both(isDryRun, of('b')), 9, refuse(422)), kept: 'b', errors: [/:b: .*refused/] }, // prettier-ignore
  { name: 'a server error at the patch', script: first(both(isPatch, of('b')), 1, refuse(500)), kept: 'b', errors: [/:b: .*refused/] }, // prettier-ignore
  { name: 'too many calls', script: first(isPatch, 2, refuse(429, { 'retry-after': '1' })) },
  { name: 'a read that fails twice', script: first(both(isGet, of('b')), 2, refuse(500)) },
  { name: 'a controller that cannot be read', script: first(both(isGet, of('b')), 9, refuse(403)), kept: 'b', errors: [/:b: .*refused GET/] }, // prettier-ignore
  { name: 'a patch that is made, its answer lost', script: first(both(isPatch, of('b')), 1, { does: 'loseAnswer' }) }, // prettier-ignore
  { name: 'a patch that is lost', script: first(both(isPatch, of('b')), 1, { does: 'reset' }) },
  { name: 'an answer that is no JSON, the patch not made', script: first(both(isPatch, of('b')), 1, { does: 'say', text: '<html>', then: 'end' }) }, // prettier-ignore
  {
    name: 'a server that has no autoscalers yet',
    script: first(({ path }) => path.includes('horizontal'), 9, refuse(404)),
  },
  {
    name: 'limit ranges that may not be read',
    script: first(({ path }) => path.includes('limitranges'), 9, refuse(403)),
    warnings: [/LimitRanges may not be read/],
  },
  {
    name: 'nothing that can be read',
    script: () => refuse(503),
    kept: 'abcde',
    errors: [/refused GET/],
  },
  {
    name: 'an API that is gone from the second on',
    script: (call) =>
      of('a')(call) || !call.path.includes('/namespaces/') ? undefined : { does: 'reset' },
    kept: 'bcde',
    errors: [
      /:b: cannot reach/,
      /:c:/,
      /:d:/,
      /stopped before web\/deployment:e and 0 more: the Kubernetes API, or where the journal is kept, does not answer/,
    ],
  },
];

describe('P-A2, P-A3: an apply through', () => {
  for (const { name, script, kept = '', errors = [], warnings = [] } of CASES) {
    test(name, async () => {
      const store = newStore();
      for (const each of NAMES) store.put('Deployment', workload(`web/${each}`));
      const cluster = await startScriptedCluster(store, script);
      const api = createClusterApi(await openHttpTransport(cluster.kubeconfig), {
        callsPerSecond: Infinity,
        pause: () => Promise.resolve(),
      });
      const runner = new ApplyRunner({
        ...planOptions(api),
        journal: new Journal(new FolderLogs(join(home, String(folders++))), Date.now),
        nowMs: Date.now,
        note: () => undefined,
        controllersPerSecond: Infinity,
      });
      const targets = readTargets(PLAN, CLUSTER);
      const run = await runner.apply(targets, new AbortController().signal);
      const { Errors, Warnings } = await run.result;
      assert.equal(Errors.length, errors.length, Errors.join('\n'));
      errors.forEach((why, i) => assert.match(Errors[i] ?? '', why));
      assert.equal(Warnings.length, warnings.length, Warnings.join('\n'));
      warnings.forEach((why, i) => assert.match(Warnings[i] ?? '', why));
      const left = NAMES.filter((each) => {
        const object = store.get('Deployment', { namespace: 'web', name: each });
        const [container] = object?.spec?.template?.spec?.containers ?? [];
        return container?.resources?.requests?.['cpu'] === '500m';
      });
      assert.equal(left.join(''), kept);
      // What the journal tells is what is there.
      const changes = (await runner.runs())[0]?.changes ?? [];
      const done = changes.filter(({ outcome }) => outcome === 'done');
      const names = done.map(({ change }) => change.controller.name);
      assert.deepEqual(
        names,
        NAMES.filter((each) => !left.includes(each)),
      );
      assert.ok(
        cluster.calls.every(
          ({ method, contentType }) =>
            method === 'GET' || contentType === 'application/strategic-merge-patch+json',
        ),
        'patches tell what they are',
      );
      const dryRuns = cluster.calls.filter(isDryRun).length;
      assert.ok(dryRuns >= cluster.calls.filter(isPatch).length - 2, 'each patch was tried before');
      api.close();
      await cluster.stop();
    });
  }
});
