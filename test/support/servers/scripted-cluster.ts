/**
 * A simulated cluster's API server over real HTTP, which fails where a script says so: refusals,
 * connections that are cut, that fall silent, that carry garbage, answers that get lost. What the Roles
 * of deploy/manifests do not permit gets 403, whoever asks.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type SimulatedApiOptions,
  type SimulatedStore,
  simulatedTransport,
} from '../../../src/demo/index.ts';
import type { ApiCall, Transport } from '../../../src/cluster/index.ts';
import { isGranted, rightFor, SHIPPED, textOf, type Right } from '../cluster-rights.ts';

export interface SeenCall extends ApiCall {
  /** From 0, of all calls. */
  readonly index: number;
  readonly authorization: string;
  readonly contentType: string;
  /** The client's: one a connection. */
  readonly port: number;
}

/** What becomes of a call; undefined: what the API server says. */
export type Trouble =
  | { readonly does: 'refuse'; readonly status: number; readonly reason?: string; readonly message?: string; readonly headers?: Readonly<Record<string, string>> } // prettier-ignore
  /** The connection is reset before anything is done. */
  | { readonly does: 'reset' }
  /** What was asked is done, and the connection reset before the answer. */
  | { readonly does: 'loseAnswer' }
  /** An answer of 200 with this text in it, then as `then` says. */
  | {
      readonly does: 'say';
      readonly text: string | Uint8Array;
      readonly then: 'end' | 'reset' | 'silence';
    }
  /** The answer, a few bytes a packet. */
  | { readonly does: 'dribble'; readonly bytes: number }
  | undefined;

export interface ScriptedClusterOptions extends SimulatedApiOptions {
  /** What the account of who asks may do; default: all that any manifest permits. */
  readonly grants?: readonly Right[];
  /** Hears of each piece of an answer once it is written, and of the end of each call. */
  readonly onChunk?: (call: SeenCall, chunk: Uint8Array) => void;
  readonly onEnd?: (call: SeenCall) => void;
}

export interface ScriptedCluster {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  /** A kubeconfig that leads here. */
  readonly kubeconfig: string;
  /** Resets all connections, as a server that is restarted does. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startScriptedCluster(
  store: SimulatedStore,
  script: (call: SeenCall) => Trouble = () => undefined,
  { grants = SHIPPED, onChunk, onEnd, ...options }: ScriptedClusterOptions = {},
): Promise<ScriptedCluster> {
  const calls: SeenCall[] = [];
  const api = simulatedTransport(store, options);
  const scripted = (call: SeenCall): Trouble => script(call) ?? forbidden(grants, call);
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void readCall(request, calls.length).then((call) => {
      calls.push(call);
      response.once('close', () => onEnd?.(call));
      const told = (chunk: Uint8Array): void => onChunk?.(call, chunk);
      return answer(api, call, scripted(call), response, told).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = mkdtempSync(join(tmpdir(), 'prorata-kubeconfig-'));
  const kubeconfig = join(home, 'config');
  writeFileSync(kubeconfig, kubeconfigTo(url));
  return {
    url,
    calls,
    kubeconfig,
    cut: () => server.closeAllConnections(),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** @param user its entry, as YAML in one line */
export function kubeconfigTo(url: string, user: string = '{ token: secret }'): string {
  return `apiVersion: v1
kind: Config
current-context: test
clusters: [{ name: here, cluster: { server: '${url}' } }]
users: [{ name: me, user: ${user} }]
contexts: [{ name: test, context: { cluster: here, user: me } }]
`;
}

function forbidden(grants: readonly Right[], call: SeenCall): Trouble {
  const right = rightFor(call);
  if (isGranted(grants, right)) return undefined;
  const message = `the account cannot ${textOf(right)}`;
  return { does: 'refuse', status: 403, reason: 'Forbidden', message };
}

async function readCall(request: IncomingMessage, index: number): Promise<SeenCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method, url = '', headers } = request;
  return {
    index,
    method: method === 'PATCH' ? 'PATCH' : 'GET',
    path: url,
    ...(parts.length === 0 ? {} : { body: Buffer.concat(parts).toString() }),
    authorization: headers.authorization ?? '',
    contentType: headers['content-type'] ?? '',
    port: request.socket.remotePort ?? 0,
  };
}

async function answer(
  api: Transport,
  call: SeenCall,
  trouble: Trouble,
  response: ServerResponse,
  told: (chunk: Uint8Array) => void,
): Promise<void> {
  if (trouble?.does === 'reset') return reset(response);
  if (trouble?.does === 'refuse') return refuse(trouble, response);
  if (trouble?.does === 'say') return say(trouble, response);
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  const { status, body } = await api.send(call, closed.signal);
  if (trouble?.does === 'loseAnswer') return reset(response);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  for await (const chunk of body) {
    const bytes = trouble?.does === 'dribble' ? trouble.bytes : chunk.length;
    for (let at = 0; at < chunk.length; at += bytes) {
      await new Promise<void>((resolve) => {
        response.write(chunk.subarray(at, at + bytes), () => resolve());
      });
    }
    told(chunk);
  }
  response.end();
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function refuse(
  {
    status,
    reason = '',
    message = 'as planned',
    headers = {},
  }: Extract<Trouble, { does: 'refuse' }>,
  response: ServerResponse,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ kind: 'Status', code: status, reason, message }));
}

function say({ text, then }: Extract<Trouble, { does: 'say' }>, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  response.write(text, () => {
    if (then === 'end') response.end();
    if (then === 'reset') reset(response);
  });
}
