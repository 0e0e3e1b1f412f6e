/** Data folders to ask about, and bodies that a server with one worker and ample memory gave. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BodyWriter } from './bodies.ts';
import { ask, STEADY } from './client.ts';
import { makeDay, type Day } from './days.ts';
import { examine, type Question } from './judge.ts';
import { NOW, Server, type Place } from './server.ts';
import { storeDays } from './store.ts';

/** A data folder, and what is asked of it. */
export interface Store extends Place {
  readonly questions: readonly Question[];
}

export interface Size {
  readonly seed: number;
  readonly days: number;
  /** A day. */
  readonly rows: number;
}

/** Into `data` of the folder. @returns the days, oldest first */
export async function makeDays(dataDir: string, { seed, days, rows }: Size): Promise<Day[]> {
  mkdirSync(dataDir);
  const made = Array.from({ length: days }, (_, day) => makeDay(seed, rows, day));
  await storeDays(dataDir, made);
  return made;
}

/** Days of the demo fleet, as the command builds them. @throws where it does not end well */
export async function buildDemo(tree: string, dataDir: string, days: number): Promise<void> {
  mkdirSync(dataDir);
  const flags = [`--data-dir=${dataDir}`, `--now=${NOW}`, '--timezone=UTC', '--quiet'];
  const command = [join(tree, 'src/prorata.js'), 'build', ...flags, '--window', `${days}d`];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`cannot build the demo: ${code}`);
}

/** Asks again so often whether the same comes. */
const AGAIN = 2;

/**
 * Asks a server that has one worker, one client and ample memory.
 * @param folder of the bodies
 * @param tell of answers that are not the same each time, and of the server's faults
 * @throws where it does not answer with 200
 */
export async function referenceQuestions(
  tree: string,
  store: Place,
  paths: readonly string[],
  folder: string,
  tell: (wrong: string) => void,
): Promise<Question[]> {
  const server = await Server.start(tree, {
    workers: 1,
    frontEnd: 'uws',
    store,
    isChecked: false,
    isBuilding: false,
  });
  const questions: Question[] = [];
  try {
    for (const path of paths) {
      const question = await referenceQuestion(server.url, path, folder);
      questions.push(question);
      for (let again = 0; again < AGAIN; again++) {
        const how = { acceptsGzip: false, reading: STEADY };
        const { verdict, detail } = await examine(server.url, question, how);
        if (verdict !== 'equal') tell(`${store.name}, one worker, ${path}, again: ${detail}`);
      }
    }
  } finally {
    await server.stop();
  }
  for (const fault of server.faults) tell(`${store.name}, one worker: ${fault}`);
  return questions;
}

async function referenceQuestion(url: string, path: string, folder: string): Promise<Question> {
  const writer = new BodyWriter(folder, `asked-${encodeURIComponent(path).slice(0, 200)}`);
  const reply = await ask(url, { path, acceptsGzip: false, reading: STEADY }, (part) => {
    writer.add(part);
  });
  const body = writer.end();
  const { head, end, reason } = reply;
  if (head?.status !== 200 || end !== 'whole') {
    throw new Error(`one worker, ${path}: ${head?.status} ${end} ${reason}`);
  }
  return { path, contentType: head.headers.get('content-type') ?? '', body };
}
