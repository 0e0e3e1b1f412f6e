/** The real process, killed by the kernel in the middle of its system calls. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { skipWithout } from '../support/servers/services.ts';
import {
  found,
  inPairs,
  newFolder,
  STATES,
  strace,
  write,
  WRITES,
} from '../support/stores/store-process.ts';
import { measured } from '../support/measured.ts';

/** The system calls that change names or make content last. */
const CALLS = ['fsync', 'rename', 'unlink', 'link', 'mkdir'];

const home = mkdtempSync(join(tmpdir(), 'prorata-trace-'));
after(() => rmSync(home, { recursive: true, force: true }));

describe('under strace', { skip: skipWithout('strace') }, () => {
  test('P-C1: killed at any fsync, rename, unlink, link and mkdir', async (t) => {
    const trace = join(home, 'trace');
    const tracing = ['strace', '-f', '-qqq', '-o', trace, '-e', `trace=${CALLS.join()}`];
    assert.equal((await write(newFolder(), tracing)).stored, WRITES.length);
    // A thread's number is padded to a width.
    const calls = [...readFileSync(trace, 'utf8').matchAll(/^(\d+) +(\w+)\(/gm)];
    const [, thread] = calls.find(([, , name]) => name === 'fsync') ?? [];
    const points = CALLS.flatMap((call) => {
      const count = calls.filter(([, by, name]) => by === thread && name === call).length;
      assert.ok(count > 0, `${call} is called`);
      return Array.from({ length: count }, (_, i) => `${call}:signal=KILL:when=${i + 1}`);
    });
    assert.ok(points.length >= 25, points.join());
    measured(t, 'P-C1', `${points.length} calls killed by kill -9`);
    await inPairs(points, async (point) => {
      const folder = newFolder();
      const { stored, isKilled, said } = await write(folder, strace(point));
      assert.ok(isKilled, `${point}: ${said}`);
      const state = await found(folder, point);
      const allowed = STATES.slice(stored, stored + 2);
      assert.ok(allowed.includes(state), `${point}: ${state}, not ${allowed.join(' or ')}`);
    });
  });
});
