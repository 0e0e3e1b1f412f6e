import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault, formatDuration, parseDuration } from '../../src/query/index.ts';

const ACCEPTED: readonly (readonly [string, number])[] = [
  ['3h', 10_800_000],
  [' 4s ', 4000],
  ['90s', 90_000],
  ['100ms', 100],
  ['2d3h14m2s', 184_442_000],
  ['1d12h', 129_600_000],
  ['1.5h', 5_400_000],
  ['.5h', 1_800_000],
  ['1.s', 1000],
  ['.3h', 1_080_000],
  ['1.1s', 1100],
  ['2w', 1_209_600_000],
  ['1000us', 1],
  ['1500µs', 2],
  ['2000μs', 2],
  ['1000000ns', 1],
  ['0h1m', 60_000],
  ['1m1m', 120_000],
];

for (const [text, durationMs] of ACCEPTED) {
  test(`'${text}' is ${durationMs} ms`, () => {
    assert.equal(parseDuration(text, 'step'), durationMs);
  });
}

const REFUSED = [
  '',
  '0',
  '0h',
  '-2d',
  '+1h',
  'oqwd3dk5hk',
  '3',
  'h',
  '.s',
  '1.2.3s',
  '1e3s',
  '1D',
  '1M',
  '1d 12h',
  '1d,12h',
  '1h3',
  'NaN',
  'Infinity',
  '0x10s',
  '١s',
  '1y',
  'offset 3m',
  '1ns',
  '1e309s',
  `${'9'.repeat(400)}s`,
  '9007199254740992ms',
  '999999999999999w',
  '1h\0',
];

for (const text of REFUSED) {
  test(`'${text.slice(0, 20)}' is no duration`, () => {
    assert.throws(
      () => parseDuration(text, 'resolution'),
      (fault: unknown) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.equal(fault.status, 400);
        assert.equal(fault.parameter, 'resolution');
        assert.match(fault.message, /'resolution': .*is not a duration above zero/);
        assert.match(fault.hint ?? '', /resolution=90s/);
        return true;
      },
    );
  });
}

const WRITTEN: readonly (readonly [number, string])[] = [
  [86_400_000, '1d'],
  [86_700_000, '1445m'],
  [90_000_000, '25h'],
  [259_200_000, '3d'],
  [86_401_000, '86401s'],
  [604_800_000, '7d'],
  [90_000, '90s'],
  [1500, '1500ms'],
];

for (const [durationMs, text] of WRITTEN) {
  test(`${durationMs} ms are written '${text}'`, () => {
    assert.equal(formatDuration(durationMs), text);
  });
}

for (const durationMs of [0, -1, 0.5, NaN, Infinity]) {
  test(`${durationMs} ms is a bug of the caller`, () => {
    assert.throws(() => formatDuration(durationMs), /^Error: BUG: /);
  });
}

test('written durations are read back the same', () => {
  const spans = fc.oneof(
    fc.integer({ min: 1 }),
    fc.maxSafeInteger().filter((ms) => ms > 0),
  );
  fc.assert(
    fc.property(spans, (durationMs) => {
      assert.equal(parseDuration(formatDuration(durationMs), 'step'), durationMs);
    }),
  );
});

test('parts add up, and any text is a duration or a Fault', () => {
  const part = fc.tuple(fc.nat(99), fc.constantFrom('ms', 's', 'm', 'h', 'd', 'w'));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.string(), (parts, junk) => {
      const texts = parts.map(([count, unit]) => `${count + 1}${unit}`);
      const sumMs = texts.reduce((sum, text) => sum + parseDuration(text, 'step'), 0);
      assert.equal(parseDuration(texts.join(''), 'step'), sumMs);
      assert.throws(() => parseDuration(`${texts.join('')} ${junk}!`, 'step'), Fault);
    }),
  );
});
