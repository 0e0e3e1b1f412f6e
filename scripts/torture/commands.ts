/** Readers in processes of their own: curl, which many scripts are, and the project's own export. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Comparison } from './bodies.ts';
import { differing, type Outcome, type Question } from './judge.ts';
import type { Place } from './server.ts';

/** What a process wrote. */
interface Ended {
  readonly code: number | null;
  readonly told: string;
}

/** curl's exit codes for transfers that broke: partial file, nothing came, failed to receive. */
const CURL_CUT: readonly number[] = [18, 52, 56];
const TOLD_CHARACTERS_MAX = 2000;

/** @param bytesPerSecond that curl takes at most */
export async function examineCurl(
  origin: string,
  question: Question,
  bytesPerSecond: number,
): Promise<Outcome> {
  const rate = String(Math.ceil(bytesPerSecond));
  const flags = ['-sS', '--limit-rate', rate, '-w', '%{stderr}status %{http_code}'];
  const comparison = new Comparison(question.body);
  const { code, told } = await run('curl', [...flags, origin + question.path], comparison);
  const base = { wireBytes: comparison.bytes };
  const status = /status (\d+)$/.exec(told)?.[1];
  const isCut = code !== null && CURL_CUT.includes(code);
  if (code !== 0 && !isCut) return { ...base, verdict: 'wrong', detail: `curl: ${code} ${told}` };
  if (status === '422' || status === '503') return { ...base, verdict: 'refused', detail: status };
  if (status !== '200' && !isCut) return { ...base, verdict: 'wrong', detail: `curl: ${told}` };
  const wrong = differing(question, comparison, !isCut);
  if (wrong !== undefined) return { ...base, verdict: 'wrong', detail: wrong };
  return { ...base, verdict: isCut ? 'cut' : 'equal', detail: isCut ? `curl: ${told}` : '' };
}

/** Whether `prorata export` gives the same: it knows no external costs. */
export function isExported({ path }: Question): boolean {
  return path.startsWith('/model/allocation?') && !path.includes('&external=');
}

/** Reads the folder that a server is running on. @param settings such as `--workers=2` */
export async function examineExport(
  tree: string,
  { dataDir }: Place,
  question: Question,
  settings: readonly string[],
): Promise<Outcome> {
  const query = new URL(question.path, 'http://localhost').searchParams;
  const flags = [...query].map(([name, value]) => `--${name}=${value}`);
  const command = [join(tree, 'src/prorata.js'), 'export', ...flags, `--data-dir=${dataDir}`];
  const comparison = new Comparison(question.body);
  const { code, told } = await run(process.execPath, [...command, ...settings], comparison);
  const base = { wireBytes: 0 };
  // Whoever writes to a pipe sees by the exit code that the rest is missing.
  const isWhole = code === 0;
  const wrong = differing(question, comparison, isWhole);
  if (wrong !== undefined) return { ...base, verdict: 'wrong', detail: wrong };
  if (isWhole) return { ...base, verdict: 'equal', detail: '' };
  const isRefused = code === 1 && /needs more than|memory/.test(told);
  return { ...base, verdict: isRefused ? 'refused' : 'wrong', detail: `export: ${code} ${told}` };
}

function run(program: string, args: readonly string[], comparison: Comparison): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    child.stdout.on('data', (part: Buffer) => comparison.add(part));
    child.stderr.on('data', (part: Buffer) => {
      told = (told + part.toString()).slice(-TOLD_CHARACTERS_MAX);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, told: told.trim() }));
  });
}
