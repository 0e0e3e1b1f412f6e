/**
 * Hours at half load with a fault every ten seconds, over the bundle as users run it. Prints a table, and ends
 * with 1 where memory, descriptors or threads grew, answers became slower, or one had a 5xx other than 503.
 * With `--kill` it is servers, builders and their store, a bucket or ClickHouse, that are killed: it ends with 1 where an answer
 * was wrong, half, or refused by anything but 503 with `Retry-After`, and where not all recovered by itself.
 */
import { commandLine } from './commands.ts';
import { killAnything } from './soak/kills/run.ts';
import { soak } from './soak/run.ts';

const { values } = commandLine('soak');

const { kill } = values;
const common = {
  minutes: values.minutes,
  onProgress: (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`),
};
const everyMs = 1000 * values['fault-every'];
const { table, breaches } =
  kill === undefined
    ? await soak({
        ...common,
        faultEveryMs: everyMs,
        size: { days: values.days, rows: values.rows },
        frontEnd: values['front-end'],
      })
    : await killAnything({ ...common, kind: kill, killEveryMs: everyMs, seed: values.seed });
process.stdout.write(`${table}\n`);
for (const breach of breaches) process.stdout.write(`BREACH ${breach}\n`);
if (breaches.length > 0) process.exitCode = 1;
else process.stdout.write('nothing was breached\n');
