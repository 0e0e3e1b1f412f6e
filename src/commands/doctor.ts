/** `prorata doctor`: tells what who helps would ask for, without secrets. */
import { readFileSync } from 'node:fs';
import { Fault, Unavailable } from '../query/index.ts';
import type { Config } from '../settings/config.ts';
import { textOf, type Finding } from '../server/doctor/findings.ts';
import { report } from '../server/doctor/report.ts';
import { openSource } from '../server/engine.ts';
import { LateWorkers, openQueriedSets } from '../server/open-sets.ts';
import { sourceKindOf } from '../server/source-kind.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { loadSettings } from '../terminal/settings.ts';

const FLAGS: readonly Flag[] = [
  { name: 'url', value: 'URL', help: 'a server that runs tells of itself; without it this command looks itself' },
  { name: 'token-file', value: 'FILE', help: 'a file with the token of a caller with the role admin, for --url' },
  { name: 'format', value: 'text|json', help: 'default text' },
]; // prettier-ignore

const HELP = `prorata doctor [--url URL | settings] [flags]

  Tells what who helps with a server would ask for: versions, limits, whether the metrics store answers,
  how far back and with which metrics, the stored sets, whether bills at URLs and in buckets can be listed,
  the certificate, and all settings with where they come from. Secrets are not shown. Changes nothing; a server may be running on the folder. Ends with 1
  when something is bad.

  prorata doctor --metrics-url http://localhost:9090 --data-dir /var/lib/prorata
  prorata doctor --url http://127.0.0.1:9003 --format json

${flagsHelp(FLAGS)}`;

const ANSWERED_WITHIN_MS = 120_000;

export async function doctor(argv: readonly string[]): Promise<void> {
  const { values, rest } = usage(FLAGS, () => takeFlags(argv, FLAGS));
  const format = usage(FLAGS, () => formatOf(values.get('format') ?? 'text'));
  const { config, help } = usage(FLAGS, () => loadSettings(rest));
  if (help !== undefined) {
    process.stdout.write(`${HELP}\n${help}\n`);
    return;
  }
  const url = values.get('url');
  const findings =
    url === undefined ? await ownReport(config) : await reportOf(url, values.get('token-file'));
  process.stdout.write(format === 'json' ? `${JSON.stringify({ findings })}\n` : textOf(findings));
  if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
}

function formatOf(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text;
  throw new Fault(`--format: '${text.slice(0, 80)}' is not text or json`, {
    parameter: '--format',
    hint: 'for example --format json',
  });
}

async function ownReport(config: Config): Promise<Finding[]> {
  const source = sourceKindOf(config) === 'receiver' ? undefined : openSource(config);
  const sets = await openQueriedSets(config, new LateWorkers()).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  try {
    return await report(config, { source, sets });
  } finally {
    await source?.close();
    if (!(sets instanceof Error)) await sets.close();
  }
}

/** @throws {Unavailable} when the server does not answer with a report */
async function reportOf(url: string, tokenFile: string | undefined): Promise<Finding[]> {
  const address = new URL('/admin/doctor', url);
  const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, 'utf8').trim();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  let text: string;
  let status: number;
  try {
    const reply = await fetch(address, { headers, signal, redirect: 'error' });
    status = reply.status;
    text = await reply.text();
  } catch (cause) {
    throw new Unavailable(`cannot ask ${address.origin}`, {
      cause,
      hint: 'is the server running there?',
    });
  }
  if (status === 200) return (JSON.parse(text) as { findings: Finding[] }).findings;
  throw new Unavailable(`${address.origin} answered ${status}: ${text.slice(0, 300)}`, {
    hint: 'the report is for the role admin: --token-file FILE names a token with it',
  });
}
