/** Rows of settings that say how to sign in at another server. */
import type { Setting } from './settings.ts';

/** RFC 9110, 5.1 and 5.5: a token, and visible ASCII with spaces inside. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/;

type Optional = Setting<string | undefined>;

export function header(key: string, env: string, help: string, example: string): Optional {
  return { ...optional(key, env, help), accepted: 'visible ASCII', example, read: visible };
}

/** Never on a command line, which all processes can read. */
export function secret(key: string, env: string, help: string): Optional {
  const row = optional(key, env, help);
  return { ...row, isSecret: true, accepted: 'visible ASCII', example: '…', read: visible };
}

export function path(key: string, env: string, content: string): Optional {
  const read = (text: string): string | undefined => (text.includes('\0') ? undefined : text);
  const example = '/etc/prorata/file';
  return { ...optional(key, env, `a file ${content}`), accepted: 'a path', example, read };
}

function optional(
  key: string,
  env: string,
  help: string,
): Omit<Optional, 'accepted' | 'example' | 'read'> {
  return { key, env, help, otherwise: 'none', fallback: () => undefined };
}

function visible(text: string): string | undefined {
  return /^[\x20-\x7e]{1,4096}$/.test(text) ? text : undefined;
}

export function headers(
  key: string,
  env: string,
  target: string,
): Setting<Readonly<Record<string, string>> | undefined> {
  return {
    key,
    hasSecretValues: true,
    env,
    help: `further headers for ${target}, one a line`,
    accepted: "lines of 'Name: value' in visible ASCII",
    example: 'X-Team: costs',
    otherwise: 'none',
    fallback: () => undefined,
    read: readHeaders,
  };
}

function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => HEADER.exec(line.trim()));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
