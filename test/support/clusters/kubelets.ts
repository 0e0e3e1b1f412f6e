/** Kubelets of a plan over real HTTP or TLS, each at an address of its own, which fail where a script says so. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { cadvisorText, resourceText, type NodeView } from './kubelet-text.ts';
import type { ClusterPlan, PlannedNode, PlannedPod } from './plan.ts';

export interface KubeletCall {
  readonly node: string;
  /** Such as `/metrics/cadvisor`. */
  readonly path: string;
  readonly nowMs: number;
  readonly authorization: string;
  /** Encodings of the answer: a kubelet compresses it where it may. */
  readonly accepted: string;
  /** The client's. */
  readonly port: number;
}

/** What becomes of a call; undefined: an answer. */
export type KubeletTrouble =
  | { readonly does: 'refuse'; readonly status: number }
  /** Nothing is ever said. */
  | { readonly does: 'silence' }
  | { readonly does: 'reset' }
  /** The answer, after a while. */
  | { readonly does: 'wait'; readonly waitMs: number }
  /** The first half of the answer, and the connection is reset. */
  | { readonly does: 'cut' }
  | undefined;

export interface KubeletOptions {
  readonly nowMs: () => number;
  readonly script?: (call: KubeletCall) => KubeletTrouble;
  /** Certificate and key, as PEM; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly furtherMetrics?: number;
}

/** Where a node's kubelet listens. */
export interface KubeletPlace {
  readonly address: string;
  readonly port: number;
}

export interface Kubelets {
  place(node: PlannedNode): KubeletPlace;
  readonly calls: readonly KubeletCall[];
  /** Sum of all pages, before they are compressed. */
  readonly bytes: number;
  stop(): Promise<void>;
}

/** Every node has its own, as certificates and the label `instance` tell nodes by it. */
export function kubeletAddress(index: number): string {
  return `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

const NO_PLACE: KubeletPlace = { address: '127.0.0.1', port: 1 };

export async function startKubelets(plan: ClusterPlan, options: KubeletOptions): Promise<Kubelets> {
  const calls: KubeletCall[] = [];
  const sent: Sent = { bytes: 0 };
  const servers = new Map<string, Server>();
  const places = new Map<string, KubeletPlace>();
  for (const [index, node] of plan.nodes.entries()) {
    const view = viewOf(plan.pods, node, options.furtherMetrics);
    const server = serverOf(view, options, calls, sent);
    const address = kubeletAddress(index);
    // As kubelets do (kubernetes, pkg/kubelet/server/server.go).
    server.keepAliveTimeout = 90_000;
    server.listen(0, address);
    await once(server, 'listening');
    servers.set(node.name, server);
    places.set(node.name, { address, port: (server.address() as AddressInfo).port });
  }
  return {
    place: ({ name }) => places.get(name) ?? NO_PLACE,
    calls,
    get bytes() {
      return sent.bytes;
    },
    async stop() {
      const closed = [...servers.values()].map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve())),
      );
      for (const server of servers.values()) server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

function viewOf(
  pods: readonly PlannedPod[],
  node: PlannedNode,
  furtherMetrics: number = 0,
): NodeView {
  return { node, pods: pods.filter((pod) => pod.node === node), furtherMetrics };
}

interface Sent {
  bytes: number;
}

function serverOf(
  view: NodeView,
  options: KubeletOptions,
  calls: KubeletCall[],
  sent: Sent,
): Server {
  const listener: RequestListener = ({ url = '', headers, socket }, response) => {
    response.on('error', () => undefined);
    const path = url.replace(/\?.*/, '');
    const { authorization = '', 'accept-encoding': accepted = '' } = headers;
    const call: KubeletCall = {
      node: view.node.name,
      path,
      nowMs: options.nowMs(),
      authorization,
      accepted: String(accepted),
      port: socket.remotePort ?? 0,
    };
    calls.push(call);
    void answer(view, call, options.script?.(call), response, sent).catch(() => response.destroy());
  };
  return options.tls === undefined
    ? createServer(listener)
    : createTlsServer(options.tls, listener);
}

const TEXTS: Readonly<Record<string, (view: NodeView, nowMs: number) => string>> = {
  '/metrics/cadvisor': cadvisorText,
  '/metrics/resource': resourceText,
};

async function answer(
  view: NodeView,
  { path, nowMs, accepted }: KubeletCall,
  trouble: KubeletTrouble,
  response: ServerResponse,
  sent: Sent,
): Promise<void> {
  const isGone = nowMs < view.node.startMs || nowMs >= view.node.endMs;
  if (isGone || trouble?.does === 'reset') return void response.socket?.destroy();
  if (trouble?.does === 'silence') return;
  if (trouble?.does === 'wait') await sleep(trouble.waitMs);
  const text = TEXTS[path]?.(view, nowMs);
  const date = new Date(nowMs).toUTCString();
  if (text === undefined || trouble?.does === 'refuse') {
    response.writeHead(trouble?.does === 'refuse' ? trouble.status : 404, { date }).end('no');
    return;
  }
  sent.bytes += text.length;
  const type = { date, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  const body = accepted.includes('gzip') ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  const encoding = accepted.includes('gzip') ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { ...type, ...encoding, 'content-length': body.length });
  if (trouble?.does !== 'cut') return void response.end(body);
  const half = body.subarray(0, body.length / 2);
  response.write(half, () => void response.socket?.destroy());
}
