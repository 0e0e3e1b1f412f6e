/** Settings of `prorata agent`: what it reads, where it sends it, and what it keeps until then. */
import { readBoolean, readBytes, readDuration, MINUTE_MS, SECOND_MS } from '../query/index.ts';
import { header, headers, path, secret } from './credential-rows.ts';
import type { Rows } from './settings.ts';

export interface AgentSettings {
  /** Where samples are sent; the agent needs it. */
  readonly remoteWriteUrl: string | undefined;
  readonly remoteWriteVersion: 'auto' | '1.0' | '2.0';
  readonly remoteWriteUser: string | undefined;
  readonly remoteWritePassword: string | undefined;
  readonly remoteWritePasswordFile: string | undefined;
  readonly remoteWriteToken: string | undefined;
  readonly remoteWriteTokenFile: string | undefined;
  readonly remoteWriteTenant: string | undefined;
  readonly remoteWriteHeader: Readonly<Record<string, string>> | undefined;
  readonly remoteWriteCaFile: string | undefined;
  readonly remoteWriteCertFile: string | undefined;
  readonly remoteWriteKeyFile: string | undefined;
  /** The node whose pods and kubelet are read; absent: all. */
  readonly agentNode: string | undefined;
  readonly agentReads: AgentReads;
  readonly agentIntervalMs: number;
  /** A folder of batches that wait; absent: they are in memory. */
  readonly agentBuffer: string | undefined;
  readonly agentBufferLimitBytes: number;
  readonly agentLabels: Readonly<Record<string, string>>;
  readonly isKubeletInsecure: boolean;
  readonly kubeletCaFile: string | undefined;
  readonly dcgmPort: number | undefined;
}

/** `kubelets`: objects only tell where they are; `objects`: other agents read kubelets. */
export type AgentReads = 'all' | 'objects' | 'kubelets';

const READS: readonly AgentReads[] = ['all', 'objects', 'kubelets'];
const VERSIONS: readonly AgentSettings['remoteWriteVersion'][] = ['auto', '1.0', '2.0'];
const LIMIT_BYTES = 2 ** 30;
const LIMIT_BYTES_MIN = 2 ** 20;
const [INTERVAL_MS_MIN, INTERVAL_MS_MAX] = [SECOND_MS, 5 * MINUTE_MS];
const NODE = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)=([\x21-\x7e]+)$/;

