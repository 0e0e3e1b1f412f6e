import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf } from '../../src/server/clock.ts';
import { startEngine } from '../../src/server/engine.ts';
import { warmUp } from '../../src/server/warm-up.ts';
import { loadConfig } from '../../src/settings/config.ts';

const ZONES = ['UTC', 'Asia/Kathmandu', 'America/New_York'];

test('the warm-up gets an answer in any zone and leaves nothing in the arena', async () => {
  for (const zone of ZONES) {
    const flags = ['--workers', '1', '--timezone', zone, '--now', '2024-03-11T12:00:00Z'];
    const { config } = loadConfig(flags, {}, () => '');
    const engine = await startEngine(config, { info: () => undefined, error: () => undefined });
    try {
      const before = engine.compute.arena.usedBytes;
      await warmUp(engine, clockOf(config));
      assert.equal(engine.compute.arena.usedBytes, before, zone);
    } finally {
      await engine.close();
    }
  }
});
