/** Settings of actions on the cluster that prorata runs in, which are off by default. */
import { readBoolean, readBytes } from '../query/index.ts';
import type { Rows } from './settings.ts';

export interface ClusterSettings {
  /** Whether requests may be planned and applied. */
  readonly isClusterController: boolean;
  /** Path of a kubeconfig, or several as in KUBECONFIG; absent: the one that kubectl would use. */
  readonly kubeconfig: string | undefined;
  /** Requests are not lowered below these. */
  readonly leastCpuMillicores: number;
  readonly leastRamBytes: number;
  /** Namespaces that are never changed. */
  readonly deniedNamespaces: readonly string[];
}

const LEAST_RAM_BYTES = 64 * 2 ** 20;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const CLUSTER_SETTINGS: Rows<ClusterSettings> = {
  isClusterController: {
    key: 'clusterController.enabled',
    flag: 'cluster-controller',
    env: 'CLUSTER_CONTROLLER_ENABLED',
    help: 'whether container requests may be planned and lowered in the cluster',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  kubeconfig: {
    key: 'kubeconfig',
    env: 'KUBECONFIG',
    help: 'kubeconfig of the cluster that prorata runs in',
    accepted: 'a path',
    example: '~/.kube/config',
    otherwise: "what kubectl would use, then the pod's service account; the demo never uses one",
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  leastCpuMillicores: {
    key: 'clusterController.leastCpuMillicores',
    help: 'no CPU request is lowered below so many millicores',
    accepted: 'a whole number in 1 to 1000000',
    example: '25',
    fallback: () => 25,
    read: (text) => (/^[1-9]\d{0,5}$|^1000000$/.test(text) ? Number(text) : undefined),
  },
  leastRamBytes: {
    key: 'clusterController.leastRam',
    help: 'no RAM request is lowered below so much',
    accepted: 'an amount of memory of at least 1Mi',
    example: '64Mi',
    otherwise: '64Mi',
    fallback: () => LEAST_RAM_BYTES,
    read: (text) => {
      const bytes = readBytes(text);
      return bytes !== undefined && bytes >= 2 ** 20 ? bytes : undefined;
    },
  },
  deniedNamespaces: {
    key: 'clusterController.deniedNamespaces',
    help: 'namespaces whose requests are never changed, comma-separated',
    accepted: 'a list of namespaces, or none',
    example: 'kube-system,istio-system',
    otherwise: 'kube-system',
    fallback: () => ['kube-system'],
    read: (text) => {
      const names = text.split(',').map((name) => name.trim());
      if (text === 'none') return [];
      return names.every((name) => LABEL.test(name)) ? names : undefined;
    },
  },
};
