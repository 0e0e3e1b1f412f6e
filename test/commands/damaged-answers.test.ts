/**
 * The server as users run it, on a folder with files that are damaged at any time: each answer is that of
 * the undamaged folder, or is marked as partial with a warning that names the day, or breaks off, or is
 * refused with 503.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../bench/random.ts';
import { importFocus } from '../../src/commands/import-focus.ts';
import { openArrowFiles, type EncodedSet } from '../../src/storage/index.ts';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { sampled } from '../support/sampled.ts';
import { adoptNewest } from '../support/stores/crash-disk.ts';
import { FOLDER_DAMAGES, someSet, FILE_DAMAGES } from '../support/stores/folder-damages.ts';
import { collect, itemsOf, rowsOf } from '../support/servers/estate.ts';
import { folderOf, rowSet } from '../support/stores/columns-folder.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';
import { startProrata, type Prorata } from '../support/servers/prorata.ts';
import { dayKey, newArena } from '../support/stores/stored-sets.ts';

const isProof = process.env['PROVE'] !== undefined;
const DAYS = 4;
/** A day. */
const PODS = 400;
/** A day, where answers are more than sockets on both sides hold. */
const LONG_PODS = isProof ? 9000 : 6000;
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-05T00:00:00Z';
const FLAGS = [
  '--now=2024-05-06T00:00:00Z',
  `--workers=${isProof ? 2 : 1}`,
  '--memory-limit=800Mi',
];
const ID = 'gce://project/zone/n';
const CHARGE = {
  BillingPeriodStart: '2024-05-01T00:00:00Z', BillingPeriodEnd: '2024-06-01T00:00:00Z', ResourceId: ID,
  EffectiveCost: '50000', BilledCost: '50000', Tags: '{"kubernetes_namespace":"ns-1"}',
}; // prettier-ignore

const home = mkdtempSync(join(tmpdir(), 'prorata-damaged-'));

/** An undamaged folder. */
interface Whole {
  readonly folder: string;
  /** Bodies by path. */
  readonly expected: ReadonlyMap<string, Buffer>;
}

/** @param usd what a pod costs */
function daySets(day: number, pods: number, usd: number): Promise<EncodedSet[]> {
  const rows = Array.from({ length: pods }, (_, i) => ({
    texts: { cluster: 'c', node: 'n', namespace: `ns-${i % 7}`, pod: `pod-${i}`, container: 'main', providerID: ID, controller: `web-${i % 90}`, controllerKind: 'deployment' },
    labels: { app: `app-${i % 50}`, team: `team-${i % 5}` },
    numbers: { cpuCost: usd + i / pods, ramCost: usd / 3, cpuCoreHours: 1.5, cpuCoreRequestHours: 1, ramByteHours: 2 ** 31 },
  })); // prettier-ignore
  const nodes = { providerID: ID, cpuCoreHours: 96_000, ramByteHours: 2 ** 46, cpuCost: 40_000, ramCost: 20_000 }; // prettier-ignore
  return Promise.all([rowSet(dayKey(day), rows), assetDay(day, [node('c', 'n', nodes)])]);
}

/** Day 2 is written twice, the second time by the newest generation. */
async function wholeOf(pods: number, paths: readonly string[]): Promise<Whole> {
  const days = Array.from({ length: DAYS }, (_, day) =>
    daySets(day, pods, day === 2 ? 7 : day + 1),
  );
  const folder = await folderOf((await Promise.all(days)).flat());
  for (const as of ['cloud', 'external']) {
    const charges = Array.from({ length: DAYS }, (_, day) => {
      const { startMs, endMs } = dayKey(day);
      const [start = '', end = ''] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
      return { ...CHARGE, ChargePeriodStart: start, ChargePeriodEnd: end };
    });
    const bill = join(home, `${as}.csv`);
    writeFileSync(bill, focusCsv(...charges));
    const flags = [`--as=${as}`, `--data-dir=${folder}`, '--source=s', '--workers=1', '--quiet'];
    await importFocus([bill, ...flags]);
  }
  const sets = await openArrowFiles({ folder, arena: newArena(), note: assert.fail });
  await sets.write(await daySets(2, pods, 3));
  await sets.close();
  const server = await startProrata([`--data-dir=${folder}`, ...FLAGS]);
  const groups = [rowsOf('namespace:"ns-1"'), itemsOf('service:"EC2"')];
  await collect(server, { name: 'some', category: 'Team', groups });
  const expected = new Map<string, Buffer>();
  for (const path of paths) {
    const { status, body, wasCut } = await ask(server.url, path);
    assert.deepEqual([status, wasCut], [200, false], path);
    expected.set(path, body);
  }
  await server.stop();
  return { folder, expected };
}

