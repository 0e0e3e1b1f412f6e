/**
 * One process a folder, or a log at a time. The lock is a file that names its owner and is touched every few seconds.
 * Where the owner's process can be seen, that decides; in another container or on another host, the
 * last touch does. A killed process leaves its file behind, which the next one takes over.
 */
import { randomUUID } from 'node:crypto';
import {
  link,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Unavailable } from '../../query/index.ts';
import { TEMPORARY } from '../disk.ts';
import { cannot, codeOf } from '../disk-error.ts';

export interface Lock {
  /** @throws {Unavailable} when another process took it over: this one was taken for dead */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface LockOwner {
  readonly pid: number;
  /** Start of its process, in the kernel's ticks; '' where the system does not show it. */
  readonly started: string;
  readonly host: string;
  /** The id of the running kernel, and of the namespace of the pid. */
  readonly boot: string;
  readonly namespace: string;
  /** The inode of the folder: a copy of it has another. */
  readonly inode: number;
}

/** How an error tells what is locked, and what to do. */
interface Locked {
  readonly name: string;
  readonly hint: string;
}

const NAME = 'lock';
const FOLDER: Locked = {
  name: 'the folder',
  hint: 'stop it, or choose another folder with --data-dir',
};
const TURN: Locked = {
  name: 'the file',
  hint: 'try again; remove it only if no process of that number runs',
};
/** A turn lasts milliseconds: whoever waits longer waits for a process that stands still or is dead. */
const TURN_MS = 10_000;
const PAUSE_MS = 5;
const TOUCH_MS = 5000;
/** An owner that cannot be seen is dead when its lock was not touched for so long. */
const STALE_MS = 20_000;
const ATTEMPTS = 5;

/**
 * @param hint what to do where another process has it
 * @throws {Unavailable} naming the pid when another process has the folder
 */
export async function lockFolder(folder: string, hint: string = FOLDER.hint): Promise<Lock> {
  return lockAs(join(folder, NAME), { ...FOLDER, hint });
}

/**
 * Does the work while no other caller, of this process or another, does its own under the same lock.
 * @throws {Unavailable} when others have it for too long, or it cannot be made
 */
export async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await whenFree(path, Date.now() + TURN_MS);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function whenFree(path: string, untilMs: number): Promise<Lock> {
  for (;;) {
    try {
      return await lockAs(path, TURN);
    } catch (error) {
      if (!(error instanceof InUse) || Date.now() >= untilMs) throw error;
      await wait(PAUSE_MS);
    }
  }
}

/** Somebody else has the lock now. */
class InUse extends Unavailable {}

async function lockAs(path: string, locked: Locked): Promise<Lock> {
  const folder = dirname(path);
  const own = `${path}.${randomUUID()}${TEMPORARY}`;
  let text: string;
  try {
    text = JSON.stringify(await describe(process.pid, folder));
    await writeFile(own, text);
    await takeName(own, path, locked);
    await removeLeft(path);
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

/** Removes names of processes that were killed while they tried; live ones have young names. */
async function removeLeft(lock: string): Promise<void> {
  const [folder, prefix] = [dirname(lock), `${basename(lock)}.`];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(TEMPORARY)) continue;
    const path = join(folder, name);
    if (await isUntouched(path)) await rm(path, { force: true });
  }
}

/** Makes the name with its whole content, only when nobody has it. */
async function takeName(own: string, path: string, { name, hint }: Locked): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await linked(own, path)) return;
    const text = await textOf(path);
    if (text === undefined) continue;
    const owner = readOwner(text);
    if (await isAlive(path, owner)) {
      const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
      throw new InUse(`${path}: ${name} is in use by ${who}`, { hint });
    }
    if (await takeOver(own, path, text)) return;
  }
  throw new InUse(`cannot lock ${path}: other processes try to as well`);
}

/** One at a time replaces a dead owner's lock, so that there is a lock at every moment. */
async function takeOver(own: string, path: string, text: string): Promise<boolean> {
  const turn = `${path}.turn`;
  if (!(await linked(own, turn))) {
    const other = await textOf(turn);
    const isLeft = other !== undefined && !(await isAlive(turn, readOwner(other)));
    if (isLeft) await rm(turn, { force: true });
    return false;
  }
  try {
    if ((await textOf(path)) !== text) return false;
    await rename(own, path);
    return true;
  } finally {
    await rm(turn, { force: true });
  }
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAlive(path: string, owner: LockOwner | undefined): Promise<boolean> {
  const self = await describe(process.pid, dirname(path));
  if (owner !== undefined && owner.inode !== self.inode) return false;
  if (owner?.host === self.host) {
    if (owner.boot !== self.boot) return false;
    if (owner.namespace === self.namespace) {
      const { started, hasEnded } = await processOf(owner.pid);
      return started === owner.started && !hasEnded && responds(owner.pid);
    }
  }
  return !(await isUntouched(path));
}

async function isUntouched(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  return file === undefined || Date.now() - file.mtimeMs >= STALE_MS;
}

function responds(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

interface Process {
  /** The start, as in a LockOwner. */
  readonly started: string;
  /** It has ended, but its parent has not waited for it: it still takes signals. */
  readonly hasEnded: boolean;
}

async function processOf(pid: number): Promise<Process> {
  const stat = (await textOf(`/proc/${pid}/stat`)) ?? '';
  // Fields 3 and 22 of proc(5); the second, a name in brackets, may itself have spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { started: fields[19] ?? '', hasEnded: ['Z', 'X'].includes(fields[0] ?? '') };
}

async function describe(pid: number, folder: string): Promise<LockOwner> {
  return {
    pid,
    started: (await processOf(pid)).started,
    host: hostname(),
    boot: ((await textOf('/proc/sys/kernel/random/boot_id')) ?? '').trim(),
    namespace: await readlink('/proc/self/ns/pid').catch(() => ''),
    inode: (await stat(folder)).ino,
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
