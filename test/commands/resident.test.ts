/**
 * Resident memory of the server as users run it, under requests of all kinds at once: within the memory
 * limit, and without growth once caches are filled.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_DAY_MS, prepareDays } from '../../bench/stored-days.ts';
import { flagsOf } from '../../bench/stored.ts';
import { startMixedLoad } from '../support/servers/mixed-load.ts';
import { startProrata } from '../support/servers/prorata.ts';
import { measured } from '../support/measured.ts';
import { isProof, sampled } from '../support/sampled.ts';

const MIB = 2 ** 20;
const SIZE = { days: 3, rows: 20_000 };
/** Proofs take more. */
const SAMPLES = isProof ? 60 : 21;
const SAMPLE_MS = 200;
/** Part of the limit that may be exceeded for a moment. */
const ROOM = 1.1;
/** Allowed growth, as garbage varies. */
const GROWTH = 1.1;
/** Part of the limit below which caches and the arena are still being filled. */
const FILLED = 0.75;
const LIMITS_MIB = [256, 512];

for (const limitMib of sampled(LIMITS_MIB, { gate: 1 })) {
  test(`P-M1: at ${limitMib}Mi the server stays within the limit, and does not grow`, async (t) => {
    const days = await prepareDays(SIZE);
    const flags = ['--memory-limit', `${limitMib}Mi`, '--workers', '2', ...flagsOf(days, SIZE)];
    const prorata = await startProrata(flags);
    const load = startMixedLoad({
      url: prorata.url,
      days: { firstMs: FIRST_DAY_MS, count: SIZE.days },
      lanes: 12,
      seed: limitMib,
    });
    try {
      const samples: number[] = [];
      for (let i = 0; i < SAMPLES; i++) {
        await sleep(SAMPLE_MS);
        samples.push(residentMib(prorata.pid, 'VmRSS'));
      }
      const most = residentMib(prorata.pid, 'VmHWM');
      const shown = `${samples.join(' ')}; ${most} MiB at most of ${limitMib}`;
      assert.ok(most <= ROOM * limitMib, shown);
      measured(t, 'P-M1', `${most} MiB of ${limitMib}`);
      const third = SAMPLES / 3;
      const [second = NaN, last = NaN] = [1, 2].map((i) =>
        mean(samples.slice(i * third, (i + 1) * third)),
      );
      assert.ok(
        last <= Math.max(GROWTH * second, FILLED * limitMib),
        `${second} MiB, then ${last}: ${shown}`,
      );
      const answered = load.statuses.get(200) ?? 0;
      assert.ok(answered >= 20, `only ${answered} answers: ${[...load.statuses].join(' ')}`);
      assert.equal(load.statuses.get(500), undefined, [...load.statuses].join(' '));
    } finally {
      await Promise.all([load.stop(), prorata.stop()]);
    }
  });
}

function residentMib(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`${line}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Math.round((1024 * Number(kilobytes)) / MIB);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
