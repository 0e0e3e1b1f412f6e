/** How kubelets are called: as the cluster's API server is, which is asked whether we may read them. */
import { readFileSync } from 'node:fs';
import { readKubeconfig } from '../cluster/index.ts';
import { Fault } from '../query/index.ts';
import type { KubeletAccess } from './kubelets/page-client.ts';

export interface AccessOptions {
  /** Path; absent: what kubectl would use, else the pod's service account. */
  readonly kubeconfig: string | undefined;
  /** Authorities of kubelets' certificates; absent: the cluster's own. */
  readonly caFile: string | undefined;
  readonly isInsecure: boolean;
}

/** @throws {Fault} when there is no configuration, or a file cannot be read */
export async function kubeletAccess(options: AccessOptions): Promise<() => Promise<KubeletAccess>> {
  const { kubeconfig, caFile, isInsecure } = options;
  const config = await readKubeconfig(kubeconfig);
  if (caFile !== undefined) authorities(caFile);
  return async () => {
    const { headers, tls } = await config.credentials();
    const ca = caFile === undefined ? tls.ca : authorities(caFile);
    return {
      headers,
      tls: {
        ...(ca === undefined ? {} : { ca }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
        // Whether the API server's certificate is checked says nothing of kubelets.
        rejectUnauthorized: !isInsecure,
      },
    };
  };
}

function authorities(path: string): Buffer {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch (cause) {
    throw new Fault(`kubelet-ca-file: cannot read ${path}`, {
      parameter: 'kubelet-ca-file',
      cause,
    });
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new Fault(`kubelet-ca-file: ${path} is not a PEM file`, { parameter: 'kubelet-ca-file' });
}
