/** Results of tools: rows and facts with units in their names, bounded, and a short text that tells the same. */
import { Fault } from '../query/index.ts';
import type { Page } from './arguments.ts';
import { isFields, type Fields, type Read } from './tool.ts';
import { withUnits } from './units.ts';

/** Rows beyond are left out, whatever the limit: models read all that they get. */
const ROWS_BYTES_MAX = 64 * 1024;
/** Items of a list, or a text, in what is told beside rows. */
const FACTS_MAX = 100;
const LINES_MAX = 60;
const TEXT_MAX = 2000;
/** Numbers of a line. */
const NUMBERS_MAX = 20;

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

export interface Found extends Read {
  readonly page: Page;
  /** False: the rows are all there are, and the page is taken of them. */
  readonly isPage: boolean;
  readonly warnings: readonly string[];
}

interface PageFacts {
  readonly shownRows: number;
  /** Null: the route does not tell, or there are several sets. */
  readonly totalRows: number | null;
  readonly leftOutRows: number | null;
  /** Null: this is the last one. */
  readonly nextOffset: number | null;
}

interface Paged {
  readonly rows: readonly Fields[];
  readonly page: PageFacts;
}

export function resultOf(found: Found): ToolResult {
  const { rows, facts = {}, verbatim = {}, warnings } = found;
  requireShort(verbatim);
  const told = withUnits(bounded(facts)) as Record<string, unknown>;
  const own = warningsIn(told['warnings']);
  const all = [...new Set([...own, ...warnings])];
  const paged = rows === undefined ? undefined : pageOf(rows, found);
  const beside = { ...told, ...verbatim, warnings: all.slice(0, FACTS_MAX) };
  const text = textOf(paged, beside);
  return { content: [{ type: 'text', text }], structuredContent: { ...paged, ...beside } };
}

function warningsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** @throws {Fault} for what cannot be told whole, and is of no use in part */
function requireShort(verbatim: Fields): void {
  const bytes = JSON.stringify(verbatim).length;
  if (bytes <= ROWS_BYTES_MAX) return;
  throw new Fault(`the result has ${bytes} characters, more than ${ROWS_BYTES_MAX}`, {
    status: 422,
    hint: 'give fewer rows',
  });
}

/** The rows that are shown, and which others there are. */
function pageOf(rows: readonly Fields[], { page, isPage, totalRows, sets = 1 }: Found): Paged {
  const { limit, offset } = page;
  const idle = rows.filter(isIdle);
  const others = rows.filter((row) => !isIdle(row));
  const wanted = isPage ? others : others.slice(offset, offset + limit);
  const shown: Fields[] = [];
  let bytes = 0;
  for (const row of [...idle, ...wanted]) {
    const named = withUnits(row) as Fields;
    bytes += JSON.stringify(named).length;
    if (bytes > ROWS_BYTES_MAX && shown.length > 0) break;
    shown.push(named);
  }
  const counted = Math.max(0, shown.length - idle.length);
  const total = isPage ? totalRows : others.length;
  const isOfSets = isPage && sets > 1;
  const leftOut = isOfSets || total === undefined ? null : Math.max(0, total - offset - counted);
  const isCut = counted < wanted.length;
  const hasMore = leftOut === null ? isCut || others.length >= limit : leftOut > 0;
  // Rows of several sets that are cut go on at no one place: the same page has to be asked for in smaller ones.
  const next = isOfSets ? offset + (isCut ? 0 : limit) : offset + Math.max(1, counted);
  const isLast = !hasMore || (isOfSets && total !== undefined && !isCut && next >= total);
  return {
    rows: shown,
    page: {
      shownRows: shown.length,
      totalRows: total ?? null,
      leftOutRows: isOfSets && isCut ? wanted.length - counted : leftOut,
      nextOffset: isLast ? null : next,
    },
  };
}

function isIdle({ name }: Fields): boolean {
  return name === '__idle__';
}

/** Long lists end early, and say so. */
function bounded(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, FACTS_MAX).map(bounded);
    const left = value.length - shown.length;
    return left > 0 ? [...shown, `… ${left} more are left out`] : shown;
  }
  if (typeof value === 'string' && value.length > TEXT_MAX) return `${value.slice(0, TEXT_MAX)}…`;
  if (!isFields(value)) return value;
  const members = Object.entries(value);
  const shown = members.slice(0, FACTS_MAX).map(([name, inner]) => [name, bounded(inner)] as const);
  const left = members.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['leftOut', `… ${left} more`]] : shown);
}

/** A line for the page, a line a row: its name and the numbers that are not 0; then what is told beside. */
function textOf(paged: Paged | undefined, beside: Fields): string {
  const { rows = [], page } = paged ?? {};
  const head = page === undefined ? [] : [pageText(page)];
  const lines = rows.slice(0, LINES_MAX).map(rowText);
  const left = rows.length - lines.length;
  const more = left > 0 ? [`… ${left} more rows are in the structured content`] : [];
  const facts = Object.entries(beside)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => `${name}: ${short(value)}`);
  return [...head, ...lines, ...more, ...facts].join('\n') || 'nothing was found';
}

function pageText({ shownRows, totalRows, leftOutRows, nextOffset }: PageFacts): string {
  const of = totalRows === null ? '' : ` of ${totalRows}`;
  const left = leftOutRows === null ? '' : `, ${leftOutRows} left out`;
  const next = nextOffset === null ? '' : `; the next page: offset=${nextOffset}`;
  return `${shownRows} rows${of}${left}${next}`;
}

/** Where the name of a row stands, if it has one. */
const NAMES: readonly (readonly string[])[] = [
  ['name'],
  ['aggregate'],
  ['namespace', 'controllerName', 'containerName'],
];

function rowText(row: Fields): string {
  const name = NAMES.find(([first = '']) => typeof row[first] === 'string') ?? [];
  const parts = name.map((part) => row[part]).filter((part) => typeof part === 'string');
  const numbers = numbersIn(row, '').map(([path, value]) => `${path}=${value.toPrecision(6)}`);
  const told = numbers.slice(0, NUMBERS_MAX).join(' ');
  return told === '' ? parts.join('/') : `${parts.join('/')}: ${told}`;
}

function numbersIn(row: Fields, prefix: string): (readonly [string, number])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (typeof value === 'number') return value === 0 ? [] : [[prefix + name, value] as const];
    return isFields(value) ? numbersIn(value, `${prefix}${name}.`) : [];
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
