/** `prorata agent`: sends the facts and the usage of a cluster to a receiver of remote write. */
import { setMaxListeners } from 'node:events';
import {
  followObjects,
  kubeletAccess,
  openQueue,
  ReceiverClient,
  serveHealth,
  startAgent,
  type RunningAgent,
} from '../agent/index.ts';
import { setV8Flag } from '../columnar/index.ts';
import { createClusterApi, openHttpTransport } from '../cluster/index.ts';
import { createCredentials, readTls } from '../metrics/index.ts';
import { Fault } from '../query/index.ts';
import { boundHeaps, limitMainHeap } from '../server/bound-heaps.ts';
import { packageVersion } from '../server/package-version.ts';
import type { Config } from '../settings/config.ts';
import { usage } from '../terminal/flags.ts';
import { createLogger } from '../terminal/log.ts';
import { loadSettings } from '../terminal/settings.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';

const HELP = `prorata agent --remote-write-url URL [settings]

  Reads the objects of a cluster and the usage of its kubelets, and sends them by remote write to prorata
  serve --receive or to any store that takes it: what kube-state-metrics, cAdvisor and a Prometheus would
  make of them. Needs the rights of deploy/manifests/rights/agent. Answers /healthz, /readyz and /metrics
  on --host and --port. Ends with 0 after SIGTERM, with 1 on an error, with 2 on wrong usage.

  prorata agent --remote-write-url http://prorata:9003/api/v1/write --interval 30s \\
    --buffer /var/lib/prorata-agent --buffer-limit 4Gi
`;

/** Without a folder samples wait in memory. */
const MEMORY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Most of what is read is forgotten at once: a small heap for it is looked through often, and cheaply. */
const HEAP = { semiSpaceBytes: 2 * 1024 * 1024 };
const SEND_TIMEOUT_MS = 30_000;
const GRACE_MS = 5000;

export async function agent(argv: readonly string[]): Promise<void> {
  const { config, help } = usage([], () => {
    const loaded = loadSettings(argv);
    if (loaded.help === undefined && loaded.config.remoteWriteUrl === undefined) {
      throw new Fault('the agent needs to know where to send samples', {
        parameter: '--remote-write-url',
        hint: 'for example --remote-write-url http://prorata:9003/api/v1/write',
      });
    }
    return loaded;
  });
  if (help !== undefined) {
    process.stdout.write(`${HELP}\n${help}\n`);
    return;
  }
  await run(config);
}

async function run(config: Config): Promise<void> {
  boundHeaps(HEAP);
  limitMainHeap(HEAP);
  // Nothing was read yet: it need not grow first.
  setV8Flag('semi-space-growth-factor', 1);
  const log = createLogger(config.logLevel);
  const stop = new AbortController();
  // Each kind of objects waits for its end.
  setMaxListeners(0, stop.signal);
  const started: { agent?: RunningAgent } = {};
  const health = await serveHealth(config, () => started.agent?.figures());
  stopOnSignals(async (signal) => {
    log.info({ signal }, 'stopping');
    stop.abort(new Error('the agent stops'));
    // Where batches are on disk, what the receiver does not take at once waits there.
    await started.agent?.close(GRACE_MS);
    await health.close();
  }, log);
  const client = clientOf(config);
  // Pages of 500 pods would take 60 MB more at the start, which are never given back.
  const api = createClusterApi(await openHttpTransport(config.kubeconfig), { pageObjects: 100 });
  const access = await kubeletAccess({
    kubeconfig: config.kubeconfig,
    caFile: config.kubeletCaFile,
    isInsecure: config.isKubeletInsecure,
  });
  const folder = config.agentBuffer;
  const limitBytes = folder === undefined ? MEMORY_LIMIT_BYTES : config.agentBufferLimitBytes;
  const queue = await openQueue({ folder, limitBytes, log }, stop.signal);
  const { agentNode: node } = config;
  const facts = await followObjects(api, { ...(node ? { node } : {}), signal: stop.signal });
  started.agent = startAgent({
    facts,
    kubelets: config.agentReads === 'objects' ? undefined : { access, dcgmPort: config.dcgmPort },
    isTellingObjects: config.agentReads !== 'kubelets',
    intervalMs: config.agentIntervalMs,
    queue,
    client,
    version: config.remoteWriteVersion,
    labels: config.agentLabels,
    log,
  });
  const fields = {
    receiver: client.name,
    cluster: api.name,
    node,
    health: health.port,
    waiting: queue.figures(),
  };
  log.info(fields, 'the agent reads the cluster');
}

function clientOf(config: Config): ReceiverClient {
  const settings = 'remote-write';
  return new ReceiverClient({
    url: config.remoteWriteUrl ?? '',
    credentials: createCredentials({
      user: config.remoteWriteUser,
      password: config.remoteWritePassword,
      passwordFile: config.remoteWritePasswordFile,
      token: config.remoteWriteToken,
      tokenFile: config.remoteWriteTokenFile,
      tenant: config.remoteWriteTenant,
      headers: config.remoteWriteHeader,
      named: { name: 'the receiver', settings },
    }),
    tls: readTls({
      caFile: config.remoteWriteCaFile,
      certFile: config.remoteWriteCertFile,
      keyFile: config.remoteWriteKeyFile,
      settings,
    }),
    timeoutMs: SEND_TIMEOUT_MS,
    userAgent: `prorata-agent/${packageVersion()}`,
  });
}