export const AGENT_SETTINGS: Rows<AgentSettings> = {
  remoteWriteUrl: {
    key: 'remoteWriteUrl',
    env: 'REMOTE_WRITE_URL',
    help: 'where the agent sends samples, by remote write',
    accepted: 'an http or https URL',
    example: 'http://prorata:9003/api/v1/write',
    otherwise: 'none; the agent needs it',
    isUrl: true,
    fallback: () => undefined,
    read: (text) => (/^https?:\/\/[^/\s]/.test(text) && URL.canParse(text) ? text : undefined),
  },
  remoteWriteVersion: {
    key: 'remoteWriteVersion',
    env: 'REMOTE_WRITE_VERSION',
    help: 'version of remote write; auto begins with 2.0, and goes on with 1.0 where that is not taken',
    accepted: VERSIONS.join(', '),
    example: '1.0',
    fallback: () => 'auto',
    read: (text) => VERSIONS.find((version) => version === text),
  },
  remoteWriteUser: header(
    'remoteWriteUser',
    'REMOTE_WRITE_USER',
    'user of the receiver',
    'prorata',
  ),
  remoteWritePassword: secret(
    'remoteWritePassword',
    'REMOTE_WRITE_PASSWORD',
    'password of that user',
  ),
  remoteWritePasswordFile: path(
    'remoteWritePasswordFile',
    'REMOTE_WRITE_PASSWORD_FILE',
    'with that password',
  ),
  remoteWriteToken: secret(
    'remoteWriteToken',
    'REMOTE_WRITE_TOKEN',
    'bearer token for the receiver',
  ),
  remoteWriteTokenFile: path('remoteWriteTokenFile', 'REMOTE_WRITE_TOKEN_FILE', 'with that token'),
  remoteWriteTenant: header(
    'remoteWriteTenant',
    'REMOTE_WRITE_TENANT',
    'tenant of the receiver, sent as X-Scope-OrgID',
    'team-a',
  ),
  remoteWriteHeader: headers('remoteWriteHeader', 'REMOTE_WRITE_HEADER', 'the receiver'),
  remoteWriteCaFile: path(
    'remoteWriteCaFile',
    'REMOTE_WRITE_CA_FILE',
    'with the authorities to trust instead of the usual, PEM',
  ),
  remoteWriteCertFile: path(
    'remoteWriteCertFile',
    'REMOTE_WRITE_CERT_FILE',
    'with our own certificate, PEM',
  ),
  remoteWriteKeyFile: path(
    'remoteWriteKeyFile',
    'REMOTE_WRITE_KEY_FILE',
    "with that certificate's key, PEM",
  ),
  agentNode: {
    key: 'agent.node',
    flag: 'node',
    env: 'NODE_NAME',
    help: 'the one node whose pods and kubelet the agent reads, where each node has its agent',
    accepted: "a node's name",
    example: 'node-1',
    otherwise: 'none, all nodes are read',
    fallback: () => undefined,
    read: (text) => (NODE.test(text) ? text : undefined),
  },
  agentReads: {
    key: 'agent.reads',
    flag: 'reads',
    env: 'AGENT_READS',
    help: 'what the agent sends: where one on each node has kubelets, another has objects',
    accepted: READS.join(', '),
    example: 'kubelets',
    fallback: () => 'all',
    read: (text) => READS.find((reads) => reads === text),
  },
  agentIntervalMs: {
    key: 'agent.interval',
    flag: 'interval',
    env: 'AGENT_INTERVAL',
    help: 'how often the agent reads each kubelet and tells of all objects',
    accepted: 'a duration in 1s to 5m',
    example: '30s',
    otherwise: '1m',
    fallback: () => MINUTE_MS,
    read(text) {
      const ms = readDuration(text);
      return ms !== undefined && ms >= INTERVAL_MS_MIN && ms <= INTERVAL_MS_MAX ? ms : undefined;
    },
  },
  agentBuffer: {
    key: 'agent.buffer',
    flag: 'buffer',
    env: 'AGENT_BUFFER',
    help: 'folder in which the agent keeps samples until they are acknowledged; for one agent',
    accepted: 'a path',
    example: '/var/lib/prorata-agent',
    otherwise: 'none, samples wait in memory, at most 64Mi of them',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  agentBufferLimitBytes: {
    key: 'agent.bufferLimit',
    flag: 'buffer-limit',
    env: 'AGENT_BUFFER_LIMIT',
    help: 'the most that folder takes; the oldest samples are dropped beyond',
    accepted: 'an amount of memory of at least 1Mi',
    example: '4Gi',
    otherwise: '1Gi',
    fallback: () => LIMIT_BYTES,
    read(text) {
      const bytes = readBytes(text);
      return bytes !== undefined && bytes >= LIMIT_BYTES_MIN ? bytes : undefined;
    },
  },
  agentLabels: {
    key: 'agent.labels',
    flag: 'labels',
    env: 'AGENT_LABELS',
    help: 'labels of all series that the agent sends, such as the cluster where a store has several',
    accepted: 'a comma-separated list of name=value in visible ASCII',
    example: 'cluster_id=production',
    otherwise: 'none',
    fallback: () => ({}),
    read: readLabels,
  },
  isKubeletInsecure: {
    key: 'agent.kubeletInsecure',
    flag: 'kubelet-insecure',
    env: 'KUBELET_INSECURE',
    help: "whether kubelets' certificates go unchecked: whoever answers in a node's place gets the token",
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  kubeletCaFile: {
    key: 'agent.kubeletCaFile',
    flag: 'kubelet-ca-file',
    env: 'KUBELET_CA_FILE',
    help: "a file with the authorities of kubelets' certificates, PEM",
    accepted: 'a path',
    example: '/etc/prorata/kubelet-ca.crt',
    otherwise: "the cluster's own authority",
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  dcgmPort: {
    key: 'agent.dcgmPort',
    flag: 'dcgm-port',
    env: 'DCGM_PORT',
    help: "port of NVIDIA's DCGM exporter on the addresses of nodes, read for the usage of GPUs",
    accepted: 'a port in 1 to 65535',
    example: '9400',
    otherwise: 'none, it is not read',
    fallback: () => undefined,
    read(text) {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
      return port >= 1 && port <= 65_535 ? port : undefined;
    },
  },
};

function readLabels(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').map((pair) => LABEL.exec(pair.trim()));
  if (pairs.some((pair) => pair === null || pair[1]?.startsWith('__'))) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
