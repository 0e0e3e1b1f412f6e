import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PageReader } from '../../../src/agent/kubelets/page-reader.ts';
import type { Sample } from '../../../src/agent/series.ts';
import type { Selection } from '../../../src/metrics/index.ts';
import { labelsIn } from '../../support/references/sample-texts.ts';
import { samplesIn, type PageSample } from '../../support/references/page-text.ts';

const CPU = 'container_cpu_usage_seconds_total';
const RAM = 'container_memory_working_set_bytes';
const SELECTIONS: readonly Selection[] = [
  { metric: CPU, matchers: [{ label: 'container', operator: '!=', value: '' }] },
  { metric: RAM, matchers: [{ label: 'pod', operator: '=~', value: 'a.*|ü' }] },
];
const ADDED = { node: 'n-1', instance: '10.0.0.1:10250' };

/** What a reader has to tell of pages, by the slow reference. */
class Expected {
  #known = new Map<string, number | undefined>();

  page(text: string, readMs: number, aheadMs: number): { lines: string[]; malformed: number } {
    const { samples, malformed } = samplesIn(text, [CPU, RAM]);
    const page = new Map<string, number | undefined>();
    const lines: string[] = [];
    for (const sample of samples) {
      if (!isKept(sample)) continue;
      const key = JSON.stringify(withSource(sample));
      const lastMs = this.#known.get(key);
      const isOld = sample.timeMs !== undefined && lastMs !== undefined && sample.timeMs <= lastMs;
      page.set(key, isOld ? lastMs : sample.timeMs);
      const timeMs = sample.timeMs === undefined ? readMs : sample.timeMs - aheadMs;
      if (!isOld) lines.push(`${key} ${sample.value} ${timeMs}`);
    }
    for (const key of this.#known.keys()) if (!page.has(key)) lines.push(`${key} stale ${readMs}`);
    this.#known = page;
    return { lines, malformed };
  }
}

function isKept({ metric, labels }: PageSample): boolean {
  return metric === CPU
    ? (labels['container'] ?? '') !== ''
    : /^(a.*|ü)$/s.test(labels['pod'] ?? '');
}

function withSource({ metric, labels }: PageSample): [string, string][] {
  const all: Record<string, string> = { ...ADDED, __name__: metric };
  for (const [name, value] of Object.entries(labels)) {
    if (value !== '') all[name in ADDED || name === '__name__' ? `exported_${name}` : name] = value;
  }
  return Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function toldOf({ labels, value, timeMs }: Sample): string {
  return `${JSON.stringify(labelsIn(labels))} ${value ?? 'stale'} ${timeMs}`;
}

const BLANKS = fc.constantFrom('', '', '', ' ', '\t ');
const VALUE_TEXT = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'ab',
    'ü',
    'POD',
    '\\\\',
    '\\"',
    '\\n',
    'a\\nb',
    '}',
    '{,',
    ' # ',
    '日本',
  ),
  fc.stringMatching(/^[a-z0-9/.:-]{0,20}$/),
);
const LABEL_NAME = fc.constantFrom(
  'container',
  'pod',
  'id',
  'node',
  'namespace',
  'Zone',
  '_a',
  'image',
);
const NUMBER = fc.oneof(
  fc.double().map(String),
  fc.constantFrom('NaN', '+Inf', '-Inf', '0', '.5', '1.', '1e3', '2E-4', 'nan', 'Infinity', '-0'),
  fc.constantFrom('', 'x', '0x10', '1_0', '--1', '1e', 'infinit'),
);
const TIME = fc.oneof(
  fc.constant(''),
  fc.constantFrom(' @', ' @', ' @'),
  fc.constantFrom(' -5', '\t12 ', ' 1.5', ' x'),
);
const LABELS = fc
  .tuple(fc.uniqueArray(LABEL_NAME, { maxLength: 5 }), fc.infiniteStream(VALUE_TEXT), BLANKS)
  .map(([names, values, blank]) =>
    names
      .map((name) => `${name}${blank}=${blank}"${values.next().value}"`)
      .join(`${blank},${blank}`),
  );
