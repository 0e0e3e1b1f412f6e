/** What is asked wrongly: each mistake has its own clear error, and the store is not bothered. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  errorOf,
  startBundleServer,
  type BundleServer,
} from '../../support/servers/bundle-server.ts';
import { HOUR_WINDOW, NOW, podStore } from '../../support/fleets/pod-store.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';

const GOOD = `window=${HOUR_WINDOW}`;
const DAY = '2024-05-01T00:00:00Z';
const LONGER_THAN_A_HEAD = 100 * 1024;

type Row = readonly [
  what: string,
  query: string,
  parameter: string,
  /** What came, as the message must repeat it. */
  shows: string,
  status?: number,
];

const WINDOWS: readonly Row[] = [
  ['no window', '', 'window', 'missing'],
  ['a window without a value', 'window=', 'window', 'missing'],
  ['a window without an equals sign', 'window', 'window', 'missing'],
  ['a window of blanks', 'window=++', 'window', "'  '"],
  ['a window of anything', 'window=whenever', 'window', "'whenever'"],
  ['a reversed window', `window=2024-05-02T00:00:00Z,${DAY}`, 'window', '2024-05-02'],
  ['a window of no length', `window=${DAY},${DAY}`, 'window', DAY],
  ['a duration of no length', 'window=0d', 'window', "'0d'"],
  ['a negative duration', 'window=-7d', 'window', "'-7d'"],
  ['an infinite duration', 'window=1e309s', 'window', "'1e309s'"],
  ['a duration from before 1970', 'window=9999999w', 'window', "'9999999w'"],
  [
    'dates that end before they start',
    'window=2024-05-02,2024-05-01',
    'window',
    "'2024-05-02,2024-05-01'",
  ],
  ['a day that does not exist', `window=2024-02-30T00:00:00Z,${DAY}`, 'window', '2024-02-30'],
  ['Unix milliseconds', 'window=1714557600000,1714561200000', 'window', '1714557600000'],
  ['a thousand commas', `window=${','.repeat(1000)}`, 'window', '(1000 characters)'],
  ['thirty thousand digits', `window=${'9'.repeat(30_000)}`, 'window', '(30000 characters)'],
  ['the year 10000', `window=${DAY},253402387200`, 'window', '253402387200'],
  ['a window twice', `${GOOD}&window=1h`, 'window', '2 times'],
];

const OTHERS: readonly Row[] = [
  ['a resolution of 0', 'resolution=0', 'resolution', "'0'"],
  ['a resolution of 0m', 'resolution=0m', 'resolution', "'0m'"],
  ['a negative resolution', 'resolution=-1m', 'resolution', "'-1m'"],
  ['a resolution of letters', 'resolution=abc', 'resolution', "'abc'"],
  ['an infinite resolution', 'resolution=1e309s', 'resolution', "'1e309s'"],
  ['a resolution of NaN', 'resolution=NaN', 'resolution', "'NaN'"],
  ['a resolution below a millisecond', 'resolution=1ns', 'resolution', "'1ns'"],
  ['a resolution twice', 'resolution=1m&resolution=1m', 'resolution', '2 times'],
  ['a negative step', 'step=-1h', 'step', "'-1h'"],
  ['a step of 0', 'step=0', 'step', "'0'"],
  ['a step of letters', 'step=day', 'step', "'day'"],
  ['a step for too many sets', 'step=1ms', 'step', "'1ms' makes 3600000 sets", 422],
  ['an unknown aggregate', 'aggregate=foo', 'aggregate', "'foo'"],
  ['one unknown aggregate of two', 'aggregate=namespace,foo', 'aggregate', "'foo'"],
  ['a label without its name', 'aggregate=label:', 'aggregate', "'label:'"],
  ['a label without its colon', 'aggregate=label', 'aggregate', "'label'"],
  ['a property with a name', 'aggregate=pod:x', 'aggregate', "'pod:x'"],
  ['an aggregate in quotes', 'aggregate=%22pod%22', 'aggregate', '\'"pod"\''],
  ['33 aggregates', `aggregate=${labels(33)}`, 'aggregate', 'label:l0'],
  ['4,000 aggregates', `aggregate=${'x,'.repeat(4000)}`, 'aggregate', "'x'"],
  ['an accumulate of neither', 'accumulate=maybe', 'accumulate', "'maybe'"],
  ['an accumulate not offered here', 'accumulate=year', 'accumulate', "'year'"],
  ['a step beside a calendar unit', 'accumulate=day&step=1h', 'step', "'1h'"],
  ['an idle of neither', 'idle=maybe', 'idle', "'maybe'"],
  ['an idle split by a name', 'idle=true&splitIdle=node', 'splitIdle', "'node'"],
  ['a percent sign before letters', 'step=%zz', 'step', "'%zz'"],
  ['a lone percent sign', 'resolution=%', 'resolution', "'%'"],
  ['half an encoded byte', 'resolution=1%6', 'resolution', "'1%6'"],
  ['a zero byte', 'aggregate=pod%00', 'aggregate', "'pod%00'"],
  ['overlong UTF-8', 'aggregate=%C0%AF', 'aggregate', "'%C0%AF'"],
  ['half a surrogate pair', 'aggregate=%ED%A0%80', 'aggregate', "'%ED%A0%80'"],
  ['a bad encoding of something ignored', 'page=%zz', 'page', "'%zz'"],
  ['a bad encoding of a name', '%zz=1', '%zz', "'%zz'"],
];

