/** The state of a server's parts, as families of metrics. Every label is of a table of ours. */
import { readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheState } from '../../cache/index.ts';
import type { Arena } from '../../columnar/index.ts';
import type { ReadCounts } from '../../metrics/index.ts';
import type { AdmissionState, PoolState } from '../../pool/index.ts';
import type { Sets } from '../../storage/index.ts';
import { byLabel, counter, gauge, type Family } from '../../export/index.ts';

type Named<State> = readonly (readonly [name: string, state: State])[];

/** A family for each part of several states of one kind. */
function families<State>(
  label: string,
  states: Named<State>,
  parts: readonly (readonly [keyof State & string, name: string, help: string])[],
): Family[] {
  return parts.map(([part, name, help]) => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    const values = states.map(([of, state]) => [of, Number(state[part])] as const);
    return byLabel({ name, help, type }, label, values);
  });
}

export function admissionFamilies(states: Named<AdmissionState>): Family[] {
  return families('lane', states, [
    ['running', 'prorata_lane_running', 'Questions of a lane that are being answered.'],
    ['waiting', 'prorata_lane_waiting', 'Questions that wait for their turn.'],
    ['admitted', 'prorata_lane_admitted_total', 'Questions that got their turn.'],
    ['refused', 'prorata_lane_refused_total', 'Questions that were told to come back.'],
  ]);
}

export function poolFamilies({ running, waiting, tasks }: PoolState): Family[] {
  return [
    gauge('prorata_pool_tasks_running', 'Tasks that workers have.', running),
    gauge('prorata_pool_tasks_waiting', 'Tasks that wait for a worker.', waiting),
    ...families('task', [...tasks], [
      ['count', 'prorata_pool_tasks_total', 'Tasks that have ended.'],
      ['failed', 'prorata_pool_tasks_failed_total', 'Tasks whose worker died.'],
      ['seconds', 'prorata_pool_task_seconds_total', 'How long tasks took in all, handing over included.'],
    ]),
  ]; // prettier-ignore
}

export function memoryFamilies(arena: Arena, limitBytes: number): Family[] {
  return [
    gauge('prorata_arena_used_bytes', 'Memory of columns in use.', arena.usedBytes),
    gauge('prorata_arena_limit_bytes', 'Memory that columns may take.', arena.capacityBytes),
    gauge('prorata_memory_limit_bytes', 'Memory that the process may take.', limitBytes),
  ];
}

export function readFamilies(counts: ReadCounts): Family[] {
  return [
    counter('prorata_store_reads_total', 'Reads of the metrics store.', counts.reads),
    counter('prorata_store_read_errors_total', 'Reads of the metrics store that failed.', counts.errors),
    counter('prorata_store_read_retries_total', 'Calls to the metrics store that were tried again.', counts.retries),
    counter('prorata_store_read_bytes_total', 'Bytes of samples read from the metrics store.', counts.bytes),
    byLabel({ name: 'prorata_store_samples_total', help: 'Samples read from the metrics store, those at its edges that do not count included.', type: 'counter' }, 'reader', [...counts.samples]),
    counter('prorata_store_read_seconds_total', 'How long reads took in all.', counts.seconds),
    gauge('prorata_store_reads_in_flight', 'Reads of the metrics store under way.', counts.underWay),
  ]; // prettier-ignore
}

export interface BuildState {
  readonly done: number;
  readonly total: number;
  readonly failing: number;
  readonly built: number;
  readonly failed: number;
  /** Unix ms; undefined before the first. */
  readonly lastBuiltMs: number | undefined;
}

export function buildFamilies({
  done,
  total,
  failing,
  built,
  failed,
  lastBuiltMs,
}: BuildState): Family[] {
  const last =
    lastBuiltMs === undefined
      ? []
      : [
          gauge(
            'prorata_build_last_success_timestamp_seconds',
            'When a set was built last, Unix time.',
            lastBuiltMs / 1000,
          ),
        ];
  return [
    gauge('prorata_build_sets_done', 'Days that are stored of those that there are to be.', done),
    gauge('prorata_build_sets_wanted', 'Days that there are to be.', total),
    gauge('prorata_build_jobs_failing', 'Jobs that failed last time, and are tried again.', failing),
    counter('prorata_builds_total', 'Sets that were built or extended.', built),
    counter('prorata_builds_failed_total', 'Builds that failed.', failed),
    ...last,
  ]; // prettier-ignore
}

/** @param folder undefined: sets are in memory */
export async function storedFamilies(sets: Sets, folder: string | undefined): Promise<Family[]> {
  const kinds = sets.kinds().toSorted();
  const of = kinds.map((kind) => {
    const infos = sets.list(kind);
    const bytes = infos.reduce((sum, info) => sum + info.bytes, 0);
    const damaged = infos.filter(({ damage, insteadOf }) => (damage ?? insteadOf) !== undefined);
    return [kind, { sets: infos.length, bytes, damaged: damaged.length }] as const;
  });
  return [
    ...families('kind', of, [
      ['sets', 'prorata_stored_sets', 'Stored sets.'],
      ['bytes', 'prorata_stored_bytes', 'Bytes of stored sets.'],
      ['damaged', 'prorata_stored_sets_damaged', 'Stored sets of which the newest bytes are damaged.'],
    ]),
    ...(folder === undefined ? [] : await folderFamilies(folder)),
  ]; // prettier-ignore
}

/** What cannot be told now is left out. */
async function folderFamilies(folder: string): Promise<Family[]> {
  const [quarantined, disk] = await Promise.all([
    readdir(join(folder, 'quarantine')).then(
      (names) => names.length,
      () => 0,
    ),
    statfs(folder).catch(() => undefined),
  ]);
  return [
    gauge('prorata_quarantined_files', 'Damaged files that were set aside.', quarantined),
    ...(disk === undefined
      ? []
      : [
          gauge('prorata_disk_free_bytes', 'Free on the disk of the data folder.', disk.bavail * disk.bsize),
          gauge('prorata_disk_size_bytes', 'The size of that disk.', disk.blocks * disk.bsize),
        ]),
  ]; // prettier-ignore
}

/** @param failures undefined: nothing is recorded */
export function auditFamilies(failures: number | undefined): Family[] {
  if (failures === undefined) return [];
  const help = 'Records of changes that could not be written to the audit log.';
  return [counter('prorata_audit_log_failures_total', help, failures)];
}

export function cacheFamilies(caches: Named<CacheState>): Family[] {
  return families('cache', caches, [
    ['bytes', 'prorata_cache_bytes', 'Bytes that a cache holds.'],
    ['entries', 'prorata_cache_entries', 'Values that a cache holds.'],
    ['hits', 'prorata_cache_hits_total', 'Values that were there.'],
    ['misses', 'prorata_cache_misses_total', 'Values that were not.'],
  ]);
}