const LINE = fc.oneof(
  { weight: 8, arbitrary: fc
    .tuple(fc.constantFrom(CPU, RAM), LABELS, BLANKS, NUMBER, TIME, fc.constantFrom('', '', '', ' # {a="b"} 1', ' #'))
    .map(([metric, labels, blank, number, time, rest]) => `${metric}{${labels}${blank}}${blank} ${number}${time}${rest}`) },
  fc.tuple(fc.constantFrom(CPU, RAM), NUMBER).map((parts) => parts.join(' ')),
  fc.constantFrom('', `# TYPE ${CPU} counter`, `# HELP ${CPU} ${CPU}{container="a"} 1`, `${CPU}_x{container="a"} 1`, `${CPU}`, `${CPU}{`, `${CPU}{container="a`, `${CPU}{container="a"`, `${CPU}{container="\\x"} 1`, `${CPU}{=""} 1`, `${CPU}{container="a",} 5`, `${CPU}{container="a",container="b"} 5`, `${CPU}{container="a" id="b"} 5`, `container_other{container="a"} 1 2`, '{} 1'),
); // prettier-ignore
/** Pages that have lines in common, in any order; `@` stands for the time of a page. */
const PAGES = fc.uniqueArray(LINE, { maxLength: 16, selector: seriesIn }).chain((lines) => {
  const page = fc.record({
    lines: fc.shuffledSubarray(lines),
    step: fc.nat(10),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
    isEnded: fc.boolean(),
  });
  return fc.array(page, { minLength: 1, maxLength: 5 });
});

/** Lines of one series make a page that nothing says how to read. */
function seriesIn(line: string): string {
  const { samples } = samplesIn(line, [CPU, RAM]);
  return samples[0] === undefined ? line : JSON.stringify(withSource(samples[0]));
}

function readPage(reader: PageReader, text: string, cuts: readonly number[]): void {
  const bytes = Buffer.from(text);
  reader.begin();
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length];
  places.sort((one, other) => one - other);
  places.slice(1).forEach((place, i) => reader.push(bytes.subarray(places[i], place)));
}

describe('a page', () => {
  test('is read as the reference reads it, however its bytes come and lines change', () => {
    fc.assert(
      fc.property(PAGES, fc.constantFrom(0, 45_000, -90_000), (pages, aheadMs) => {
        const [reader, expected] = [new PageReader(SELECTIONS, ADDED), new Expected()];
        pages.forEach(({ lines, step, cuts, isEnded }, i) => {
          const time = String(1_700_000_000_000 + step * 1000);
          const text = lines.join('\n').replaceAll('@', time) + (isEnded ? '\n' : '');
          const readMs = 1_700_000_100_000 + i * 60_000;
          readPage(reader, text, cuts);
          const { samples, malformed } = reader.end(readMs, aheadMs);
          const wanted = expected.page(text, readMs, aheadMs);
          assert.deepEqual(samples.map(toldOf).toSorted(), wanted.lines.toSorted(), text);
          assert.equal(malformed, wanted.malformed, text);
        });
      }),
      { numRuns: 200 },
    );
  });

  test('a page that broke off, or says that it is not complete, changes nothing of what is known', () => {
    const reader = new PageReader(SELECTIONS, ADDED, ['scrape_error']);
    const [one, other] = ['a', 'b'].map((name) => `${CPU}{container="${name}"} 1 1000\n`);
    const read = (text: string): readonly Sample[] => {
      readPage(reader, text, []);
      return reader.end(5000, 0).samples;
    };
    assert.equal(read(`${one}${other}scrape_error 0\n`).length, 2);
    readPage(reader, one ?? '', []);
    reader.abandon();
    assert.throws(() => read('scrape_error 1\n'), /could not look/);
    reader.abandon();
    assert.deepEqual(read(`${one}${other}`), []);
    assert.match(
      read(one ?? '')
        .map(toldOf)
        .join(),
      /"b".* stale 5000$/,
    );
  });

  const bombs = [
    { name: 'a line of another metric without end', line: 'x', isRead: true },
    { name: 'a line of a wanted metric without end', line: `${CPU}{container="`, isRead: false },
    { name: 'a line without a name', line: '{', isRead: true },
  ];
  for (const { name, line, isRead } of bombs) {
    test(`P-F3: ${name} takes the memory of one line`, () => {
      const reader = new PageReader(SELECTIONS, ADDED);
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const before = process.memoryUsage().arrayBuffers;
      reader.begin();
      reader.push(Buffer.from(line));
      const pushAll = (): void => {
        for (let i = 0; i < 500; i++) reader.push(chunk);
      };
      if (isRead) pushAll();
      else assert.throws(pushAll, /longer than 16384 bytes/);
      assert.ok(process.memoryUsage().arrayBuffers - before < 1024 ** 2);
    });
  }

  test('a page that is too long, or has too many series, is not read', () => {
    const reader = new PageReader(SELECTIONS, ADDED);
    const chunk = Buffer.alloc(1024 ** 2, '# a comment\n');
    reader.begin();
    assert.throws(() => {
      for (let i = 0; i < 100; i++) reader.push(chunk);
    }, /longer than 64 MiB/);
    reader.abandon();
    reader.begin();
    assert.throws(() => {
      for (let i = 0; i < 60_000; i++) reader.push(Buffer.from(`${CPU}{container="c${i}"} 1\n`));
    }, /more than 50000 series/);
  });
});