function removed({ folder }: Whole): void {
  rmSync(folder, { recursive: true, force: true });
}

after(() => rmSync(home, { recursive: true, force: true }));

const PATHS: readonly string[] = [
  '/model/allocation?aggregate=namespace',
  '/model/allocation?aggregate=namespace&accumulate=true&reconcile=true',
  '/model/allocation?aggregate=controller&format=csv&accumulate=false',
  '/model/allocation?aggregate=namespace&format=ndjson',
  '/model/allocation?aggregate=label:app&format=arrow',
  '/model/allocation?aggregate=namespace&accumulate=week&format=csv',
  '/model/allocation?aggregate=namespace&external=true&shareIdle=true',
  '/model/allocation?limit=5&format=csv&shareTenancyCosts=true',
  '/model/allocation/summary?aggregate=namespace&format=csv',
  '/model/allocation/summary/topline?aggregate=namespace',
  '/model/allocation/autocomplete?field=namespace',
  '/model/allocation/autocomplete?field=pod&filter=namespace:"ns-2"&limit=3',
  '/model/assets?aggregate=type',
  '/model/assets?format=csv&accumulate=false',
  '/model/assets/topline?',
  '/model/cloudCost/view/table?aggregate=service',
  '/model/cloudCost/view/table?aggregate=service&format=csv',
  '/model/customCost/total?',
  '/model/collections/query/total?category=Team',
  '/model/collections/query/complement/kubernetes?category=Team&aggregate=namespace',
  '/model/collections/query/complement/cloud?category=Team&aggregate=service',
  '/model/savings/requestSizingV2?',
  '/model/savings/clusterSizingETL?',
];

/** Answers of many megabytes, with rows of single containers. */
const LONG_PATHS: readonly string[] = ['csv&columns=full', 'ndjson', 'arrow', 'json'].map(
  (format) => `/model/allocation?accumulate=false&format=${format}`,
);

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly wasCut: boolean;
}

/** @param midway runs after the first part of the body; the rest is read afterwards */
function ask(url: string, path: string, midway?: () => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage): void => {
      const parts: Buffer[] = [];
      response.once('data', () => {
        if (midway === undefined) return;
        response.pause();
        // Meanwhile the server fills the sockets.
        setTimeout(() => {
          midway();
          response.resume();
        }, 300);
      });
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers, complete } = response;
        resolve({ status, headers, body: Buffer.concat(parts), wasCut: !complete });
      });
    };
    const separator = path.endsWith('?') ? '' : '&';
    const sent = request(`${url}${path}${separator}${WINDOW}`, { agent: false }, read);
    sent.on('error', reject);
    sent.end();
  });
}

type Verdict = 'whole' | 'marked' | 'cut' | 'refused';

function verdictOf({ expected }: Whole, path: string, reply: Reply): Verdict {
  const { status, headers, body, wasCut } = reply;
  if (status === 503) return 'refused';
  assert.equal(status, 200, `${path}: ${body.toString().slice(0, 500)}`);
  if (wasCut) return 'cut';
  if (body.equals(expected.get(path) ?? Buffer.alloc(0))) return 'whole';
  const isJson = headers['content-type'] === 'application/json';
  const report = isJson
    ? (JSON.parse(body.toString()) as { partial?: boolean; warnings?: string[] })
    : {
        partial: headers['x-prorata-partial'] === 'true',
        warnings: [String(headers['x-prorata-warnings'] ?? '')],
      };
  const text = report.warnings?.join('; ') ?? '';
  assert.equal(report.partial, true, `${path} is not that of the folder: ${text}`);
  assert.match(text, /2024-05-0\dT00:00:00/, path);
  assert.equal(headers.etag, undefined, path);
  return 'marked';
}

