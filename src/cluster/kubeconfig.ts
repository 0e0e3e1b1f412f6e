/**
 * The address of the API server and our credentials, from a kubeconfig or the pod's service account:
 * the only file that knows @kubernetes/client-node. It is loaded when a cluster is first opened, and
 * only its file that reads kubeconfigs: the bundle need not have the classes of every resource.
 */
import type { User } from '@kubernetes/client-node';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import { Fault, isLoopback, Unavailable } from '../query/index.ts';
import { kubeconfigFiles, tokenFiles } from './token-files.ts';

/** Server, headers and TLS settings of a request. */
export interface Credentials {
  /** Scheme, host, port, and the path that all paths of the API start with. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates and other settings of TLS. */
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;
  /** Set where a proxy is configured. */
  readonly proxyAgent: RequestOptions['agent'];
}

export interface Kubeconfig {
  readonly server: URL;
  /** Reads tokens, certificates and the output of plugins again at each call. */
  credentials(): Promise<Credentials>;
}

/**
 * @param path of a kubeconfig, or several as in `KUBECONFIG`; absent: `KUBECONFIG`, `~/.kube/config`, else the service account
 * @throws {Fault} when there is none, or it cannot be used
 */
export async function readKubeconfig(path: string | undefined): Promise<Kubeconfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  try {
    if (path === undefined) config.loadFromDefault();
    for (const [index, file] of (path?.split(delimiter) ?? []).filter(Boolean).entries()) {
      const one = index === 0 ? config : new KubeConfig();
      one.loadFromFile(file);
      if (index > 0) config.mergeConfig(one);
    }
    config.users = withTokenFiles(config.users, tokenFiles(kubeconfigFiles(path)));
  } catch (cause) {
    throw unusable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw unusable(path, 'its current context names no cluster');
  if (!URL.canParse(cluster.server)) throw unusable(path, `'${cluster.server}' is not a URL`);
  const server = new URL(cluster.server);
  const isPlain = server.protocol === 'http:';
  if (isPlain && !cluster.skipTLSVerify && !isLoopback(server.hostname)) {
    throw unusable(path, `a token would go to ${server.origin} unencrypted`);
  }
  // Otherwise the package refuses plain HTTP, as used with `kubectl proxy` on this machine.
  if (isPlain) config.clusters = [{ ...cluster, skipTLSVerify: true }];
  return {
    server,
    async credentials() {
      const options: RequestOptions = {};
      try {
        await config.applyToHTTPSOptions(options);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Unavailable(`cannot get credentials for ${server.origin}: ${why}`, { cause });
      }
      return {
        server,
        headers: headersOf(options),
        tls: tlsOf(options),
        proxyAgent: cluster.proxyUrl ? options.agent : undefined,
      };
    },
  };
}

/** Token files by the package's provider for service accounts; a `token` beside the file is ignored. */
function withTokenFiles(users: readonly User[], files: ReadonlyMap<string, string>): User[] {
  return users.map((user) => {
    const tokenFile = files.get(user.name);
    if (tokenFile === undefined) return user;
    const { token: _token, ...others } = user;
    return { ...others, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  });
}

function tlsOf(options: RequestOptions): Credentials['tls'] {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const given = Object.entries({ ca, cert, key, servername, rejectUnauthorized });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** A token's file may end with a line break, which a header must not have. */
function headersOf({ headers = {}, auth }: RequestOptions): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name, String(value).trim()]);
  const basic = auth ? [['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`]] : [];
  return Object.fromEntries([...named, ...basic]) as Record<string, string>;
}

function unusable(path: string | undefined, why: string, cause?: unknown): Fault {
  const which = path === undefined ? 'the kubeconfig that was found' : `kubeconfig ${path}`;
  return new Fault(`${which} cannot be used: ${why}`, {
    parameter: 'kubeconfig',
    hint: 'for example --kubeconfig ~/.kube/config',
    cause,
  });
}
