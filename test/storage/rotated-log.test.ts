/** A log in files of bounded size: its records are all there, in order, but those of the oldest files. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { AppendLog, RotatedLog } from '../../src/storage/index.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-rotated-'));
after(() => rmSync(home, { recursive: true, force: true }));
let count = 0;
const newPath = (): string => join(home, String(count++), 'audit.ndjson');

interface Entry {
  readonly number: number;
  readonly text: string;
}

/** Oldest first. */
function filesOf(path: string): string[] {
  const older = Array.from({ length: 50 }, (_, i) => `${path}.${i + 1}`).filter(existsSync);
  return [...older.toReversed(), ...(existsSync(path) ? [path] : [])];
}

function entriesIn(path: string): Entry[] {
  const lines = filesOf(path).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
}

test('whatever is written, by whichever process, the newest records are there in order', async () => {
  const step = fc.record({ length: fc.nat(400), isAnew: fc.boolean(), isTorn: fc.boolean() });
  const fileBytes = fc.integer({ min: 50, max: 900 });
  const limits = fc.record({ fileBytes, files: fc.integer({ min: 1, max: 5 }) });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async (options, steps) => {
      const path = newPath();
      let log = new RotatedLog({ path, ...options });
      for (const [number, { length, isAnew, isTorn }] of steps.entries()) {
        if (isAnew) {
          await log.close();
          // A process that ended within a record leaves a line without an end.
          if (isTorn && existsSync(path)) appendFileSync(path, '{"number":');
          log = new RotatedLog({ path, ...options });
        }
        await log.append({ number, text: 'x'.repeat(length) });
      }
      await log.close();
      const found = entriesIn(path).map(({ number }) => number);
      const first = steps.length - found.length;
      assert.deepEqual(
        found,
        steps.slice(first).map((_, i) => first + i),
      );
      if (steps.length > 0) assert.ok(found.length > 0);
      const files = filesOf(path);
      assert.ok(files.length <= options.files, files.join());
      for (const file of files) assert.ok(statSync(file).size < options.fileBytes + 450, file);
      // Only a full set of files has lost any.
      if (first > 0) assert.ok(files.length >= options.files - 1);
    }),
    { numRuns: 60 },
  );
});

test('records that are appended at once are written one after the other', async () => {
  const path = newPath();
  const log = new RotatedLog({ path, fileBytes: 200, files: 1000 });
  await Promise.all(Array.from({ length: 40 }, (_, number) => log.append({ number })));
  await log.close();
  assert.deepEqual(
    entriesIn(path).map(({ number }) => number),
    Array.from({ length: 40 }, (_, number) => number),
  );
});

test('several writers of one log lose no line and tear none, whoever renames the files', async () => {
  const path = newPath();
  const logs = Array.from(
    { length: 4 },
    () => new RotatedLog({ path, fileBytes: 300, files: 1000 }),
  );
  await Promise.all(
    logs.map(async (log, writer) => {
      for (let i = 0; i < 15; i++) {
        await log.append({ number: 100 * writer + i, text: 'x'.repeat(10 * writer) });
      }
    }),
  );
  // A process that died within a record.
  appendFileSync(path, '{"number":');
  await logs[0]?.append({ number: 400 });
  await Promise.all(logs.map((log) => log.close()));
  const found = entriesIn(path).map(({ number }) => number);
  const written = logs.flatMap((_, writer) =>
    Array.from({ length: 15 }, (__, i) => 100 * writer + i),
  );
  assert.deepEqual(
    found.toSorted((a, b) => a - b),
    [...written, 400],
  );
  for (const [writer] of logs.entries()) {
    const own = found.filter((number) => Math.floor(number / 100) === writer && number < 400);
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
  }
  assert.ok(existsSync(`${path}.3`), 'files were renamed');
  assert.ok(!existsSync(`${path}.lock`), 'nobody has the lock');
});

test('a record that cannot be written is refused, and the next ones are written once they can', async () => {
  const path = newPath();
  mkdirSync(path, { recursive: true });
  const log = new RotatedLog({ path, fileBytes: 1000, files: 2 });
  await assert.rejects(log.append({ number: 1 }), /cannot open .*audit\.ndjson/);
  await assert.rejects(log.open(), /cannot open/);
  rmSync(path, { recursive: true });
  await log.append({ number: 2 });
  await log.close();
  assert.deepEqual(entriesIn(path), [{ number: 2 }]);
});

test('a log that cannot be read is closed again, since Node ends a process that loses a handle', async (context) => {
  const unreadable = '/proc/self/mem';
  if (!existsSync(unreadable)) return context.skip('no /proc');
  await assert.rejects(AppendLog.open(unreadable), /cannot open/);
  const open = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  assert.deepEqual(
    open.filter((path) => path.endsWith('/mem')),
    [],
  );
});
