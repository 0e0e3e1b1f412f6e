/**
 * Hours at half load with a fault every ten seconds, over the bundle as users run it. Prints a table, and ends
 * with 1 where memory, descriptors or threads grew, answers became slower, or one had a 5xx other than 503.
 *
 *   npm run soak -- --minutes 480
 */
import { parseArgs } from 'node:util';
import { soak } from './soak/run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '480' },
    'fault-every': { type: 'string', default: '10' },
    rows: { type: 'string', default: '5000' },
    days: { type: 'string', default: '8' },
    'front-end': { type: 'string', default: 'uws' },
  },
});

/** @throws where it is no number above 0 */
function positive(name: 'minutes' | 'fault-every' | 'rows' | 'days'): number {
  const value = Number(values[name]);
  if (value > 0) return value;
  throw new Error(`--${name}: '${values[name]}' is not a number above 0`);
}

const { table, breaches } = await soak({
  minutes: positive('minutes'),
  faultEveryMs: 1000 * positive('fault-every'),
  size: { days: positive('days'), rows: positive('rows') },
  frontEnd: values['front-end'] === 'node' ? 'node' : 'uws',
  onProgress: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
});
process.stdout.write(`${table}\n`);
for (const breach of breaches) process.stdout.write(`BREACH ${breach}\n`);
if (breaches.length > 0) process.exitCode = 1;
else process.stdout.write('nothing was breached\n');
