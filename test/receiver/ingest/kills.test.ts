/** A process that is killed at any point: what it acknowledged is there, once. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { quickFolder } from '../../support/quick-folder.ts';
import { measured } from '../../support/measured.ts';
import { buildWriter, checkAcknowledged, killWriter } from '../../support/stores/receiver-kills.ts';

const home = quickFolder('receiver-kills');

/** RECEIVER_KILLS=200 takes ten minutes. */
const KILLS = Number(process.env['RECEIVER_KILLS'] ?? 2);

test('P-C12: a receiver that is killed at any point has all that it acknowledged, once', async (t) => {
  const writer = await buildWriter(home);
  const folder = join(home, 'store');
  let [acknowledged, samples] = [-1, 0];
  for (let kill = 0; kill < KILLS; kill++) {
    const afterMs = (kill * 173) % 1200;
    const ended = await killWriter(writer, folder, acknowledged + 1, afterMs);
    assert.equal(ended.said, '');
    ({ acknowledged } = ended);
    samples = await checkAcknowledged(folder, acknowledged);
  }
  assert.ok(acknowledged > 0);
  measured(t, 'P-C12', `${KILLS} kills, ${acknowledged + 1} requests, ${samples} samples`);
});
