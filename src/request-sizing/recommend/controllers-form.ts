/**
 * Recommendations as V1's clients read them: objects of controllers, with members for containers.
 * The text before and after the containers of a controller is written with them.
 */
import {
  compileRow,
  createFrame,
  DictionaryBuilder,
  type ColumnSpec,
  type Engine,
  type Frame,
} from '../../columnar/index.ts';
import { KEYS } from '../demand/demand-at.ts';
import { numbersOf, textsOf, type Page } from './page-parts.ts';

const NUMBERS = [
  'cpuMillicores',
  'ramMib',
  'cpuLatestMillicores',
  'ramLatestMib',
  'totalMonthlyUsd',
] as const;

/** @returns the program's address */
export function controllers(engine: Engine, page: Page): number {
  const heads = new DictionaryBuilder();
  const frame = sorted(engine, page);
  const keys = KEYS.slice(0, -1).map((name) => frame.u32(name));
  const isFirst = (row: number): boolean => keys.some((codes) => codes[row] !== codes[row - 1]);
  const [head, tail] = [frame.u32('head'), frame.u32('tail')];
  for (let row = 0; row < frame.rows; row++) {
    head[row] = heads.code(isFirst(row) ? headOf(page, keys, row) : ',');
    tail[row] = isFirst(row + 1) ? 1 : 0;
  }
  const text = textsOf(engine, { ...page, frame }, 'json');
  const number = numbersOf(frame);
  const texts = heads.store(engine.arena, page.keeper).at;
  return compileRow(engine.arena, page.keeper, frame.rows, [
    { kind: 'text', codes: head.byteOffset, texts },
    text('container'),
    ':{"requests":{"cpu":"',
    number('cpuMillicores'),
    'm","ram":"',
    number('ramMib'),
    'Mi"},"currentRequests":{"cpu":"',
    number('cpuLatestMillicores'),
    'm","ram":"',
    number('ramLatestMib'),
    'Mi"},"monthlySavings":',
    number('totalMonthlyUsd'),
    '}',
    { kind: 'word', codes: tail.byteOffset, words: ['', '}}'] },
  ]);
}

function headOf({ texts }: Page, keys: readonly Uint32Array[], row: number): string {
  const [cluster, namespace, kind, controller] = keys.map((codes) =>
    JSON.stringify(texts.text(codes[row] ?? 0)),
  );
  const names = `"name":${controller},"kind":${kind},"namespace":${namespace}`;
  return `${row === 0 ? '' : ','}{${names},"clusterId":${cluster},"containers":{`;
}

/** The page with the rows of a controller together, and columns for the text around them. */
function sorted({ arena }: Engine, { frame, keeper }: Page): Frame {
  const keys = KEYS.map((name) => frame.u32(name));
  const order = new Uint32Array(frame.rows).map((_, row) => row);
  order.sort((a, b) => {
    for (const codes of keys) if (codes[a] !== codes[b]) return (codes[a] ?? 0) - (codes[b] ?? 0);
    return a - b;
  });
  const specs = [
    ...[...KEYS, 'head', 'tail'].map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const copy = createFrame(arena, specs, frame.rows, keeper);
  for (const name of KEYS) permute(frame.u32(name), order, copy.u32(name));
  for (const name of NUMBERS) permute(frame.f64(name), order, copy.f64(name));
  return copy;
}

function permute<Column extends Uint32Array | Float64Array>(
  from: Column,
  order: Uint32Array,
  to: Column,
): void {
  for (let row = 0; row < order.length; row++) to[row] = from[order[row] ?? 0] ?? 0;
}
