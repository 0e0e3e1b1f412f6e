/**
 * A real ClickHouse for a test: Debian's, on a loopback port and in a folder of its own, with little memory.
 * `CLICKHOUSE_URL` names another one, such as a later version.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinary, skipWithout } from '../servers/services.ts';

export interface ClickHouseServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly pid: number;
  /** Answers of the server to a statement, as it came. */
  ask(sql: string): Promise<string>;
  /** Ends at once, without a word, and its folder stays. */
  kill(): Promise<void>;
  /** Begins again on its folder and port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const CLICKHOUSE_URL: string | undefined = process.env['CLICKHOUSE_URL'];

export const CLICKHOUSE_MISSING: string | false =
  CLICKHOUSE_URL === undefined && skipWithout('clickhouse-server');

/** The user of tests, beside the one without a password. */
export const USER = 'prorata';
export const PASSWORD = 'p/ss:wörd';

const READY_WITHIN_MS = 60_000;
const MEMORY_BYTES = 1_000_000_000;

export async function startClickHouse(): Promise<ClickHouseServer> {
  if (CLICKHOUSE_URL !== undefined) return elsewhere(CLICKHOUSE_URL);
  return await startServer({ host: '127.0.0.1', port: await freePort(), more: '' });
}

/** Servers of a cluster, each of them a shard; the first is that of the URL. */
export interface ClickHouseShards {
  readonly servers: readonly ClickHouseServer[];
  readonly home: ClickHouseServer;
  readonly cluster: string;
  /** As `--store` takes it. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** They differ by their addresses, all of them of this machine, and have one port of HTTP. */
export async function startShards(count: number = 2): Promise<ClickHouseShards> {
  const cluster = 'tested';
  const port = await freePort();
  const hosts: (readonly [host: string, tcp: number])[] = [];
  for (let i = 1; i <= count; i++) hosts.push([`127.0.0.${i}`, await freePort()]);
  const shards = hosts.map(
    ([host, tcp]) => `<shard><replica><host>${host}</host><port>${tcp}</port></replica></shard>`,
  );
  const clusters = `<remote_servers><${cluster}>${shards.join('')}</${cluster}></remote_servers>`;
  const servers: ClickHouseServer[] = [];
  for (const [host, tcp] of hosts) {
    const more = `<tcp_port>${tcp}</tcp_port>${clusters}`;
    servers.push(await startServer({ host, port, more }));
  }
  const [home] = servers;
  if (home === undefined) throw new Error('a cluster has a server');
  return {
    servers,
    home,
    cluster,
    url: (database) =>
      `${home.origin.replace('http:', 'clickhouse:')}/${database}?cluster=${cluster}`,
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

interface ServerPlace {
  readonly host: string;
  readonly port: number;
  /** More of its configuration. */
  readonly more: string;
}

async function startServer(place: ServerPlace): Promise<ClickHouseServer> {
  const home = await mkdtemp(join(tmpdir(), 'prorata-clickhouse-'));
  const removeHome = (): void => rmSync(home, { recursive: true, force: true });
  process.once('exit', removeHome);
  await mkdir(join(home, 'data'));
  await writeFile(join(home, 'config.xml'), configOf(home, place));
  await writeFile(join(home, 'users.xml'), USERS);
  const origin = `http://${place.host}:${place.port}`;
  let child = await launch(home, origin);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return {
    ...elsewhere(origin),
    get pid() {
      return child.pid ?? NaN;
    },
    kill: () => end('SIGKILL'),
    async start() {
      child = await launch(home, origin);
    },
    async stop() {
      await end('SIGKILL');
      process.off('exit', removeHome);
      removeHome();
    },
  };
}

/** A server that somebody else starts and stops. */
function elsewhere(origin: string): ClickHouseServer {
  const none = (): Promise<void> => Promise.resolve();
  return {
    origin,
    pid: NaN,
    async ask(sql) {
      const response = await fetch(origin, { method: 'POST', body: sql });
      return await response.text();
    },
    kill: none,
    start: none,
    stop: none,
  };
}

/** What may be left of it is gone with the process of the test. */
async function launch(home: string, origin: string): Promise<ChildProcess> {
  const log = openSync(join(home, 'log'), 'a');
  const program = findBinary('clickhouse-server') ?? '';
  const child = spawn(program, [`--config-file=${join(home, 'config.xml')}`], {
    stdio: ['ignore', log, log],
    cwd: home,
  });
  closeSync(log);
  process.once('exit', () => child.kill('SIGKILL'));
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const isReady = await fetch(`${origin}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return child;
    if (child.exitCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`clickhouse-server is not ready: ${readFileSync(join(home, 'log'), 'utf8')}`);
    }
    await sleep(20);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function configOf(home: string, { host, port, more }: ServerPlace): string {
  return `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${port}</http_port>
  <listen_host>${host}</listen_host>
  <path>${home}/data/</path>
  <tmp_path>${home}/tmp/</tmp_path>
  <mark_cache_size>33554432</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>Europe/Berlin</timezone>
  ${more}
</yandex>
`;
}

const USERS = `<yandex>
  <profiles>
    <default><max_memory_usage>${MEMORY_BYTES}</max_memory_usage></default>
    <reading><readonly>2</readonly></reading>
  </profiles>
  <users>
    <default>${userOf('default', '')}</default>
    <${USER}>${userOf('default', PASSWORD)}</${USER}>
    <reader>${userOf('reading', '')}</reader>
  </users>
  <quotas><default></default></quotas>
</yandex>
`;

function userOf(profile: string, password: string): string {
  return `<password>${password}</password><networks><ip>127.0.0.0/8</ip></networks>
    <profile>${profile}</profile><quota>default</quota>`;
}
