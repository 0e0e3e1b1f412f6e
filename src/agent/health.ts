/** The agent's own small server: whether it lives, whether it is ready, and what it did, for scrapes. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Unavailable } from '../query/index.ts';
import type { AgentFigures } from './agent.ts';

export interface Health {
  readonly port: number;
  close(): Promise<void>;
}

/** @throws {Unavailable} when the address is taken */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  figures: () => AgentFigures | undefined,
): Promise<Health> {
  const server = createServer(
    { maxHeaderSize: 8192, requestTimeout: 10_000 },
    (request, response) => {
      const { status, type, text } = answerTo(request.method, request.url ?? '', figures());
      response.writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(text),
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    },
  );
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    throw new Unavailable(`cannot listen on ${host}:${port}: it is taken or not ours to use`, {
      hint: 'choose another with --port',
      cause,
    });
  }
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  const end = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await end;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const TEXT = 'text/plain; charset=utf-8';

function answerTo(method: string = '', url: string, figures: AgentFigures | undefined): Answer {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: TEXT, text: 'GET only\n' };
  const [path = ''] = url.split('?');
  switch (path) {
    case '/healthz':
      return { status: 200, type: TEXT, text: 'ok\n' };
    case '/readyz':
      return figures?.isComplete === true
        ? { status: 200, type: TEXT, text: 'ok\n' }
        : { status: 503, type: TEXT, text: 'objects of the cluster are not listed yet\n' };
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4', text: metricsText(figures) };
    default:
      return { status: 404, type: TEXT, text: '/healthz, /readyz and /metrics are here\n' };
  }
}

/** Such as `prorata_agent_samples_total`. */
function metricsText(figures: AgentFigures | undefined): string {
  const memory = process.memoryUsage.rss();
  const { user, system } = process.cpuUsage();
  const own = [
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', memory),
    metric('process_cpu_seconds_total', 'counter', 'CPU time used.', (user + system) / 1e6),
  ];
  return [...own, ...(figures === undefined ? [] : agentMetrics(figures))].join('');
}

function agentMetrics({
  kubelets,
  queue,
  sender,
  takenSamples,
  ...figures
}: AgentFigures): string[] {
  const objects = figures.objects.kinds.reduce((sum, kind) => sum + kind.objects, 0);
  const name = (rest: string): string => `prorata_agent_${rest}`;
  return [
    metric(name('ready'), 'gauge', 'Whether all kinds were listed.', Number(figures.isComplete)),
    metric(name('objects'), 'gauge', 'Objects that are followed.', objects),
    metric(name('lost_changes_total'), 'counter', 'Changes of objects that no sample tells.', figures.objects.lostChanges), // prettier-ignore
    metric(name('kubelets'), 'gauge', 'Kubelets that are read.', kubelets.kubelets),
    metric(name('unread_nodes'), 'gauge', 'Nodes of which a page could not be read the last time.', kubelets.unreadNodes), // prettier-ignore
    metric(name('pages_total'), 'counter', 'Pages that were read.', kubelets.pagesRead),
    metric(name('failed_pages_total'), 'counter', 'Pages that could not be read.', kubelets.pagesFailed), // prettier-ignore
    metric(name('samples_total'), 'counter', 'Samples taken for sending.', takenSamples),
    metric(name('sent_samples_total'), 'counter', 'Samples that the receiver acknowledged.', sender.sentSamples), // prettier-ignore
    metric(name('refused_samples_total'), 'counter', 'Samples of batches that the receiver refused for good.', sender.refusedSamples), // prettier-ignore
    metric(name('dropped_samples_total'), 'counter', 'Samples that the buffer had no room for.', queue.droppedSamples), // prettier-ignore
    metric(name('failed_sends_total'), 'counter', 'Tries to send that failed.', sender.failedTries),
    metric(name('waiting_samples'), 'gauge', 'Samples that wait to be sent.', queue.samples),
    metric(name('waiting_bytes'), 'gauge', 'Bytes of the buffer.', queue.bytes),
  ];
}

function metric(name: string, type: 'counter' | 'gauge', help: string, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
}
