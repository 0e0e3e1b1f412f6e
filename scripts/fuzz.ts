/** `npm run fuzz`: hostile requests against the server as users run it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf } from './fuzz-client.ts';
import { commandLine } from './commands.ts';
import { fuzz, type Failure, type FuzzReport } from './fuzz-run.ts';
import { fuzzServed } from './fuzz-openapi.ts';
import { hostileRequest } from './hostile-requests.ts';

const { values } = commandLine('fuzz');
const { seed, requests, port } = values;

/** @returns a command for the shell */
function repeating(number: number): string {
  const request = hostileRequest(seed, number);
  const folder = join(tmpdir(), `prorata-fuzz-${seed}`);
  mkdirSync(folder, { recursive: true });
  const [whole, body] = [join(folder, `${number}.request`), join(folder, `${number}.body`)];
  writeFileSync(whole, bytesOf(request));
  if (request.framing === 'short' || request.framing === 'long')
    return `nc 127.0.0.1 ${port} < ${whole}`;
  writeFileSync(body, request.body);
  const headers = request.headers.map(
    ([name, value]) => `-H '${name}: ${value.replaceAll("'", '%27')}'`,
  );
  if (request.framing === 'chunks') headers.push(`-H 'transfer-encoding: chunked'`);
  const data = request.framing === 'none' ? '' : ` -H expect: --data-binary @${body}`;
  const url = `http://127.0.0.1:${port}${request.target}`;
  const command = `curl -s -i --path-as-is -g -X ${request.method} ${headers.join(' ')}${data} '${url.replaceAll("'", '%27')}'`;
  return command.length < 2000 ? command : `nc 127.0.0.1 ${port} < ${whole}`;
}

function told({ number, what }: Failure): string {
  return number === undefined
    ? `${what}\n`
    : `request ${number}: ${what}\n    ${repeating(number)}\n`;
}

function reportText({
  seconds,
  counts,
  health,
  longestTurnMs,
  longestAloneMs,
  longestAlone,
  failures,
}: FuzzReport): string {
  const statuses = [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, count]) => `${status}: ${count}`);
  const ms = (value: number | null): string => `${value?.toFixed(1) ?? '-'} ms`;
  return [
    `${[...counts.values()].reduce((sum, count) => sum + count, 0)} requests in ${seconds.toFixed(0)} s, seed ${seed}`,
    statuses.join(', '),
    `/healthz: ${health.count} answers, p50 ${ms(health.p50Ms)}, p99 ${ms(health.p99Ms)}, most ${ms(health.mostMs)}; p99 of a server that does nothing ${ms(health.bareP99Ms)}`,
    `main thread: at most ${ms(longestTurnMs)} in a turn of all, ${ms(longestAloneMs)} for one request of those turns alone${longestAlone === undefined ? '' : `, ${longestAlone}`}`,
    failures.length === 0 ? 'all is well' : `${failures.length} failures`,
  ].join('\n'); // prettier-ignore
}

async function described(asked: number): Promise<void> {
  const progress = (done: number): void => void process.stderr.write(`\r${done} of ${asked}`);
  const frontEnd = values['front-end'];
  const { held, errors } = await fuzzServed({ requests: asked, seed, frontEnd, progress });
  process.stderr.write('\r');
  const statuses = [...held.counts].toSorted(([a], [b]) => a - b).map((each) => each.join(': '));
  const failed = [...held.failures, ...errors.map((each) => `logged: ${JSON.stringify(each)}`)];
  const lines = [
    ...failed,
    `${asked} requests of /openapi.json, seed ${seed}`,
    statuses.join(', '),
    `never answered well: ${held.never().join(', ') || 'none'}`,
    failed.length === 0 ? 'all is well' : `${failed.length} failures`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (failed.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  const report = await fuzz({
    requests,
    seconds: values.seconds ?? Infinity,
    seed,
    port,
    frontEnd: values['front-end'],
    connections: values.connections,
    progress: (done) => process.stderr.write(`\r${done} of ${requests}`),
  });
  process.stderr.write('\r');
  for (const failure of report.failures) process.stdout.write(told(failure));
  process.stdout.write(`${reportText(report)}\n`);
  if (report.failures.length > 0) process.exitCode = 1;
}

if (values.openapi !== undefined) await described(values.openapi);
else if (values.show !== undefined) process.stdout.write(`${repeating(values.show)}\n`);
else await main();
