/**
 * The server as users run it, on a folder whose files are damaged at any time: each answer is that of
 * the whole folder, or is marked as partial with a warning that names the day, or breaks off, or is
 * refused with 503.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { truncateSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../bench/random.ts';
import { importFocus } from '../../src/commands/import-focus.ts';
import { openArrowFiles, type EncodedSet } from '../../src/storage/index.ts';
import { assetDay, node } from '../support/asset-days.ts';
import { adoptNewest } from '../support/crash-disk.ts';
import { collect, itemsOf, rowsOf } from '../support/estate.ts';
import { folderOf, rowSet } from '../support/columns-folder.ts';
import { focusCsv } from '../support/focus-rows.ts';
import { startProrata, type Prorata } from '../support/prorata.ts';
import { dayKey, newArena } from '../support/stored-sets.ts';

const DAYS = 4;
const PODS = 9000;
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-05T00:00:00Z';
const FLAGS = ['--now=2024-05-06T00:00:00Z', '--workers=2', '--memory-limit=800Mi'];
const ID = 'gce://project/zone/n';

const home = mkdtempSync(join(tmpdir(), 'prorata-damaged-'));
let whole = '';
/** Bodies by question. */
const expected = new Map<string, Buffer>();

/** @param usd of a pod */
function daySets(day: number, usd: number): Promise<EncodedSet[]> {
  const rows = Array.from({ length: PODS }, (_, i) => ({
    texts: { cluster: 'c', node: 'n', namespace: `ns-${i % 7}`, pod: `pod-${i}`, container: 'main', providerID: ID, controller: `web-${i % 90}`, controllerKind: 'deployment' },
    labels: { app: `app-${i % 50}`, team: `team-${i % 5}` },
    numbers: { cpuCost: usd + i / PODS, ramCost: usd / 3, cpuCoreHours: 1.5, cpuCoreRequestHours: 1, ramByteHours: 2 ** 31 },
  })); // prettier-ignore
  const nodes = { providerID: ID, cpuCoreHours: 96_000, ramByteHours: 2 ** 46, cpuCost: 40_000, ramCost: 20_000 }; // prettier-ignore
  return Promise.all([rowSet(dayKey(day), rows), assetDay(day, [node('c', 'n', nodes)])]);
}

/** Day 2 is written twice, the second time by the newest generation. */
before(async () => {
  const days = Array.from({ length: DAYS }, (_, day) => daySets(day, day === 2 ? 7 : day + 1));
  whole = await folderOf((await Promise.all(days)).flat());
  for (const as of ['cloud', 'external']) {
    const charges = Array.from({ length: DAYS }, (_, day) => {
      const [start, end] = [dayKey(day).startMs, dayKey(day).endMs].map((ms) => new Date(ms).toISOString()); // prettier-ignore
      return { BillingPeriodStart: '2024-05-01T00:00:00Z', BillingPeriodEnd: '2024-06-01T00:00:00Z', ChargePeriodStart: start ?? '', ChargePeriodEnd: end ?? '', ResourceId: ID, EffectiveCost: '50000', BilledCost: '50000', Tags: '{"kubernetes_namespace":"ns-1"}' }; // prettier-ignore
    });
    const bill = join(home, `${as}.csv`);
    writeFileSync(bill, focusCsv(...charges));
    await importFocus([bill, `--as=${as}`, '--source=s', `--data-dir=${whole}`, '--workers=1', '--quiet']); // prettier-ignore
  }
  const sets = await openArrowFiles({ folder: whole, arena: newArena(), note: assert.fail });
  await sets.write(await daySets(2, 3));
  await sets.close();
  const server = await startProrata([`--data-dir=${whole}`, ...FLAGS]);
  const groups = [rowsOf('namespace:"ns-1"'), itemsOf('service:"EC2"')];
  await collect(server, { name: 'some', category: 'Team', groups });
  for (const question of [...QUESTIONS, ...LONG]) {
    const { status, body, wasCut } = await ask(server.url, question);
    assert.deepEqual([status, wasCut], [200, false], question);
    expected.set(question, body);
  }
  await server.stop();
});
after(() => {
  rmSync(home, { recursive: true, force: true });
  rmSync(whole, { recursive: true, force: true });
});

const QUESTIONS: readonly string[] = [
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

/** Many megabytes each, of single containers. */
const LONG: readonly string[] = ['csv&columns=full', 'ndjson', 'arrow', 'json'].map(
  (format) => `/model/allocation?accumulate=false&format=${format}`,
);

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly wasCut: boolean;
}

/** @param midway runs when the first of the body is here; only then the rest is read */
function ask(url: string, question: string, midway?: () => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage): void => {
      const parts: Buffer[] = [];
      response.once('data', () => {
        if (midway === undefined) return;
        response.pause();
        // Until then the server writes what the sockets hold.
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
    const separator = question.endsWith('?') ? '' : '&';
    const asked = request(`${url}${question}${separator}${WINDOW}`, { agent: false }, read);
    asked.on('error', reject);
    asked.end();
  });
}

type Verdict = 'whole' | 'marked' | 'cut' | 'refused';

