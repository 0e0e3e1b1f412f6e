import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createCalendar,
  Fault,
  forwardEndMs,
  layBackward,
  parseDuration,
  parseWindow,
  snappedEndMs,
  type Window,
} from '../../src/query/index.ts';

test('sets go backward from the end, newest first, the oldest cut at the start', () => {
  assert.deepEqual(layBackward({ startMs: 0, endMs: 25 }, 10, 100), [
    { startMs: 15, endMs: 25 },
    { startMs: 5, endMs: 15 },
    { startMs: 0, endMs: 5 },
  ]);
});

for (const stepMs of [10, 11, 1e12]) {
  test(`a step of ${stepMs} ms over 10 ms is one set, the window`, () => {
    assert.deepEqual(layBackward({ startMs: 5, endMs: 15 }, stepMs, 1), [
      { startMs: 5, endMs: 15 },
    ]);
  });
}

test('sets cover the window without gap or overlap, and all but the oldest are a whole step', () => {
  const span = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(fc.nat(2e12), span, span, (startMs, lengthMs, stepMs) => {
      const window = { startMs, endMs: startMs + lengthMs };
      const sets = layBackward(window, stepMs, 10_000);
      assert.equal(sets[0]?.endMs, window.endMs);
      assert.equal(sets.at(-1)?.startMs, window.startMs);
      for (const [index, set] of sets.entries()) {
        assert.ok(set.startMs < set.endMs, `${set.startMs} to ${set.endMs}`);
        if (index === sets.length - 1) continue;
        assert.equal(set.endMs - set.startMs, stepMs);
        assert.equal(sets[index + 1]?.endMs, set.startMs);
      }
    }),
  );
});

test('too many sets are refused with the smallest accepted step, to the second', () => {
  const length = fc.integer({ min: 2000, max: 1e10 });
  fc.assert(
    fc.property(length, fc.integer({ min: 1, max: 1000 }), (lengthMs, maxSets) => {
      const window = { startMs: 0, endMs: lengthMs };
      assert.throws(
        () => layBackward(window, 1, maxSets),
        (fault: unknown) => {
          assert.ok(fault instanceof Fault, String(fault));
          assert.deepEqual([fault.status, fault.parameter], [422, 'step']);
          const stepMs = parseDuration(fault.hint?.split('step=')[1] ?? '', 'step');
          assert.ok(layBackward(window, stepMs, maxSets).length <= maxSets, `more than ${maxSets}`);
          if (stepMs > 1000)
            assert.throws(() => layBackward(window, stepMs - 1000, maxSets), Fault);
          return true;
        },
      );
    }),
  );
});

test('the error counts the sets and names the smallest step', () => {
  assert.throws(() => layBackward({ startMs: 0, endMs: 604_800_000 }, 1000, 1000), {
    message: "parameter 'step': '1s' makes 604800 sets, more than the 1000 of one answer",
    hint: 'the smallest step for this window is step=605s',
  });
});

const MEANT: readonly (readonly [window: string, step: string, ends: readonly [newest: string, before: string]])[] = [
  ['2024-05-01T00:00:00Z,2024-05-01T23:59:59Z', '1h', ['23:59:59', '23:00:00']],
  ['2024-05-01T00:00:00Z,2024-05-01T23:59:59.999Z', '1h', ['23:59:59', '23:00:00']],
  ['2024-05-01T00:00:00Z,2024-05-01T23:59:00Z', '1h', ['23:59:00', '23:00:00']],
  ['2024-05-01T00:00:00Z,2024-05-01T23:58:00Z', '1h', ['23:58:00', '22:58:00']],
  ['2024-05-01T00:00:00Z,2024-05-01T23:59:59Z', '6h', ['23:59:59', '18:00:00']],
  ['2024-05-01T00:00:00Z,2024-05-01T23:59:58Z', '1m', ['23:59:58', '23:58:58']],
  ['2024-05-01T00:00:00Z,2024-05-01T12:00:00Z', '5h', ['12:00:00', '07:00:00']],
  ['12h', '5h', ['12:00:00', '07:00:00']],
  ['11h59m59s', '1h', ['12:00:00', '11:00:00']],
]; // prettier-ignore

const ended = ({ endMs }: Window): string => new Date(endMs).toISOString().slice(11, 19);

for (const [text, step, [newest, before]] of MEANT) {
  test(`steps of ${step} in ${text} end at ${newest}, and the one before at ${before}`, () => {
    const calendar = createCalendar('UTC');
    const window = parseWindow(text, { nowMs: Date.parse('2024-05-01T12:00:00Z'), calendar });
    const stepMs = parseDuration(step, 'step');
    const sets = layBackward(window, stepMs, 10_000, snappedEndMs(window, stepMs));
    assert.deepEqual(sets.slice(0, 2).map(ended), [newest, before]);
    assert.equal(sets.at(-1)?.startMs, window.startMs);
  });
}

test('steps that go forward begin with the window, and the newest alone is cut', () => {
  const span = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(fc.nat(2e12), span, span, (startMs, lengthMs, stepMs) => {
      const window = { startMs, endMs: startMs + lengthMs };
      const sets = layBackward(window, stepMs, 10_000, forwardEndMs(window, stepMs)).reverse();
      let atMs = startMs;
      for (const [index, set] of sets.entries()) {
        assert.deepEqual(set, { startMs: atMs, endMs: Math.min(window.endMs, atMs + stepMs) });
        assert.equal(index === sets.length - 1, set.endMs === window.endMs);
        atMs += stepMs;
      }
    }),
  );
});
