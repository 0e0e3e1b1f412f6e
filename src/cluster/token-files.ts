/**
 * Token files that a kubeconfig names by `tokenFile`, which the client package does not support
 * (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#AuthInfo).
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseYamlTexts } from '../query/index.ts';

/**
 * The kubeconfigs that kubectl would read; without any, the service account is used.
 * @param path several as in `KUBECONFIG`; undefined: `KUBECONFIG`, else `~/.kube/config` if it exists
 */
export function kubeconfigFiles(path: string | undefined): string[] {
  const given = path ?? process.env['KUBECONFIG'] ?? '';
  const files = given.split(delimiter).filter(Boolean);
  const own = join(homedir(), '.kube', 'config');
  return files.length > 0 || !existsSync(own) ? files : [own];
}

/** Paths by user name; relative ones start at their kubeconfig. @throws if one is missing or not YAML */
export function tokenFiles(kubeconfigs: readonly string[]): Map<string, string> {
  return new Map(kubeconfigs.flatMap((path) => Array.from(usersIn(path))));
}

function* usersIn(path: string): Generator<[name: string, tokenFile: string]> {
  const users = member(parseYamlTexts(readFileSync(path, 'utf8')), 'users');
  for (const entry of Array.isArray(users) ? (users as readonly unknown[]) : []) {
    const name = member(entry, 'name');
    const file = member(member(entry, 'user'), 'tokenFile');
    if (typeof name !== 'string' || typeof file !== 'string' || file === '') continue;
    yield [name, resolve(dirname(path), file)];
  }
}

function member(value: unknown, name: string): unknown {
  return value instanceof Map ? value.get(name) : undefined;
}
