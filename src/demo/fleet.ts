/** Workloads of the demo fleet, of every kind. How their pods come and go is in demo-pods.ts. */
const MIB = 2 ** 20;

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** 0 where nothing is requested. */
  readonly requestCores: number;
  readonly requestRamBytes: number;
  readonly requestGpus: number;
  /** Means over a day. */
  readonly usageCores: number;
  readonly usageRamBytes: number;
  /** Usage in a burst as a multiple of the usual: above the request where it exceeds it. */
  readonly burst: number;
  readonly startDelaySeconds: number;
  readonly restartsPerDay: number;
}

export interface Workload {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CronJob' | 'Job';
  /** Which nodes: `span` of the pool's, from the `first` on. A DaemonSet ignores it. */
  readonly pool: string;
  readonly first: number;
  readonly span: number;
  readonly replicas: number;
  /** Further replicas from about 08:00 to 19:30 UTC. */
  readonly dayReplicas: number;
  readonly rolloutsPerDay: number;
  /** For a CronJob. */
  readonly everyMinutes: number;
  /** For a Job. */
  readonly runsPerDay: number;
  /** For a CronJob's or Job's pods. */
  readonly runSeconds: readonly [shortest: number, longest: number];
  readonly team: string;
  /** For a StatefulSet: the size of each pod's volume. */
  readonly diskGiB: number;
  readonly containers: readonly ContainerSpec[];
}

type Place = Pick<Workload, 'pool' | 'span' | 'first'>;

/** `span` nodes of a pool, from the `first` on. */
function on(pool: string, span: number, first: number = 0): Place {
  return { pool, span, first };
}

const EVERYWHERE: Place = on('', 0);

/** @param request cores and MiB, 0 for none @param usage cores and MiB */
function container(
  name: string,
  request: readonly [cores: number, ramMiB: number],
  usage: readonly [cores: number, ramMiB: number],
  more: Partial<ContainerSpec> = {},
): ContainerSpec {
  return {
    name,
    image: `registry.example.com/${name}`,
    requestCores: request[0],
    requestRamBytes: request[1] * MIB,
    requestGpus: 0,
    usageCores: usage[0],
    usageRamBytes: usage[1] * MIB,
    burst: 1.5,
    startDelaySeconds: 2,
    restartsPerDay: 0,
    ...more,
  };
}

function workload(
  kind: Workload['kind'],
  path: string,
  place: Place,
  more: Partial<Workload>,
  containers: readonly ContainerSpec[],
): Workload {
  const [namespace = '', name = ''] = path.split('/');
  return {
    cluster: 'production',
    namespace,
    name,
    kind,
    ...place,
    replicas: 0,
    dayReplicas: 0,
    rolloutsPerDay: 0.3,
    everyMinutes: 0,
    runsPerDay: 0,
    runSeconds: [0, 0],
    team: TEAMS[namespace] ?? 'platform',
    diskGiB: 0,
    containers,
    ...more,
  };
}

export const TEAMS: Readonly<Record<string, string>> = {
  web: 'storefront',
  payments: 'payments',
  catalog: 'catalog',
  data: 'data-platform',
  ml: 'machine-learning',
  ci: 'developer-experience',
};

const PROXY = container('istio-proxy', [0.1, 128], [0.03, 60], { startDelaySeconds: 1 });

