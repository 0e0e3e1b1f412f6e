/** What is on disks, and of quotas, read from real stores: savings are the same by whichever reader. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { skipWithout } from '../support/servers/services.ts';
import { READERS, type Reader } from '../support/servers/told.ts';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { told, writeSeries, type ToldSeries } from '../support/stores/series-file.ts';
import { DAY_MS, FIRST_MS } from '../support/stores/stored-sets.ts';
import { startVictoria, VICTORIA, type Victoria } from '../support/stores/victoria.ts';

const GIB = 2 ** 30;
/** A day of 1 GiB costs 0.0024 USD, 0.073 a month. */
const disk = (name: string, gib: number, more: object): Record<string, string | number> => ({
  type: 'Disk', cluster: 'production', name, byteHours: 24 * gib * GIB, cost: 0.0024 * gib, ...more,
}); // prettier-ignore
const ASSETS = [
  node('production', 'n', { cpuCost: 2, cpuCoreHours: 48, ramByteHours: 24 * 8 * GIB }),
  disk('kafka', 1000, { volume: 'kafka', claim: 'data-kafka-0', claimNamespace: 'data' }),
  disk('logs', 100, { volume: 'logs', claim: 'data-logs-0', claimNamespace: 'data' }),
  disk('n', 100, { node: 'n', isAttached: 1 }),
];

const SCRAPED = { startMs: FIRST_MS, endMs: FIRST_MS + DAY_MS, everyMs: 60_000 };
/** More from half past ten to half past eleven, which is seen at eleven. */
const peak =
  (usual: number, most: number) =>
  (timeMs: number): number => {
    const hours = (timeMs - FIRST_MS) / 3_600_000;
    return hours >= 10.5 && hours <= 11.5 ? most : usual;
  };
const USED = 'kubelet_volume_stats_used_bytes';
const quota = (type: string, value: Parameters<typeof told>[3]): ToldSeries =>
  told('kube_resourcequota', { namespace: 'web', resourcequota: 'compute', resource: 'requests.cpu', type }, SCRAPED, value); // prettier-ignore
const SERIES: readonly ToldSeries[] = [
  told(USED, { namespace: 'data', persistentvolumeclaim: 'data-kafka-0', node: 'n' }, SCRAPED, peak(100 * GIB, 300 * GIB)),
  // The namespace of what scraped it, and its own.
  told(USED, { namespace: 'monitoring', exported_namespace: 'data', persistentvolumeclaim: 'data-logs-0' }, SCRAPED, 40 * GIB),
  told('container_fs_usage_bytes', { device: '/dev/nvme0n1p1', id: '/', instance: '10.0.0.7:10250' }, SCRAPED, 10 * GIB),
  // Another device of the same host, and a container's part of it.
  told('container_fs_usage_bytes', { device: 'tmpfs', id: '/', instance: '10.0.0.7:10250' }, SCRAPED, 90 * GIB),
  told('container_fs_usage_bytes', { device: '/dev/nvme0n1p1', id: '/kubepods/a', instance: '10.0.0.7:10250' }, SCRAPED, 80 * GIB),
  told('kube_node_info', { node: 'n', internal_ip: '10.0.0.7' }, SCRAPED),
  quota('hard', 10),
  quota('used', peak(4, 6)),
]; // prettier-ignore

interface Recommendation {
  readonly [field: string]: unknown;
}

describe('gauges of real stores', { skip: skipWithout('prometheus', 'promtool', VICTORIA) }, () => {
  let stores: readonly [Prometheus, Victoria];
  const servers = new Map<Reader, OwnServer>();
  const folders: string[] = [];
  before(async () => {
    const home = await mkdtemp(join(tmpdir(), 'prorata-gauges-'));
    folders.push(home);
    const file = join(home, 'series.om');
    await writeSeries(file, SERIES);
    stores = await Promise.all([startPrometheus({ blocksFrom: [file] }), startVictoria([file])]);
    for (const [reader, store] of READERS) {
      const folder = await folderOf([await assetDay(0, ASSETS)]);
      folders.push(folder);
      const { url } = stores[store === 'Prometheus' ? 0 : 1];
      const flags = [`--data-dir=${folder}`, `--metrics-url=${url}`, `--metrics-reader=${reader}`];
      const clock = ['--timezone=UTC', '--now=2024-05-02T12:00:00Z'];
      servers.set(
        reader,
        await startOwnServer([
          ...flags,
          ...clock,
          '--workers=1',
          '--refresh=0',
          '--cluster-id=production',
        ]),
      );
    }
  });
  after(async () => {
    for (const server of servers.values()) await server.stop();
    for (const store of stores) await store.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
  /** Recommendations of a report, as the values of some fields. */
  async function recommended(
    reader: Reader,
    report: string,
    fields: readonly string[],
  ): Promise<unknown[]> {
    const answer = await servers.get(reader)?.ask(`/model/savings/${report}?${WINDOW}`);
    assert.equal(answer?.status, 200, answer?.text);
    const body = JSON.parse(answer?.text ?? '') as {
      readonly data: { readonly recommendations: readonly Recommendation[] };
    };
    return body.data.recommendations.map((each) =>
      fields.map((field) => {
        const value = each[field];
        return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
      }),
    );
  }
  const SIZES = ['maxUsedBytes', 'recommendedCapacityBytes', 'monthlySavings'];

  for (const [reader, store] of READERS)
    test(`by ${reader} of ${store}: disks and quotas by the most that was used`, async () => {
      assert.deepEqual(await recommended(reader, 'persistentVolumeSizing', ['volumeName', ...SIZES]), [
        ['kafka', 300 * GIB, 450 * GIB, 40.15],
        ['logs', 40 * GIB, 60 * GIB, 2.92],
      ]); // prettier-ignore
      assert.deepEqual(await recommended(reader, 'localLowDisks', ['diskName', ...SIZES]), [
        ['n', 10 * GIB, 15 * GIB, 6.205],
      ]);
      const fields = ['namespace', 'resource', 'hard', 'maxUsed', 'recommendedHard'];
      assert.deepEqual(await recommended(reader, 'resourceQuotaSizing/recommendations', fields), [
        ['web', 'requests.cpu', 10, 6, 7.5],
      ]);
    });
});