let copies = 0;
function copied({ folder: from }: Whole): string {
  const folder = join(home, `copy-${copies++}`);
  cpSync(from, folder, { recursive: true });
  adoptNewest(folder);
  return folder;
}

async function askAll(whole: Whole, server: Prorata, paths: readonly string[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const path of paths) {
    verdicts.push(verdictOf(whole, path, await ask(server.url, path)));
  }
  return verdicts;
}

const TIMES = ['before the start', 'before the first request', 'between two requests'] as const;

describe('P-C6: each answer is whole, marked, cut or refused with', { concurrency: 2 }, () => {
  let whole: Whole;
  before(async () => {
    whole = await wholeOf(PODS, [...PATHS, ...LONG_PATHS]);
  });
  after(() => removed(whole));

  for (const [place, [name, damage]] of Object.entries(FOLDER_DAMAGES).entries()) {
    for (const [seed, time] of sampled([...TIMES.entries()], { gate: 1, turn: place })) {
      // A running server has already read it.
      if (name === 'an edited manifest' && time !== 'before the start') continue;
      test(`${name}, ${time}`, async (context) => {
        const random = seededRandom(1_000_003 * (seed + 1) + 7919 * place);
        const folder = copied(whole);
        let path = time === 'before the start' ? damage(folder, random) : '';
        const server = await startProrata([`--data-dir=${folder}`, ...FLAGS]);
        try {
          if (time === 'before the first request') path = damage(folder, random);
          if (time === 'between two requests') {
            const some = PATHS.filter(() => random() < 0.3);
            assert.deepEqual(new Set(await askAll(whole, server, some)), new Set(['whole']));
            path = damage(folder, random);
          }
          const verdicts = await askAll(whole, server, [...PATHS, ...LONG_PATHS]);
          context.diagnostic(`${path.slice(folder.length)}: ${verdicts.join(' ')}`);
          // What is not in memory is read again: a missing file must be noticed.
          const isSeen = verdicts.some((verdict) => verdict !== 'whole');
          if (name === 'a removed file' && time !== 'between two requests') assert.ok(isSeen);
          if (name.includes('manifest')) assert.equal(isSeen, time === 'before the start');
        } finally {
          await server.stop();
        }
      });
    }
  }
});

describe('a slow download is that of the undamaged folder, or breaks off, with', () => {
  let whole: Whole;
  before(async () => {
    whole = await wholeOf(LONG_PODS, LONG_PATHS);
  });
  after(() => removed(whole));

  for (const [name, damage] of Object.entries(FILE_DAMAGES)) {
    test(`${name} of a day that was not read yet`, async (context) => {
      const random = seededRandom(name.length);
      const verdicts: Verdict[] = [];
      for (const path of name === 'a removed file' ? LONG_PATHS : LONG_PATHS.slice(0, 1)) {
        const folder = copied(whole);
        const server = await startProrata([`--data-dir=${folder}`, ...FLAGS]);
        try {
          // The newest day comes first, the oldest last.
          const last = someSet(folder, random, /^allocations-20240501T/);
          const reply = await ask(server.url, path, () => damage(last, random));
          const verdict = verdictOf(whole, path, reply);
          verdicts.push(verdict);
          assert.ok(['whole', 'cut'].includes(verdict), `${path}: the head was sent`);
          // The damage shows when the request is repeated.
          const again = verdictOf(whole, path, await ask(server.url, path));
          assert.ok(again !== 'cut' || verdict === 'whole', path);
        } finally {
          await server.stop();
        }
      }
      context.diagnostic(verdicts.join(' '));
      assert.ok(verdicts.includes('cut'), 'no download was slow enough to see the damage');
    });
  }
});