function labels(count: number): string {
  return Array.from({ length: count }, (_, i) => `label:l${i}`).join(',');
}

const ACCEPTED: readonly (readonly [what: string, query: string])[] = [
  ['exact', 'resolution=exact'],
  ['EXACT', 'resolution=EXACT'],
  ['a resolution of a millisecond', 'resolution=1ms'],
  ['a resolution longer than the window', 'resolution=1000d'],
  ['empty values', 'resolution=&step=&aggregate=&accumulate='],
  ['no aggregate by name', 'aggregate=none'],
  ['unknown parameters, also more than once', 'page=1&page=2&__proto__=1&constructor=x'],
  ['booleans in any case', 'accumulate=TRUE'],
  ['a unit of the calendar', 'accumulate=Day'],
  ['idle of nodes that the store does not show', 'idle=true'],
  ['an aggregate many times over', `aggregate=${'namespace,'.repeat(3000)}`],
  ['32 aggregates', `aggregate=${labels(32)}`],
  ['labels named as members of every object', 'aggregate=label:__proto__,label:constructor'],
];

let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(podStore());
  server = await startBundleServer([`--metrics-url=${store.url}`, `--now=${NOW}`]);
});

after(async () => {
  await server.stop();
  await store.stop();
});

async function stillAnswers(): Promise<void> {
  const answer = await server.compute(`${GOOD}&aggregate=namespace`);
  assert.equal(answer.status, 200, answer.text);
  const { data } = JSON.parse(answer.text) as { data: { team: { cpuCoreHours: number } }[] };
  assert.equal(data[0]?.team.cpuCoreHours, 1);
  assert.deepEqual(server.errors, []);
}

async function refuses([, query, parameter, shows, status = 400]: Row): Promise<void> {
  const asked = store.requests.length;
  const answer = await server.compute(query);
  const error = errorOf(answer);
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.contentType, 'application/json');
  assert.equal(error.code, status);
  assert.equal(error.data, null);
  assert.equal(error.parameter, parameter);
  assert.ok(error.message.startsWith(`parameter '${parameter}'`), error.message);
  assert.ok(error.message.includes(shows), error.message);
  assert.ok(error.message.length < 500, 'a message repeats only the beginning of what came');
  assert.ok(error.hint?.includes(`${parameter}=`), error.hint);
  assert.equal(store.requests.length, asked, 'the store was asked');
}

describe('P-I1: a query is refused that has', () => {
  for (const row of WINDOWS) test(row[0], () => refuses(row));
  for (const row of OTHERS) {
    const [what, query, ...rest] = row;
    test(what, () => refuses([what, `${GOOD}&${query}`, ...rest]));
  }
  test('nothing that a later, good query would feel', stillAnswers);
});

describe('a query is answered that has', () => {
  for (const [what, query] of ACCEPTED)
    test(what, async () => {
      const answer = await server.compute(`${GOOD}&${query}`);
      assert.equal(answer.status, 200, answer.text);
      const { code, data } = JSON.parse(answer.text) as { code: number; data: object[] };
      assert.equal(code, 200);
      assert.equal(data.length, 1);
      assert.ok(Object.keys(data[0] ?? {}).length > 0, 'an empty set');
    });
});

test('a window before the first sample is refused with the time of the first', async () => {
  const answer = await server.compute('window=2023-05-01T00:00:00Z,2023-05-02T00:00:00Z');
  const { parameter, message } = errorOf(answer);
  assert.equal(answer.status, 400, answer.text);
  assert.equal(parameter, 'window');
  assert.match(message, /from 2023-04-30T23:50.*its first sample is at 2024-05-01T00:00:00.000Z$/);
  await stillAnswers();
});

describe('a request', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    test(`by ${method} is answered 405 with what is taken`, async () => {
      const answer = await server.ask(`/model/allocation/compute?${GOOD}`, method);
      assert.equal(answer.status, 405);
      assert.equal(errorOf(answer).code, 405);
      assert.ok(errorOf(answer).message.includes(method), errorOf(answer).message);
      assert.equal(errorOf(answer).hint, 'it takes GET, HEAD, OPTIONS');
    });

  const PATHS = [
    '/',
    '//model',
    '/model/../',
    '/%2e%2e/',
    '/model%2f',
    '/%zz/',
    '/%00/',
    '/MODEL/',
  ];
  for (const path of PATHS.map((begin) => `${begin}allocation/compute/x`))
    test(`for ${path} is answered 404`, async () => {
      const answer = await server.ask(`${path}?${GOOD}`);
      assert.equal(answer.status, 404);
      assert.equal(errorOf(answer).code, 404);
      assert.ok(
        errorOf(answer).message.startsWith('there is nothing at /'),
        errorOf(answer).message,
      );
    });

  test('with a query above 32 KiB is answered 414', async () => {
    const answer = await server.compute(`${GOOD}&page=${'a'.repeat(40_000)}`);
    assert.equal(answer.status, 414);
    assert.match(errorOf(answer).message, /the query has 40\d\d\d bytes, at most 32768/);
    await stillAnswers();
  });

  test('with a query above any head is answered 431 by the engine itself', async () => {
    const answer = await server.compute(`${GOOD}&page=${'a'.repeat(LONGER_THAN_A_HEAD)}`);
    assert.equal(answer.status, 431);
    await stillAnswers();
  });
});
