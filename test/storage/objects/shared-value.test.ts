/** A value that several processes change as one object of a bucket, and a bucket that fails. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Bucket } from '../../../src/buckets/index.ts';
import { Fault, Unavailable } from '../../../src/query/index.ts';
import { SharedValue, type SharedValueOptions } from '../../../src/storage/objects/shared-value.ts';
import type { CloudAnswer, CloudRequest } from '../../support/servers/scripted-cloud.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { failed } from '../../support/stores/s3-script.ts';

type Fate = 'done' | 'refused' | 'lost' | 'cut';
const state: { fate: (request: CloudRequest) => Fate } = { fate: () => 'done' };
const world = await startObjectWorld((request, store): CloudAnswer => {
  const fate = state.fate(request);
  if (fate === 'refused') return failed(503, 'SlowDown');
  if (fate === 'cut') return { isCut: true };
  const answer = store();
  return fate === 'lost' ? { isCut: true } : answer;
});
after(() => world.stop());

type Words = readonly string[];
const notes: string[] = [];
let prefixes = 0;
const nextPrefix = (): string => `v${prefixes++}/`;

async function open(
  prefix: string,
  options: Partial<SharedValueOptions<Words>> = {},
): Promise<SharedValue<Words>> {
  return await SharedValue.open<Words>({
    bucket: world.bucket,
    prefix,
    name: 'words',
    nothing: [],
    note: (sentence) => notes.push(sentence),
    text: {
      textOf: (words, changes) => JSON.stringify({ changes, words }),
      valueIn(text) {
        const read = JSON.parse(text) as { changes: string[]; words?: string[] };
        if (read.words === undefined) return { damage: 'it has no words' };
        return { value: read.words, changes: read.changes };
      },
    },
    ...options,
  });
}

/** Adds a word at the end. */
function add(shared: SharedValue<Words>, word: string): Promise<void> {
  return shared.change((words) => {
    if (words.includes(word)) throw new Fault(`there is a ${word}`, { status: 409 });
    return Promise.resolve([...words, word]);
  });
}

function lay(prefix: string, content: string): void {
  world.script.files.set(`${prefix}words.json`, { content, etag: `"${content.length}"` });
}

/** The bucket, but for some calls. */
function bucketBut(calls: Partial<Bucket>): Bucket {
  const { bucket } = world;
  return {
    name: bucket.name,
    list: (...args) => bucket.list(...args),
    find: (...args) => bucket.find(...args),
    read: (...args) => bucket.read(...args),
    fetch: (...args) => bucket.fetch(...args),
    readRange: (...args) => bucket.readRange(...args),
    write: (...args) => bucket.write(...args),
    remove: (...args) => bucket.remove(...args),
    ...calls,
  };
}

test('a change whose answer was lost is made once, although another came on top of it', async () => {
  const prefix = nextPrefix();
  const other = await open(prefix);
  let writes = 0;
  const bucket = bucketBut({
    async write(...args) {
      const version = await world.bucket.write(...args);
      if (++writes > 1) return version;
      // The second try comes when the other has written, and finds another version.
      await other.look();
      await add(other, 'b');
      return undefined;
    },
  });
  const slow = await open(prefix, { bucket });
  await add(slow, 'a');
  assert.deepEqual([slow.value, writes], [['a', 'b'], 1]);
});

test('a bucket that does not answer refuses a change in time, and what is known stays', async () => {
  const prefix = nextPrefix();
  const hangs = { isOn: false };
  const bucket = bucketBut({
    async readRange(...args) {
      if (!hangs.isOn) return await world.bucket.readRange(...args);
      const [, , signal] = args;
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  });
  const shared = await open(prefix, { bucket });
  await add(shared, 'a');
  const hurried = await open(prefix, { bucket, changeMs: 50 });
  hangs.isOn = true;
  const refused = await Promise.allSettled([add(hurried, 'b'), add(hurried, 'c')]);
  for (const each of refused) {
    assert.ok(each.status === 'rejected' && each.reason instanceof Unavailable);
    assert.equal(
      each.reason.message,
      'words cannot be changed now: the bucket did not answer within 0.05 s',
    );
    assert.deepEqual([each.reason.status, each.reason.retryAfterSeconds], [503, 5]);
  }
  assert.deepEqual(hurried.value, ['a']);
  hangs.isOn = false;
  await add(shared, 'd');
  assert.deepEqual(shared.value, ['a', 'd']);
  state.fate = () => 'refused';
  await assert.rejects(add(shared, 'e'), {
    name: 'Unavailable',
    status: 503,
    retryAfterSeconds: 5,
  });
  state.fate = () => 'done';
});

test('what one writes another follows, which asks for its first bytes as long as nothing is new', async () => {
  const prefix = nextPrefix();
  const writer = await open(prefix);
  const reader = (await open(prefix, { lookMs: 10 })).follow();
  const long = 'w'.repeat(10_000);
  for (const word of [long, 'b']) {
    await add(writer, word);
    while (!reader.value.includes(word)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const before = world.cloud.requests.length;
  await reader.look();
  const asked = world.cloud.requests.slice(before);
  assert.ok(asked.length > 0 && asked.every(({ headers }) => headers.range === 'bytes=0-127'));
  reader.close();
});

test('damage is set aside, and whoever knows what was there writes it again', async () => {
  const prefix = nextPrefix();
  const [knowing, other] = [await open(prefix), await open(prefix)];
  await add(knowing, 'a');
  await other.look();
  for (const content of ['nothing of this kind', '']) {
    lay(prefix, content);
    const late = await open(prefix);
    assert.deepEqual(late.value, []);
    notes.length = 0;
    await Promise.all([knowing.look(), other.look()]);
    assert.ok(notes.some((note) => note.endsWith('; what was known here is written again')), notes.join());
    await add(late, `after ${content.length}`);
    await knowing.look();
    await other.look();
    assert.equal(late.value[0], 'a');
    assert.deepEqual([knowing.value, other.value], [late.value, late.value]);
  }
  const aside = [...world.script.files].filter(([key]) => key.startsWith(`${prefix}quarantine/words-`));
  assert.deepEqual(aside.map(([, { content }]) => content.toString()).toSorted(), ['', 'nothing of this kind']);
  world.script.files.delete(`${prefix}words.json`);
  await knowing.look();
  assert.deepEqual((await open(prefix)).value, knowing.value);
}); // prettier-ignore

test('what a later version wrote is neither changed nor set aside, and the earlier value is answered', async () => {
  const prefix = nextPrefix();
  const shared = await open(prefix);
  await add(shared, 'a');
  const whole = String(world.script.files.get(`${prefix}words.json`)?.content);
  const newer = whole.replace('prorata-words 1', 'prorata-words 2');
  lay(prefix, newer);
  await shared.look();
  await assert.rejects(add(shared, 'b'), /cannot be read by this version: its format is 2$/);
  assert.deepEqual(shared.value, ['a']);
  assert.equal(world.script.files.get(`${prefix}words.json`)?.content, newer);
  lay(prefix, whole);
  await add(shared, 'b');
  assert.deepEqual((await open(prefix)).value, ['a', 'b']);
});
