/** The reader of matrices, against JSON.parse and Number. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matrixTexts } from '../../support/arbitraries/matrix-texts.ts';
import { readMatrix } from '../../support/references/matrix-reading.ts';
import { plainMatrix } from '../../support/references/matrix-reference.ts';

const matrixText = matrixTexts(false);
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('a matrix', () => {
  test('is what JSON.parse has, however it is written and cut', () => {
    fc.assert(
      fc.property(matrixText, cuts, (text, someCuts) => {
        const bytes = Buffer.from(text);
        const { end, series } = readMatrix(bytes, someCuts);
        assert.equal(end, bytes.length);
        assert.deepEqual(series, plainMatrix(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same byte by byte', () => {
    fc.assert(
      fc.property(matrixText, (text) => {
        const bytes = Buffer.from(text);
        const each = Array.from(bytes, (_, i) => i);
        assert.deepEqual(readMatrix(bytes, each), { end: bytes.length, series: plainMatrix(text) });
      }),
      { numRuns: 200 },
    );
  });

  test('ends at its bracket, whatever follows', () => {
    fc.assert(
      fc.property(
        matrixText,
        cuts,
        fc.constantFrom(']', '}}', ',[', 'x', '"'),
        (text, some, more) => {
          assert.equal(readMatrix(Buffer.from(text + more), some).end, Buffer.byteLength(text));
        },
      ),
    );
  });

  test('cut off at any byte is never complete, and never refused', () => {
    fc.assert(
      fc.property(matrixText, cuts, (text, someCuts) => {
        const bytes = Buffer.from(text);
        for (let to = 0; to < bytes.length; to++)
          assert.equal(
            readMatrix(bytes.subarray(0, to), someCuts).end,
            -1,
            `${to} bytes of ${text}`,
          );
      }),
      { numRuns: 20 },
    );
  });

  test('with a few wrong bytes is refused where JSON.parse refuses it, and nowhere else', () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.constantFrom('replace', 'insert', 'delete'),
      fc.oneof(fc.constantFrom(...Buffer.from('[]{},:"\\0123456789.eE+-NaInf \n')), fc.nat(255)),
    );
    const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(matrixTexts(true), edits, cuts, (text, someEdits, someCuts) => {
        const bytes = edited(Buffer.from(text), someEdits);
        const whole = outcome(() => plainMatrix(bytes.toString('latin1')).length);
        const got = outcome(() => readMatrix(bytes, someCuts).end);
        if (got === 'refused' || got === -1) return assert.equal(whole, 'refused');
        const part = bytes.subarray(0, got).toString('latin1');
        assert.notEqual(
          outcome(() => plainMatrix(part).length),
          'refused',
          part,
        );
      }),
      { numRuns: 3000 },
    );
  });
});

type Edit = readonly [place: number, kind: string, byte: number];

function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce((before, [place, kind, byte]) => {
    const at = place % (before.length + 1);
    const [rest, added] = [kind === 'insert' ? at : at + 1, kind === 'delete' ? [] : [byte]];
    return Buffer.concat([before.subarray(0, at), Buffer.from(added), before.subarray(rest)]);
  }, bytes);
}

function outcome(act: () => number): number | 'refused' {
  try {
    return act();
  } catch {
    return 'refused';
  }
}

describe('a series', () => {
  const body = (member: string): Buffer => Buffer.from(`{${member}}]`);

  test('comes whole, however many samples it has', () => {
    const pairs = Array.from({ length: 100_000 }, (_, i) => `[${i},"${i / 8}"]`);
    const [series] = readMatrix(body(`"values":[${pairs.join(',')}]`), [77_777, 500_000]).series;
    assert.equal(series?.timesMs.length, pairs.length);
    assert.ok(series.timesMs.every((ms, i) => ms === 1000 * i));
    assert.ok(series.values.every((value, i) => value === i / 8));
  });

  test('may have a label of a megabyte, in pieces of a kilobyte', () => {
    const text = `"metric":{"a":"${'é\\"'.repeat(350_000)}","b":"c"}`;
    const cutsOf = Array.from({ length: text.length >> 10 }, (_, i) => i << 10);
    const got = readMatrix(body(text), cutsOf).series;
    assert.deepEqual(got, plainMatrix(`{${text}}]`));
  });

  test('may have labels in any order, the last of each name counts', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'pod', 'pod_1', 'pod_10', '');
    const label = fc.tuple(name, fc.constantFrom('', '', 'x', 'yy', 'z'.repeat(200)));
    fc.assert(
      fc.property(fc.array(label, { maxLength: 20 }), (labels) => {
        const members = labels.map(([key, value]) => `"${key}":"${value}"`).join(',');
        const text = `{"metric":{${members}}}]`;
        assert.deepEqual(readMatrix(Buffer.from(text)).series, plainMatrix(text));
      }),
    );
  });

  test('may have 4096 labels, and no more', () => {
    const labels = (count: number): string =>
      Array.from({ length: count }, (_, i) => `"l${count - i}":"v"`).join(',');
    assert.equal(readMatrix(body(`"metric":{${labels(4096)}}`)).series.length, 1);
    assert.throws(() => readMatrix(body(`"metric":{${labels(4097)}}`)), /too many labels/);
  });
});

const DEEP = 200_000;
// prettier-ignore
const HOSTILE: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ['brackets without end', '['.repeat(DEEP), /'\[' stands where it may not/],
  ['brackets without end in values', `{"values":${'['.repeat(DEEP)}`, /a sample is not a pair/],
  ['brackets without end elsewhere', `{"x":${'['.repeat(DEEP)}`, /too many brackets/],
  ['objects without end', `{"x":${'{"x":'.repeat(DEEP)}`, /too many brackets/],
  ['a text without end', `{"metric":{"a":"${'x'.repeat(5 << 20)}`, /a text is longer than 4194304 bytes/],
  ['a name without end', `{"${'x'.repeat(5 << 20)}`, /a text is longer than 4194304 bytes/],
  ['a number without end', `{"values":[[1,"${'1'.repeat(5 << 20)}`, /a text is longer than 4194304 bytes/],
  ['a control character in a label', '{"metric":{"a":"\n"}}]', /a control character/],
  ['an unknown escape in a label', '{"metric":{"a":"\\x"}}]', /an unknown escape/],
  ['an unknown escape elsewhere', '{"x":["\\u00g0"]}]', /an unknown escape/],
  ['a label that is a number', '{"metric":{"a":1}}]', /'1' stands where it may not/],
  ['a byte that is no text', '{\0}]', /byte 0 stands where it may not/],
  ['a web page', '<html></html>', /'<' stands where it may not/],
  ['a sample of three', '{"values":[[1,"2",3]]}]', /a sample is not a pair/],
  ['a sample of one', '{"values":[[1]]}]', /a sample is not a pair/],
  ['a sample of none', '{"values":[[]]}]', /a sample is not a pair/],
  ['a time in quotes', '{"values":[["1","2"]]}]', /a sample is not a pair/],
  ['a time that is a word', '{"values":[[true,"2"]]}]', /a sample is not a pair/],
  ['a value that is a word', '{"values":[[1,true]]}]', /a sample is not a pair/],
];

describe('a result is refused by name for', () => {
  for (const [what, text, says] of HOSTILE)
    test(what, () => {
      const error = { name: 'DamagedMatrix', message: says };
      assert.throws(() => readMatrix(Buffer.from(text)), error);
      assert.throws(() => readMatrix(Buffer.from(text), [3, 70_000, 1 << 20]), error);
    });
});
