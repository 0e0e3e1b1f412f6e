/**
 * A process of its own that writes prepared sets, one after the other, and says what is stored for
 * good. Its arguments: the folder, a file of serialized sets, and `stay` to wait for its end.
 */
import { readFileSync, writeSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { Arena } from '../../../src/columnar/index.ts';
import { openArrowFiles, type EncodedSet } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';

const [folder = '', file = '', stay] = process.argv.slice(2);
const sets = await openArrowFiles({
  folder,
  arena: new Arena(dirtyMemory(2 << 20)),
  note: (sentence) => void writeSync(2, `${sentence}\n`),
  graceMs: 0,
});
writeSync(1, 'open\n');
for (const set of deserialize(readFileSync(file)) as EncodedSet[]) {
  await sets.write([set]);
  writeSync(1, 'stored\n');
}
if (stay !== undefined) setInterval(() => undefined, 1000);
else await sets.close();
