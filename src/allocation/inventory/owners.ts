/** Controllers as users know them. */
import type { Inventory, Owner, PodName } from './inventory.ts';
import { joined } from '../row/joined.ts';

/** Names of jobs that a CronJob made: its name, then a time in seconds or minutes. */
const CRON_JOB = /^(.+)-(?:\d{10}|\d{8})$/;

/**
 * The controller a user knows: a replica set's deployment, a job's cron job (its kind stays `job`,
 * as the peers have it).
 */
export function controllerOf(
  inventory: Inventory,
  name: PodName,
  owner: Owner | undefined,
): Owner | undefined {
  if (!owner) return undefined;
  if (owner.kind !== 'replicaset' && owner.kind !== 'job') return owner;
  const key = joined(name.cluster, name.namespace, owner.name);
  if (owner.kind === 'replicaset') return inventory.replicaSetOwners.get(key) ?? owner;
  const cronJob = inventory.jobOwners.get(key)?.name ?? CRON_JOB.exec(owner.name)?.[1];
  return { kind: 'job', name: cronJob ?? owner.name };
}
