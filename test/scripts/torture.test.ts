/** Large answers of the server as users run it, byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isCheckable } from '../../scripts/torture/server.ts';
import { runShortForm } from '../../scripts/torture/short-form.ts';
import { isProof } from '../support/sampled.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// Its folder has days of the demo.
process.env['PRORATA_DEMO'] = 'true';

test('large answers are right to the last byte, again and beside others', async () => {
  const notes: string[] = [];
  const tally = await runShortForm({
    tree: ROOT,
    referenceTree: ROOT,
    rows: isProof ? 50_000 : 12_000,
    seed: 1,
    stopsEarly: false,
    repeatsMost: isProof ? Infinity : 1,
    isChecked: isCheckable(ROOT),
    note: (line) => void notes.push(line),
  });
  assert.ok(tally.isWell, `${notes.join('\n')}\n${tally.report()}`);
});
