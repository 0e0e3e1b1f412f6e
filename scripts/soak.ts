/**
 * Hours at half load with a fault every ten seconds, over the bundle as users run it. Prints a table, and ends
 * with 1 where memory, descriptors or threads grew, answers became slower, or one had a 5xx other than 503.
 *
 *   npm run soak -- --minutes 480
 *
 * With `--kill` it is servers, builders and their store, a bucket or ClickHouse, that are killed: it ends with 1 where an answer
 * was wrong, half, or refused by anything but 503 with `Retry-After`, and where not all recovered by itself.
 *
 *   npm run soak -- --kill bucket --minutes 10
 */
import { parseArgs } from 'node:util';
import { killAnything } from './soak/kills/run.ts';
import { soak } from './soak/run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '480' },
    'fault-every': { type: 'string', default: '10' },
    rows: { type: 'string', default: '5000' },
    days: { type: 'string', default: '8' },
    'front-end': { type: 'string', default: 'uws' },
    kill: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

/** @throws where it is no number above 0 */
function positive(name: 'minutes' | 'fault-every' | 'rows' | 'days' | 'seed'): number {
  const value = Number(values[name]);
  if (value > 0) return value;
  throw new Error(`--${name}: '${values[name]}' is not a number above 0`);
}

const { kill } = values;
if (kill !== undefined && kill !== 'bucket' && kill !== 'clickhouse')
  throw new Error(`--kill: '${kill}' is neither bucket nor clickhouse`);
const common = {
  minutes: positive('minutes'),
  onProgress: (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`),
};
const everyMs = 1000 * positive('fault-every');
const { table, breaches } =
  kill === undefined
    ? await soak({
        ...common,
        faultEveryMs: everyMs,
        size: { days: positive('days'), rows: positive('rows') },
        frontEnd: values['front-end'] === 'node' ? 'node' : 'uws',
      })
    : await killAnything({ ...common, kind: kill, killEveryMs: everyMs, seed: positive('seed') });
process.stdout.write(`${table}\n`);
for (const breach of breaches) process.stdout.write(`BREACH ${breach}\n`);
if (breaches.length > 0) process.exitCode = 1;
else process.stdout.write('nothing was breached\n');
