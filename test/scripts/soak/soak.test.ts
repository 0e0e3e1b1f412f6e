import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from '../../../scripts/soak/run.ts';
import { measured } from '../../support/measured.ts';

const SECONDS = 12;

test(`P-SOAK: through ${SECONDS} s of faults nothing grows, and no answer has a 5xx but 503`, async (t) => {
  const { table, breaches } = await soak({
    minutes: SECONDS / 60,
    faultEveryMs: 750,
    size: { days: 2, rows: 1000 },
    frontEnd: 'node',
  });
  // So short a time says nothing of speed: others have the cores, and a part may lie within one fault.
  const broken = breaches.filter((breach) => !/p99|a part of the time/.test(breach));
  assert.deepEqual(broken, [], table);
  for (const line of table.split('\n').slice(1, 4)) measured(t, 'P-SOAK', line.replace(/ +/g, ' '));
});
