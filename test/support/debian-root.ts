/**
 * A Debian 13 root with the libraries of the image's base and without a shell, and Node from npm's
 * registry. Both are made once, in the user's cache folder. Processes see the root read-only, by a mount
 * namespace of their own:
 *
 *   unshare --mount → sh: bind mounts, remount read-only → chroot --userspec → the command
 *
 * Each step replaces the one before, so that the process id and its signals are the command's.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { skipWithout } from './servers/services.ts';

export interface DebianRoot {
  /** Without Node. */
  readonly folder: string;
  /** A folder with `bin/node`, to be mounted at `/nodejs`. */
  readonly nodeFolder: string;
}

export interface Mount {
  readonly from: string;
  /** One of `MOUNT_POINTS`, or a folder in a mount before it. */
  readonly to: string;
  readonly isWritable?: boolean;
}

/** Packages of `gcr.io/distroless/cc-debian13`, the base of its Node images, without certificates. */
const PACKAGES = 'base-files,libc6,libgcc-s1,libgomp1,libssl3t64,libstdc++6,netbase,tzdata';
const MOUNT_POINTS = ['app', 'data', 'nodejs', 'project'];
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'prorata');

/**
 * @param nodeVersion such as 24.22.3
 * @returns the reason to skip if there is none
 * @throws if it cannot be made and `REQUIRE_SERVICES=1`; without the right to mount it is skipped
 */
export function debianRoot(nodeVersion: string): DebianRoot | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount';
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return 'mounts are not permitted';
  const missing = skipWithout('mmdebstrap');
  if (missing !== false) return missing;
  try {
    return {
      // One that has other mount points is another root.
      folder: made(`debian-13-${MOUNT_POINTS.join('-')}`, makeRoot),
      nodeFolder: made(`node-${nodeVersion}`, (to) => fetchNode(nodeVersion, to)),
    };
  } catch (error) {
    if (process.env['REQUIRE_SERVICES'] === '1') throw error;
    return `cannot fetch Debian 13 or Node ${nodeVersion}: ${String(error)}`;
  }
}

/** A folder of the cache, whole or not there. */
function made(name: string, make: (folder: string) => void): string {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  try {
    make(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process may have made the same.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function makeRoot(folder: string): void {
  const args = ['--quiet', '--mode=root', '--variant=extract', `--include=${PACKAGES}`, 'trixie'];
  execFileSync('mmdebstrap', [...args, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  for (const name of MOUNT_POINTS) mkdirSync(join(folder, name));
}

function fetchNode(version: string, folder: string): void {
  const name = `node-linux-${process.arch}`;
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const into = `${folder}.npm`;
  try {
    const where = ['--prefix', into, `${name}@${version}`];
    execFileSync('npm', [...args, ...where], { stdio: ['ignore', 'ignore', 'pipe'] });
    mkdirSync(folder);
    renameSync(join(into, 'node_modules', name, 'bin'), join(folder, 'bin'));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

/** Arguments: the root, `user:group`, then `ro|rw source target` of each mount, `--` and the command. */
const ENTER = `set -e
root=$1 user=$2
shift 2
mount --bind "$root" "$root"
while [ "$1" != -- ]; do
  mount --bind "$2" "$root$3"
  [ "$1" = rw ] || mount -o remount,bind,ro "$root$3"
  shift 3
done
shift
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
exec chroot --groups= --userspec="$user" "$root" "$@"`;

/** The words of a command that runs `words` in the root, as `user`. */
export function inRoot(
  { folder, nodeFolder }: DebianRoot,
  user: number,
  mounts: readonly Mount[],
  words: readonly string[],
): string[] {
  const all = [{ from: nodeFolder, to: '/nodejs' }, ...mounts];
  const bound = all.flatMap(({ from, to, isWritable }: Mount) => [
    isWritable === true ? 'rw' : 'ro',
    from,
    to,
  ]);
  const enter = ['sh', '-c', ENTER, 'sh', folder, `${user}:${user}`, ...bound, '--', ...words];
  return ['unshare', '--mount', ...enter];
}
