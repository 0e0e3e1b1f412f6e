/** Settings of the metrics store: its reader, headers and credentials. */
import { header, headers, path, secret } from './credential-rows.ts';
import type { Rows } from './settings.ts';

/** Signatures that a store may want. */
export type MetricsAuth = 'aws';

export interface MetricsSettings {
  /** A file of several metrics stores. */
  readonly metricsStores: string | undefined;
  readonly metricsReader: 'auto' | 'remote-read' | 'victoria-export' | 'query-range';
  readonly metricsUser: string | undefined;
  readonly metricsPassword: string | undefined;
  readonly metricsPasswordFile: string | undefined;
  readonly metricsToken: string | undefined;
  readonly metricsTokenFile: string | undefined;
  readonly metricsAuth: MetricsAuth | undefined;
  readonly metricsTenant: string | undefined;
  /** External labels of blocks by which replicas differ. */
  readonly metricsReplicaLabels: readonly string[];
  readonly metricsHeader: Readonly<Record<string, string>> | undefined;
  readonly metricsCaFile: string | undefined;
  readonly metricsCertFile: string | undefined;
  readonly metricsKeyFile: string | undefined;
}

const READERS: readonly MetricsSettings['metricsReader'][] = [
  'auto',
  'remote-read',
  'victoria-export',
  'query-range',
];

/** Those of Thanos' and of Prometheus Operator's documents. */
const REPLICA_LABELS: readonly string[] = ['replica', 'prometheus_replica'];
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export const METRICS_SETTINGS: Rows<MetricsSettings> = {
  metricsStores: path(
    'metricsStores',
    'METRICS_STORES',
    'of several metrics stores with credentials of each, YAML, in place of --metrics-url',
  ),
  metricsReader: {
    key: 'metricsReader',
    env: 'METRICS_READER',
    help: 'how samples are read from the metrics store; auto asks it',
    accepted: READERS.join(', '),
    example: 'query-range',
    fallback: () => 'auto',
    read: (text) => READERS.find((reader) => reader === text),
  },
  metricsUser: header('metricsUser', 'METRICS_USER', 'user of the metrics store', 'prorata'),
  metricsPassword: secret('metricsPassword', 'METRICS_PASSWORD', 'password of that user'),
  metricsPasswordFile: path('metricsPasswordFile', 'METRICS_PASSWORD_FILE', 'with that password'),
  metricsToken: secret('metricsToken', 'METRICS_TOKEN', 'bearer token for the metrics store'),
  metricsTokenFile: path('metricsTokenFile', 'METRICS_TOKEN_FILE', 'with that token'),
  metricsAuth: {
    key: 'metricsAuth',
    env: 'METRICS_AUTH',
    help: 'how requests to the metrics store are signed; aws: for Amazon Managed Service for Prometheus',
    accepted: 'aws',
    example: 'aws',
    otherwise: 'none',
    fallback: () => undefined,
    read: readAuth,
  },
  metricsTenant: header(
    'metricsTenant',
    'METRICS_TENANT',
    'tenant of the metrics store, sent as X-Scope-OrgID; of blocks: the folder of the tenant',
    'team-a',
  ),
  metricsReplicaLabels: {
    key: 'metricsReplicaLabels',
    env: 'METRICS_REPLICA_LABELS',
    help: 'external labels of blocks by which replicas of one Prometheus differ, comma-separated',
    accepted: 'a list of label names',
    example: 'replica,prometheus_replica',
    otherwise: REPLICA_LABELS.join(','),
    fallback: () => REPLICA_LABELS,
    read: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.every((name) => LABEL_NAME.test(name)) ? names : undefined;
    },
  },
  metricsHeader: headers('metricsHeader', 'METRICS_HEADER', 'the metrics store'),
  metricsCaFile: path(
    'metricsCaFile',
    'METRICS_CA_FILE',
    'with the authorities to trust instead of the usual, PEM',
  ),
  metricsCertFile: path('metricsCertFile', 'METRICS_CERT_FILE', 'with our own certificate, PEM'),
  metricsKeyFile: path('metricsKeyFile', 'METRICS_KEY_FILE', "with that certificate's key, PEM"),
};

export function readAuth(text: string): MetricsAuth | undefined {
  return text === 'aws' ? text : undefined;
}
