/** The real process, killed by the kernel in the middle of its system calls. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { skipWithout } from '../support/services.ts';
import {
  found,
  inPairs,
  newFolder,
  STATES,
  strace,
  write,
  WRITES,
} from '../support/store-process.ts';

/** The system calls that change names or make content last. */
const CALLS = ['fsync', 'rename', 'unlink', 'link', 'mkdir'];

const home = mkdtempSync(join(tmpdir(), 'prorata-trace-'));
after(() => rmSync(home, { recursive: true, force: true }));

describe('under strace', { skip: skipWithout('strace') }, () => {
  test('killed at any fsync, rename, unlink, link and mkdir', async () => {
    const trace = join(home, 'trace');
    const count = ['strace', '-f', '-qqq', '-o', trace, '-e', `trace=${CALLS.join()}`];
    assert.equal((await write(newFolder(), count)).stored, WRITES.length);
    const lines = readFileSync(trace, 'utf8').split('\n');
    const [thread] = lines.find((line) => line.includes(' fsync('))?.split(' ') ?? [];
    const points = CALLS.flatMap((call) => {
      const calls = lines.filter((line) => line.startsWith(`${thread} ${call}(`)).length;
      assert.ok(calls > 0, `${call} is called`);
      return Array.from({ length: calls }, (_, i) => `${call}:signal=KILL:when=${i + 1}`);
    });
    assert.ok(points.length >= 25, points.join());
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