function verdictOf(question: string, reply: Reply): Verdict {
  const { status, headers, body, wasCut } = reply;
  if (status === 503) return 'refused';
  assert.equal(status, 200, `${question}: ${body.toString().slice(0, 500)}`);
  if (wasCut) return 'cut';
  if (body.equals(expected.get(question) ?? Buffer.alloc(0))) return 'whole';
  const isJson = headers['content-type'] === 'application/json';
  const told = isJson
    ? (JSON.parse(body.toString()) as { partial?: boolean; warnings?: string[] })
    : {
        partial: headers['x-prorata-partial'] === 'true',
        warnings: [String(headers['x-prorata-warnings'] ?? '')],
      };
  const text = told.warnings?.join('; ') ?? '';
  assert.equal(told.partial, true, `${question} is not that of the folder: ${text}`);
  assert.match(text, /2024-05-0\dT00:00:00/, question);
  assert.equal(headers.etag, undefined, question);
  return 'marked';
}

type Damage = (folder: string, random: () => number) => string;

/** A file of the sets that count, of any kind. */
function someSet(folder: string, random: () => number, pattern: RegExp = /./): string {
  const older = /20240503T.*-1-\d+\.arrow$/;
  const names = readdirSync(join(folder, 'sets')).filter((name) => !older.test(name) && pattern.test(name)).toSorted(); // prettier-ignore
  return join(folder, 'sets', names[Math.floor(random() * names.length)] ?? '');
}

function flip(path: string, random: () => number): void {
  const bytes = readFileSync(path);
  // A file is large, and much of it no question reads: some of them hit.
  for (let i = 0; i < 200; i++) {
    const at = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  }
  writeFileSync(path, bytes);
}

function newestManifest(folder: string): string {
  const numbers = readdirSync(folder).map((name) => Number(/^manifest-(\d+)\.json$/.exec(name)?.[1] ?? 0)); // prettier-ignore
  return join(folder, `manifest-${Math.max(...numbers)}.json`);
}

const ON_SETS: Readonly<Record<string, (path: string, random: () => number) => void>> = {
  'flipped bits': flip,
  'a cut file': (path, random) => truncateSync(path, Math.floor(random() * statSync(path).size)),
  'a removed file': (path) => rmSync(path),
};
const DAMAGES: Readonly<Record<string, Damage>> = {
  ...Object.fromEntries(
    Object.entries(ON_SETS).map(([name, damage]): [string, Damage] => [
      name,
      (folder, random) => {
        const path = someSet(folder, random);
        damage(path, random);
        return path;
      },
    ]),
  ),
  'an edited manifest': (folder) => {
    const path = newestManifest(folder);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"rows":\d/, '"rows":1'));
    return path;
  },
  'a removed manifest': (folder) => {
    const path = newestManifest(folder);
    rmSync(path);
    return path;
  },
};

let copies = 0;
function copied(): string {
  const folder = join(home, `copy-${copies++}`);
  cpSync(whole, folder, { recursive: true });
  adoptNewest(folder);
  return folder;
}

async function askAll(server: Prorata, questions: readonly string[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const question of questions) {
    verdicts.push(verdictOf(question, await ask(server.url, question)));
  }
  return verdicts;
}

const TIMES = ['before the start', 'before the first question', 'between two questions'] as const;

describe('each answer is whole, marked, cut or refused with', { concurrency: 2 }, () => {
  for (const [place, [name, damage]] of Object.entries(DAMAGES).entries()) {
    for (const [seed, time] of TIMES.entries()) {
      // The server has read it by then.
      if (name === 'an edited manifest' && time !== 'before the start') continue;
      test(`${name}, ${time}`, async (context) => {
        const random = seededRandom(1_000_003 * (seed + 1) + 7919 * place);
        const folder = copied();
        let path = time === 'before the start' ? damage(folder, random) : '';
        const server = await startProrata([`--data-dir=${folder}`, ...FLAGS]);
        try {
          if (time === 'before the first question') path = damage(folder, random);
          if (time === 'between two questions') {
            const some = QUESTIONS.filter(() => random() < 0.3);
            assert.deepEqual(new Set(await askAll(server, some)), new Set(['whole']));
            path = damage(folder, random);
          }
          const verdicts = await askAll(server, [...QUESTIONS, ...LONG]);
          context.diagnostic(`${path.slice(folder.length)}: ${verdicts.join(' ')}`);
          // What is not in memory is read anew: of a missing file something must be seen.
          const isSeen = verdicts.some((verdict) => verdict !== 'whole');
          if (name === 'a removed file' && time !== 'between two questions') assert.ok(isSeen);
          if (name.includes('manifest')) assert.equal(isSeen, time === 'before the start');
        } finally {
          await server.stop();
        }
      });
    }
  }
});

describe('a slow download is that of the whole folder, or breaks off, with', () => {
  for (const [name, damage] of Object.entries(ON_SETS)) {
    test(`${name} of a day that was not read yet`, async (context) => {
      const random = seededRandom(name.length);
      const verdicts: Verdict[] = [];
      for (const question of name === 'a removed file' ? LONG : LONG.slice(0, 1)) {
        const folder = copied();
        const server = await startProrata([`--data-dir=${folder}`, ...FLAGS]);
        try {
          // The newest day comes first, the oldest last.
          const last = someSet(folder, random, /^allocations-20240501T/);
          const reply = await ask(server.url, question, () => damage(last, random));
          verdicts.push(verdictOf(question, reply));
          assert.ok(['whole', 'cut'].includes(verdicts.at(-1) ?? ''), `${question}: the head was sent`); // prettier-ignore
          // Who asks again is told.
          const again = verdictOf(question, await ask(server.url, question));
          assert.ok(again !== 'cut' || verdicts.at(-1) === 'whole', question);
        } finally {
          await server.stop();
        }
      }
      context.diagnostic(verdicts.join(' '));
      assert.ok(verdicts.includes('cut'), 'no download was slow enough to see the damage');
    });
  }
});
