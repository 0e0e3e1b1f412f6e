/** Volumes of the demo fleet: one for each pod of a stateful set, and one that nobody claims. */
import type { DemoFleet } from './series.ts';
import { hashText, hexText, uuid } from './hash.ts';

const GIB = 2 ** 30;
const HOURS_A_MONTH = 730;

/** There all the time, whichever pod mounts it. */
export interface DemoVolume {
  readonly cluster: string;
  readonly name: string;
  readonly providerId: string;
  readonly storageClass: string;
  readonly driver: string;
  readonly usdPerGiBHour: number;
  readonly bytes: number;
  readonly claim: DemoClaim | undefined;
}

export interface DemoClaim {
  readonly namespace: string;
  readonly name: string;
}

/** What volumes are made of, such as clouds offer it. */
interface Storage {
  readonly storageClass: string;
  readonly driver: string;
  readonly usdPerGiBMonth: number;
  readonly providerId: (key: number) => string;
}

const STORAGE: Readonly<Record<string, Storage>> = {
  production: {
    storageClass: 'gp3',
    driver: 'ebs.csi.aws.com',
    usdPerGiBMonth: 0.088,
    providerId: (key) => `vol-0${hexText(key, 16)}`,
  },
  development: {
    storageClass: 'standard-rwo',
    driver: 'pd.csi.storage.gke.io',
    usdPerGiBMonth: 0.1,
    providerId: (key) => `pvc-${uuid(key)}`,
  },
};

/** What is left of a database that was moved. */
const LEFT_OVER = { cluster: 'production', diskGiB: 400 };

export function* fleetVolumes({ placed, seed }: DemoFleet): Generator<DemoVolume, void> {
  for (const { workload } of placed) {
    const { cluster, namespace, diskGiB, replicas } = workload;
    for (let slot = 0; diskGiB > 0 && slot < replicas; slot++) {
      const name = claimOf(`${workload.name}-${slot}`);
      const key = hashText(`${cluster}/${namespace}/${name}`, seed);
      yield volume(cluster, key, diskGiB, { namespace, name });
    }
  }
  const { cluster, diskGiB } = LEFT_OVER;
  yield volume(cluster, hashText(`${cluster}/left-over`, seed), diskGiB, undefined);
}

/** As a stateful set names the claim of its pod from the template `data`. */
export function claimOf(pod: string): string {
  return `data-${pod}`;
}

function volume(
  cluster: string,
  key: number,
  diskGiB: number,
  claim: DemoVolume['claim'],
): DemoVolume {
  const storage = STORAGE[cluster];
  if (storage === undefined) throw new Error(`BUG: no storage is offered to ${cluster}`);
  const { storageClass, driver, usdPerGiBMonth, providerId } = storage;
  return {
    cluster,
    name: `pvc-${uuid(key)}`,
    providerId: providerId(key),
    storageClass,
    driver,
    usdPerGiBHour: usdPerGiBMonth / HOURS_A_MONTH,
    bytes: diskGiB * GIB,
    claim,
  };
}
