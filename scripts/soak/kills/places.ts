/** Stores of sets that can be killed and started again, and the servers that share them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startClickHouse } from '../../../test/support/stores/clickhouse.ts';
import { startS3Process } from '../../../test/support/stores/s3-process.ts';
import { s3Variables } from '../../../test/support/stores/s3-script.ts';

export interface KilledPlace {
  /** `--store`, and what else all processes have. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Flags of servers that answer, and of builders. */
  readonly serving: readonly string[];
  readonly building: readonly string[];
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export type PlaceKind = 'bucket' | 'clickhouse';

const LEASE = '5s';

export async function startPlace(kind: PlaceKind, folder: string): Promise<KilledPlace> {
  return kind === 'bucket' ? await startBucket(join(folder, 'bucket')) : await startDatabase();
}

async function startBucket(folder: string): Promise<KilledPlace> {
  const bucket = await startS3Process(folder);
  return {
    flags: ['--store=s3://sets/costs'],
    env: s3Variables(bucket.origin),
    serving: ['--role=serve', `--lease=${LEASE}`],
    building: ['--role=build', `--lease=${LEASE}`],
    kill: () => bucket.kill(),
    start: () => bucket.start(),
    async close() {
      await bucket.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All of its servers may build, as there is no lease: those that only answer have no metrics store. */
async function startDatabase(): Promise<KilledPlace> {
  const server = await startClickHouse();
  return {
    flags: [`--store=${server.origin.replace(/^http/, 'clickhouse')}/kills`],
    env: {},
    serving: ['--refresh=0'],
    building: [],
    kill: () => server.kill(),
    start: () => server.start(),
    close: () => server.stop(),
  };
}
