/**
 * Allocations, idle and what exceeds nodes against assets, over random fleets in a real Prometheus: of a
 * day that was built as a whole, of today that was built hour by hour, and computed on demand.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Seeded } from '../../../scripts/seeded.ts';
import { OVERFULL_START_MS, overfullSeries } from '../../support/fleets/overfull-fleets.ts';
import { startServerProcess, type ServerProcess } from '../../support/servers/server-process.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../../support/stores/prometheus.ts';
import { writeSeries } from '../../support/stores/series-file.ts';

const skip = skipWithout('prometheus', 'promtool');
const SEED = Number(process.env['SEED'] ?? 1);
const CLUSTERS = Number(process.env['FLEETS'] ?? 20);
const BIN = fileURLToPath(new URL('../../../src/prorata.js', import.meta.url));
const RESOURCES = ['cpuCost', 'ramCost', 'gpuCost'] as const;
const HOUR_MS = 3_600_000;
const isoOf = (hours: number): string =>
  new Date(OVERFULL_START_MS + hours * HOUR_MS).toISOString();
const [YESTERDAY, TODAY, NOW] = [isoOf(-18), isoOf(6), isoOf(11.5)];
const WINDOWS = {
  'a day that was built as a whole': `${YESTERDAY},${TODAY}`,
  'today, built hour by hour': `${TODAY},${isoOf(30)}`,
} as const;

interface Costs {
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
  readonly properties?: {
    readonly cluster?: string;
    readonly name?: string;
    readonly node?: string;
  };
  readonly type?: string;
}
interface Body {
  readonly data: readonly Readonly<Record<string, Costs>>[];
  readonly warnings?: readonly string[];
}

const home = mkdtempSync(join(tmpdir(), 'prorata-overfull-'));
let prometheus: Prometheus | undefined;
let server: ServerProcess | undefined;
before(async () => {
  if (skip !== false) return;
  const file = join(home, 'series.om');
  await writeSeries(file, overfullSeries(new Seeded(SEED), CLUSTERS));
  prometheus = await startPrometheus({ blocksFrom: [file] });
  const flags = [`--metrics-url=${prometheus.url}`, `--data-dir=${join(home, 'data')}`, `--now=${NOW}`, '--timezone=UTC']; // prettier-ignore
  const built = spawnSync(process.execPath, [BIN, 'build', '--window=2d', '--quiet', ...flags], { encoding: 'utf8', timeout: 300_000 }); // prettier-ignore
  assert.equal(built.status, 0, built.stderr);
  server = await startServerProcess(['--refresh=0', ...flags]);
});
after(async () => {
  await server?.stop();
  await prometheus?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function ask(path: string): Promise<Body> {
  const reply = await fetch(`${server?.url}${path}`);
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  return JSON.parse(text) as Body;
}

/** By `cluster/node`. */
type ByNode = ReadonlyMap<string, Costs>;

async function assetsIn(window: string): Promise<ByNode> {
  const { data } = await ask(`/model/assets?window=${window}&filterTypes=Node`);
  const nodes = data.flatMap((set) => Object.values(set)).filter(({ type }) => type === 'Node');
  const nameOf = ({ properties: { cluster = '', name = '' } = {} }: Costs): string =>
    `${cluster}/${name}`;
  return new Map(nodes.map((node) => [nameOf(node), node]));
}

/** Idle of each node, and what else is on it. */
function splitIdle(rows: readonly (readonly [string, Costs])[]): { idle: ByNode; used: ByNode } {
  const isIdle = (key: string): boolean => key.endsWith('/__idle__');
  const idle = rows.filter(([key]) => isIdle(key));
  return {
    idle: new Map(idle.map(([key, row]) => [key.replace('/__idle__', ''), row])),
    used: new Map(rows.filter(([key]) => !isIdle(key))),
  };
}

const NOTHING: Costs = { cpuCost: 0, ramCost: 0, gpuCost: 0 };
const toldUsd = (warnings: readonly string[] = [], pattern: RegExp): number =>
  warnings.reduce((sum, text) => sum + Number(pattern.exec(text)?.[1] ?? 0), 0);
const sumOf = (costs: Iterable<Costs>): number =>
  [...costs].reduce((sum, each) => RESOURCES.reduce((all, name) => all + each[name], sum), 0);

describe(
  `allocations, idle and excess of ${CLUSTERS} fleets of seed ${SEED} are their nodes, for`,
  { skip },
  () => {
    for (const [name, window] of Object.entries(WINDOWS))
      for (const [way, path] of [
        ['stored', '/model/allocation?reconcile=false&shareTenancyCosts=false&accumulate=true'],
        ['computed', '/model/allocation/compute?resolution=exact&idle=true'],
      ] as const)
        test(`${name}: ${way}`, async (t) => {
          const assets = await assetsIn(window);
          const query = 'aggregate=cluster,node&splitIdle=true&idleByNode=true';
          const { data, warnings } = await ask(`${path}&window=${window}&${query}`);
          const rows = Object.entries(data[0] ?? {});
          const { idle, used } = splitIdle(rows);
          let [overUsd, elsewhereUsd] = [0, 0];
          for (const node of new Set([...assets.keys(), ...used.keys(), ...idle.keys()])) {
            const asset = assets.get(node);
            const [own, left] = [used, idle].map((of) => of.get(node) ?? NOTHING);
            if (own === undefined || left === undefined) continue;
            if (asset === undefined) elsewhereUsd += sumOf([own]);
            for (const resource of RESOURCES) {
              if (asset === undefined) assertNear(left[resource], 0, `${node} ${resource}`);
              else {
                const over = Math.max(0, own[resource] - asset[resource]);
                assertNear(
                  own[resource] + left[resource] - over,
                  asset[resource],
                  `${node} ${resource}`,
                );
                overUsd += over;
              }
            }
          }
          const [over, elsewhere] = [
            toldUsd(warnings, /^allocations exceed their nodes by \$(\S+): /),
            toldUsd(warnings, /^allocations on nodes that no asset is known of cost \$(\S+): /),
          ];
          t.diagnostic(`$${overUsd} exceeds nodes, $${elsewhereUsd} is on no known node`);
          assert.ok(overUsd > 0 && elsewhereUsd > 0, 'the fleets have both');
          assertNear(over, overUsd, 'what exceeds nodes');
          assertNear(elsewhere, elsewhereUsd, 'what is on no known node');
          const all = sumOf(rows.map(([, row]) => row));
          assertNear(all - over - elsewhere, sumOf(assets.values()), 'all');
        });
  },
);

function assertNear(actual: number, expected: number, what: string): void {
  const bound = 1e-9 * Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(actual - expected) <= bound, `${what}: ${actual}, not ${expected}`);
}
