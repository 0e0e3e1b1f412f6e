/**
 * Commands of the guides, docs/install. A fence is ```console, and a command begins with `$ ` and ends with its last line
 * that ends with `\`. It is run by a test, unless a comment of its own says `not run here`, or one above it in the
 * fence `not run here, and all below`. A fence ```yaml values.yaml is a file that commands of the page read.
 */
import type { Document } from './documents.ts';

export interface GuideCommand {
  /** `docs/install/eks.md:12` */
  readonly at: string;
  readonly document: string;
  /** In one line, without its comment. */
  readonly text: string;
  readonly isRun: boolean;
}

export interface GuideFile {
  readonly at: string;
  readonly document: string;
  readonly language: string;
  /** Empty: it is shown, and read by no command. */
  readonly name: string;
  readonly text: string;
}

interface Fence {
  readonly at: string;
  readonly document: string;
  readonly language: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** Number of the first of these lines. */
  readonly from: number;
}

/** What a guide may show: commands, and files that a test reads. */
const LANGUAGES: readonly string[] = ['console', 'yaml', 'json', 'csv', 'alloy'];
const COMMENT = /(?:^|\s{2,})#\s(.*)$/;

export function commandsOf(document: Document): GuideCommand[] {
  return fencesOf(document)
    .filter(({ language }) => language === 'console')
    .flatMap(commandsIn);
}

export function filesOf(document: Document): GuideFile[] {
  return fencesOf(document)
    .filter(({ language }) => language !== 'console')
    .map(({ lines, ...about }) => ({ ...about, text: `${lines.join('\n')}\n` }));
}

/** A sentence for each fence that no test can read, and for each command that a comment hides. */
export function unreadable(documents: readonly Document[]): string[] {
  return documents.flatMap((document) =>
    fencesOf(document).flatMap((fence) => {
      const { at, language, lines } = fence;
      if (!LANGUAGES.includes(language))
        return [`${at}: a fence of '${language}'; guides have ${LANGUAGES.join(', ')}`];
      if (language !== 'console' || lines.some((line) => line.startsWith('$ '))) return [];
      return [`${at}: no line of this fence begins with '$ ', so that none is a command`];
    }),
  );
}

/** Words of a command as a shell reads them; single quotes alone are understood. */
export function wordsOf(text: string): string[] {
  const words = text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/['"]/g, ''));
}

function fencesOf({ path, text }: Document): Fence[] {
  const fences: Fence[] = [];
  let open: { readonly info: string; readonly from: number; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (open === undefined) open = { info: line.slice(3).trim(), from: index + 2, lines: [] };
    else {
      const [language = '', name = ''] = open.info.split(/\s+/);
      const { from, lines } = open;
      fences.push({ at: `${path}:${from - 1}`, document: path, language, name, lines, from });
      open = undefined;
    }
  }
  return fences;
}

function commandsIn({ document, lines, from }: Fence): GuideCommand[] {
  const commands: GuideCommand[] = [];
  let isRestMarked = false;
  for (let i = 0; i < lines.length; i++) {
    if (lines[i]?.startsWith('$ ') !== true) continue;
    const at = `${document}:${from + i}`;
    const parts: string[] = [];
    const comments: string[] = [];
    for (; ; i++) {
      const line = lines[i] ?? '';
      comments.push(COMMENT.exec(line)?.[1] ?? '');
      const part = line.replace(COMMENT, '').trim();
      parts.push(part.replace(/\s*\\$/, ''));
      if (!part.endsWith('\\')) break;
    }
    const isMarked = isRestMarked || comments.some((said) => said.includes('not run here'));
    isRestMarked ||= comments.some((said) => said.includes('not run here, and all below'));
    const text = parts.join(' ').slice('$ '.length);
    commands.push({ at, document, text, isRun: !isMarked });
  }
  return commands;
}

/** Values of the chart that a command of helm sets, and the files of values that it names. */
export function chartValues(text: string): { values: Record<string, unknown>; files: string[] } {
  const words = wordsOf(text);
  const values: Record<string, unknown> = {};
  const files: string[] = [];
  for (const [i, word] of words.entries()) {
    const next = words[i + 1] ?? '';
    if (word === '--values' || word === '-f') files.push(next);
    if (word !== '--set' && word !== '--set-string') continue;
    const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(next) ?? [];
    // A dot within a key is escaped.
    const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'));
    let at = values;
    for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[keys.at(-1) ?? ''] = word === '--set' ? readValue(value) : value;
  }
  return { values, files };
}

/** As helm reads it. */
function readValue(text: string): unknown {
  const [, list] = /^\{(.*)\}$/.exec(text) ?? [];
  if (list !== undefined) return list.split(',').map(readValue);
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}