const PRODUCTION: readonly Workload[] = [
  workload('Deployment', 'web/storefront', on('general', 7), { replicas: 6, dayReplicas: 6 }, [
    container('storefront', [0.5, 512], [0.28, 400], { burst: 3 }),
    PROXY,
  ]),
  workload('Deployment', 'web/search', on('general', 5, 2), { replicas: 3, dayReplicas: 3 }, [
    container('search', [0.75, 1536], [0.3, 1100], { burst: 2, startDelaySeconds: 12 }),
  ]),
  workload(
    'Deployment',
    'payments/checkout',
    on('general', 6, 1),
    { replicas: 4, dayReplicas: 4 },
    [container('checkout', [1, 2048], [0.35, 1500], { startDelaySeconds: 25 }), PROXY],
  ),
  workload(
    'Deployment',
    'payments/fraud-scoring',
    on('general', 2, 5),
    { replicas: 2, rolloutsPerDay: 0.1 },
    [container('fraud-scoring', [0.5, 1024], [0.4, 1300], { burst: 2.5, restartsPerDay: 0.8 })],
  ),
  workload(
    'StatefulSet',
    'payments/ledger-db',
    on('memory', 3),
    { replicas: 3, rolloutsPerDay: 0.05, diskGiB: 500 },
    [container('postgres', [2, 16384], [0.8, 12000]), container('metrics', [0.05, 64], [0.01, 30])],
  ),
  workload(
    'Deployment',
    'catalog/catalog-api',
    on('general', 4, 3),
    { replicas: 4, dayReplicas: 2 },
    [container('catalog-api', [0.4, 768], [0.2, 500], { burst: 2.5 }), PROXY],
  ),
  workload(
    'StatefulSet',
    'catalog/catalog-db',
    on('memory', 2, 1),
    { replicas: 2, rolloutsPerDay: 0.05, diskGiB: 300 },
    [container('mysql', [1, 12288], [0.5, 10000])],
  ),
  workload('Deployment', 'catalog/indexer', on('spot', 4), { replicas: 3 }, [
    container('indexer', [1.5, 2048], [1.1, 1600], { burst: 2 }),
  ]),
  workload(
    'StatefulSet',
    'data/kafka',
    on('memory', 3),
    { replicas: 3, rolloutsPerDay: 0.05, diskGiB: 1000 },
    [container('kafka', [1.5, 12288], [0.7, 11000])],
  ),
  workload('Deployment', 'data/stream-worker', on('spot', 4, 1), { replicas: 5 }, [
    container('stream-worker', [1, 1536], [0.7, 1200], { burst: 1.8, restartsPerDay: 0.4 }),
  ]),
  workload('CronJob', 'data/etl', on('spot', 4), { everyMinutes: 15, runSeconds: [40, 420] }, [
    container('etl', [0.5, 1024], [0.9, 800]),
  ]),
  workload(
    'CronJob',
    'data/report',
    on('general', 7),
    { everyMinutes: 60, runSeconds: [120, 3000] },
    [container('report', [0.25, 512], [0.6, 700])],
  ),
  workload('Deployment', 'ml/inference', on('gpu', 1), { replicas: 1, rolloutsPerDay: 0.1 }, [
    container('inference', [3, 12288], [1.6, 9000], { requestGpus: 1, startDelaySeconds: 40 }),
  ]),
  workload(
    'CronJob',
    'ml/training',
    on('gpu', 1, 1),
    { everyMinutes: 360, runSeconds: [7200, 18000] },
    [container('training', [4, 16384], [3.5, 14000], { requestGpus: 1, burst: 1 })],
  ),
  workload(
    'Deployment',
    'ml/notebook',
    on('general', 1, 6),
    { replicas: 2, rolloutsPerDay: 0.05 },
    [container('notebook', [0, 0], [0.15, 900], { burst: 6 })],
  ),
  workload(
    'StatefulSet',
    'monitoring/prometheus',
    on('general', 1),
    { replicas: 1, rolloutsPerDay: 0.05, diskGiB: 200 },
    [
      container('prometheus', [0.5, 4096], [0.4, 3500]),
      container('config-reloader', [0.01, 50], [0.002, 20]),
    ],
  ),
  workload('DaemonSet', 'monitoring/fluent-bit', EVERYWHERE, { rolloutsPerDay: 0.03 }, [
    container('fluent-bit', [0.05, 64], [0.04, 90]),
  ]),
  workload('DaemonSet', 'monitoring/node-exporter', EVERYWHERE, { rolloutsPerDay: 0.02 }, [
    container('node-exporter', [0.02, 32], [0.01, 25]),
  ]),
  workload('DaemonSet', 'kube-system/kube-proxy', EVERYWHERE, { rolloutsPerDay: 0.01 }, [
    container('kube-proxy', [0.1, 0], [0.01, 40]),
  ]),
  workload(
    'Deployment',
    'kube-system/coredns',
    on('general', 2),
    { replicas: 2, rolloutsPerDay: 0.02 },
    [container('coredns', [0.1, 70], [0.03, 45])],
  ),
  workload('CronJob', 'ops/cleanup', on('general', 7), { everyMinutes: 30, runSeconds: [4, 30] }, [
    container('cleanup', [0, 0], [0.2, 60]),
  ]),
  workload('Job', 'ops/migrate', on('general', 7), { runsPerDay: 3, runSeconds: [20, 900] }, [
    container('migrate', [0.2, 256], [0.3, 200]),
  ]),
];

const DEVELOPMENT: readonly Workload[] = [
  workload('Deployment', 'web/storefront', on('default', 4), { replicas: 2, rolloutsPerDay: 0.9 }, [
    container('storefront', [0.25, 512], [0.03, 300]),
    PROXY,
  ]),
  workload(
    'Deployment',
    'payments/checkout',
    on('default', 2, 2),
    { replicas: 2, rolloutsPerDay: 0.7 },
    [
      container('checkout', [0.5, 1536], [0.04, 1000], {
        startDelaySeconds: 25,
        restartsPerDay: 0.3,
      }),
    ],
  ),
  workload(
    'StatefulSet',
    'data/kafka',
    on('default', 1, 1),
    { replicas: 1, rolloutsPerDay: 0.1, diskGiB: 100 },
    [container('kafka', [0.5, 2048], [0.1, 1500])],
  ),
  workload('CronJob', 'data/etl', on('default', 4), { everyMinutes: 60, runSeconds: [30, 300] }, [
    container('etl', [0.25, 512], [0.5, 400]),
  ]),
  workload('Job', 'ci/runner', on('default', 4), { runsPerDay: 40, runSeconds: [60, 900] }, [
    container('build', [0.5, 1024], [0.8, 900], { burst: 1.3 }),
    container('cache', [0, 0], [0.05, 80]),
  ]),
  workload('DaemonSet', 'monitoring/fluent-bit', EVERYWHERE, { rolloutsPerDay: 0.03 }, [
    container('fluent-bit', [0.05, 64], [0.03, 80]),
  ]),
  workload('DaemonSet', 'kube-system/kube-proxy', EVERYWHERE, { rolloutsPerDay: 0.01 }, [
    container('kube-proxy', [0.1, 0], [0.01, 40]),
  ]),
];

export const WORKLOADS: readonly Workload[] = [
  ...PRODUCTION,
  ...DEVELOPMENT.map((row) => ({ ...row, cluster: 'development' })),
];
