/** runners with a journal of their own, plans, and what applies made of `web/…`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ClusterApi } from '../../../src/cluster/index.ts';
import type { SimulatedStore } from '../../../src/demo/index.ts';
import {
  ApplyRunner,
  FolderLogs,
  Journal,
  readTargets,
  type Run,
} from '../../../src/request-sizing/index.ts';
import { CLUSTER, planOptions } from './sizing-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-apply-'));
after(() => rmSync(home, { recursive: true, force: true }));
let folders = 0;

export const LIVE = { cpu: '500m', memory: '512Mi' } as const;
export const LOWERED = { cpu: '200m', memory: '256Mi' } as const;

export function newApplyRunner(
  api: ClusterApi,
  controllersPerSecond: number = Infinity,
): ApplyRunner {
  const journal = new Journal(new FolderLogs(join(home, String(folders++))), Date.now);
  const note = (): void => undefined;
  return new ApplyRunner({
    ...planOptions(api),
    journal,
    nowMs: Date.now,
    note,
    controllersPerSecond,
  });
}

export function target(cpu: number, ramMib: number): object {
  return { TargetCPURequestMillicores: cpu, TargetRAMRequestBytes: ramMib * 2 ** 20 };
}

/** @param path `namespace/kind:name` */
export function planOf(path: string, containers: object = { app: target(200, 256) }): object {
  const [namespace = '', controller = ''] = path.split('/');
  const [Kind, Name] = controller.split(':');
  return { [CLUSTER]: { [namespace]: [{ Name, Kind, ContainerPlans: containers }] } };
}

export async function apply(runner: ApplyRunner, plan: object): Promise<Awaited<Run['result']>> {
  const { signal } = new AbortController();
  const run = await runner.apply(readTargets(plan, CLUSTER), signal);
  return await run.result;
}

/** Requests of the first container of a Deployment in `web`. */
export function requests(store: SimulatedStore, name: string): object | undefined {
  const object = store.get('Deployment', { namespace: 'web', name });
  return object?.spec?.template?.spec?.containers?.[0]?.resources?.requests;
}
