/**
 * One process a folder. The lock is a file that names its owner and is touched every few seconds.
 * Where the owner's process can be seen, that decides; in another container or on another host, the
 * last touch does. A killed process leaves its file behind, which the next one takes over.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../query/index.ts';
import { TEMPORARY } from './disk.ts';
import { cannot, codeOf } from './place.ts';

export interface Lock {
  /** @throws {Unavailable} when another process took it over: this one was taken for dead */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface LockOwner {
  readonly pid: number;
  /** When its process started, in the kernel's ticks; '' where the system does not tell. */
  readonly started: string;
  readonly host: string;
  /** Of the running kernel, and of the namespace in which the pid counts. */
  readonly boot: string;
  readonly namespace: string;
}

const NAME = 'lock';
const TOUCH_MS = 5000;
/** Untouched for so long, an owner that cannot be seen is dead. */
const STALE_MS = 20_000;
const ATTEMPTS = 5;

/** @throws {Unavailable} naming the pid when another process has the folder */
export async function lockFolder(folder: string): Promise<Lock> {
  const path = join(folder, NAME);
  const text = JSON.stringify(await describe(process.pid));
  const own = `${path}.${randomUUID()}${TEMPORARY}`;
  try {
    await writeFile(own, text);
    await takeName(own, path);
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw cannot(`lock ${folder}`, cause);
  } finally {
    await rm(own, { force: true });
  }
  const timer = setInterval(() => void touch(path), TOUCH_MS).unref();
  return {
    async check() {
      if ((await textOf(path)) === text) return;
      throw new Unavailable(`another process took over ${folder}, while this one stood still`);
    },
    async release() {
      clearInterval(timer);
      if ((await textOf(path)) === text) await rm(path, { force: true });
    },
  };
}

/** A name that is made only when nobody has it, with its content: never half. */
async function takeName(own: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const taken = await link(own, path).catch(codeOf);
    if (taken === undefined) return;
    if (taken !== 'EEXIST') throw new Error(`link ${path}: ${taken}`);
    const found = await textOf(path);
    if (found !== undefined) await putAside(path, found);
  }
  throw new Unavailable(`cannot lock ${path}: other processes try to as well`);
}

/** @throws {Unavailable} when the owner lives */
async function putAside(path: string, text: string): Promise<void> {
  const owner = readOwner(text);
  if (await isAlive(path, owner)) {
    const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
    throw new Unavailable(`${path}: the folder is in use by ${who}`, {
      hint: 'stop it, or choose another folder with --data-dir',
    });
  }
  const aside = `${path}.${randomUUID()}${TEMPORARY}`;
  if ((await rename(path, aside).catch(codeOf)) === 'ENOENT') return;
  // Somebody else may have taken it over between: then it is theirs.
  if ((await textOf(aside)) !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isAlive(path: string, owner: LockOwner | undefined): Promise<boolean> {
  const self = await describe(process.pid);
  if (owner?.host === self.host) {
    if (owner.boot !== self.boot) return false;
    if (owner.namespace === self.namespace) {
      return (await describe(owner.pid)).started === owner.started && responds(owner.pid);
    }
  }
  const file = await stat(path).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs < STALE_MS;
}

function responds(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function describe(pid: number): Promise<LockOwner> {
  const process = (await textOf(`/proc/${pid}/stat`)) ?? '';
  return {
    pid,
    // Field 22 of proc(5); the second, a name in brackets, may itself have spaces and brackets.
    started: process.slice(process.lastIndexOf(')') + 2).split(' ')[19] ?? '',
    host: hostname(),
    boot: ((await textOf('/proc/sys/kernel/random/boot_id')) ?? '').trim(),
    namespace: await readlink('/proc/self/ns/pid').catch(() => ''),
  };
}

function readOwner(text: string): LockOwner | undefined {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    return undefined;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}
