/**
 * Two worlds that agree in what a caller may see, and differ in everything else: what others are called and cost, how
 * many they are, what is odd about them. Each answer to that caller is the same in both, to the byte.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EVERYBODY } from '../../src/http/caller.ts';
import type { EncodedSet } from '../../src/storage/index.ts';
import { dayKey, encoded, type Columns } from '../support/stores/stored-sets.ts';
import { startStoredServers, type StoredServer, type StoredServers } from '../support/servers/stored-server.ts'; // prettier-ignore

const DAYS = 2;
const GIB = 2 ** 30;

interface Row {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Powers of two and their sums, so that sums are exact in any order. */
  readonly cores: number;
  readonly usd: number;
}

const row = (node: string, namespace: string, pod: string, cores: number, usd: number): Row => {
  const container = pod === '' ? '__idle__' : 'main';
  return { cluster: `c-${node.slice(0, 1)}`, node, namespace, pod, container, cores, usd };
};

const MINE = [row('a1', 'mine', 'web-1', 0.5, 1), row('a1', 'mine', 'web-2', 0.25, 0.5), row('a2', 'mine', 'db-0', 2, 4)]; // prettier-ignore
/** Idle of the caller's nodes is charged by share: it is the same in both, as is what others cost there in all. */
const IDLE = [row('a1', '', '', 1, 2), row('a2', '', '', 0.5, 1)];

const ONE: readonly Row[] = [
  ...IDLE,
  ...MINE,
  row('a1', 'payroll', 'ledger-0', 1, 2),
  row('a2', 'payroll', 'ledger-1', 1, 2),
  row('b1', 'secret', 'x', 4, 8),
  row('b1', '', '', 4, 8),
];
const OTHER: readonly Row[] = [
  ...IDLE,
  ...MINE,
  row('a1', 'takeover', 'bid-a', 0.5, 1),
  row('a1', 'takeover', 'bid-b', 0.25, 0.5),
  row('a1', 'layoffs', 'list', 0.25, 0.5),
  row('a2', 'layoffs', 'list', 1, 2),
  row('z9', 'huge', 'y', 64, 1024),
  row('z8', 'huge', 'y', 64, 1024),
];

const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
const SHARES = ['', '&idle=false', '&splitIdle=true', '&splitIdle=true&idleByNode=true', '&shareIdle=true', '&shareIdle=true&idleByNode=true']; // prettier-ignore
const SHAPES = ['', '&accumulate=all', '&aggregate=namespace', '&aggregate=cluster', '&aggregate=node', '&format=csv&columns=full', '&format=ndjson', '&format=arrow', '&limit=2&sortBy=totalCost', '&aggregate=cluster&includeSharedCostBreakdown=true']; // prettier-ignore
const QUESTIONS: readonly string[] = [
  ...SHARES.flatMap((share) => SHAPES.map((shape) => `/allocation?${WINDOW}${share}${shape}`)),
  ...['summary', 'summary/topline'].map(
    (view) => `/allocation/${view}?${WINDOW}&aggregate=cluster`,
  ),
  ...['cluster', 'namespace', 'node', 'pod', 'label'].map(
    (field) => `/allocation/autocomplete?${WINDOW}&field=${field}`,
  ),
  ...['requestSizing', 'requestSizing/topline', 'requestSizingV2', 'requestSizingV2/topline'].map(
    (path) => `/savings/${path}?${WINDOW}`,
  ),
  `/allocation?${WINDOW}&filter=namespace:"payroll","takeover"`,
  `/allocation?${WINDOW}&filterClusters=c-b,c-z`,
  `/allocation?window=2024-04-01T00:00:00Z,2024-05-03T00:00:00Z&aggregate=namespace`,
];

function columnsOf(rows: readonly Row[], day: number): Columns {
  const { startMs, endMs } = dayKey(day);
  const texts = (['cluster', 'node', 'namespace', 'pod', 'container'] as const).map(
    (name) => [name, rows.map((of) => of[name])] as const,
  );
  return {
    ...Object.fromEntries(texts),
    controller: rows.map(({ pod }) => pod),
    controllerKind: rows.map(({ pod }) => (pod === '' ? '' : 'deployment')),
    labels: rows.map(({ namespace }) => `{"of":"${namespace}"}`),
    startMs: rows.map(() => startMs),
    endMs: rows.map(() => endMs),
    cpuCoreHours: rows.map(({ cores }) => 24 * cores),
    ramByteHours: rows.map(({ cores }) => 24 * GIB * cores),
    cpuCost: rows.map(({ usd }) => usd),
    ramCost: rows.map(({ usd }) => usd / 2),
  };
}

function setsOf(rows: readonly Row[], odd: string, usd: number): Promise<EncodedSet>[] {
  return Array.from({ length: DAYS }, (_, day) =>
    encoded(dayKey(day), columnsOf(rows, day), {
      warnings: [`node ${odd} has no capacity`],
      nodeCosts: { list: usd },
    }),
  );
}

let servers: StoredServers;
const worlds: StoredServer[] = [];
let filter: string | null = null;
before(async () => {
  servers = await startStoredServers();
  const gate = {
    identify: () => ({ ...EVERYBODY, filter }),
    isOpen: () => false,
    isPrivate: false,
  };
  for (const sets of [setsOf(ONE, 'b1', 40), setsOf(OTHER, 'z9', 4000)]) {
    const world = await servers.start('UTC', await Promise.all(sets), gate);
    world.nowMs = dayKey(DAYS).startMs;
    worlds.push(world);
  }
});
after(async () => {
  for (const world of worlds) await world.stop();
  await servers.stop();
});

async function answers(path: string): Promise<string[]> {
  return await Promise.all(
    worlds.map(async ({ url }) => {
      const reply = await fetch(`${url}${path}`);
      const told = ['x-prorata-warnings', 'x-prorata-node-costs', 'x-prorata-partial'].map((name) =>
        reply.headers.get(name),
      );
      const body = Buffer.from(await reply.arrayBuffer());
      return JSON.stringify([reply.status, told, body.toString('latin1')]);
    }),
  );
}

test('S-22: nothing that a caller may not see changes an answer to it', async () => {
  let different = 0;
  for (const path of QUESTIONS) {
    filter = null;
    const [one, other] = await answers(path);
    if (one !== other) different++;
    for (const own of ['namespace:"mine"', 'label[of]:"mine"', '(pod<~:"web"|pod:"db-0")+cluster:"c-a"']) {
      filter = own;
      const [seen, seenInOther] = await answers(path);
      assert.equal(seen, seenInOther, `${path} of ${own}`);
      assert.match(seen ?? '', /^\[200,/, path);
    }
  }
  // Who sees all rows can tell the worlds apart, almost wherever they look.
  assert.ok(different > 0.9 * QUESTIONS.length, `${different} of ${QUESTIONS.length}`);
  assert.deepEqual(servers.failures, []);
}); // prettier-ignore
