/** Texts that JSON shows otherwise than columns have them. */
import {
  DictionaryBuilder,
  escapeTexts,
  type Engine,
  type Owner,
  type TextsAt,
} from '../../columnar/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import { shortProviderId } from '../../query/index.ts';
import { withNodeLabels } from '../row/node-labels.ts';
import { IDLE } from '../row/row-kinds.ts';

/** Codes of a column by address, and their texts. */
interface ShownColumn {
  readonly codes: number;
  readonly texts: TextsAt;
}

interface ShownTexts {
  readonly providerId: ShownColumn;
  /** The labels of pods, and those of their nodes; idle has no labels. */
  readonly labels: ShownColumn;
}

/** @throws {ArenaFull} when there is no room */
export function shownTexts(engine: Engine, owner: Owner, set: CodedFrame): ShownTexts {
  return { providerId: shortIds(engine, owner, set), labels: nodeLabels(engine, owner, set) };
}

function shortIds(engine: Engine, owner: Owner, { frame, texts }: CodedFrame): ShownColumn {
  const builder = new DictionaryBuilder();
  const short = new Map<number, number>();
  const codes = arenaCodes(engine, owner, frame.rows);
  frame.u32('providerID').forEach((code, row) => {
    const known = short.get(code) ?? builder.code(shortProviderId(texts.text(code)));
    short.set(code, known);
    codes[row] = known;
  });
  const dictionary = builder.store(engine.arena, owner);
  const escaped = escapeTexts(engine, owner, dictionary, [codes], 'json');
  return { codes: codes.byteOffset, texts: escaped };
}

/** Columns that labels are made of. */
const OF_LABELS = ['labels', 'instanceType', 'region', 'zone', 'nodePool', 'providerID'] as const;

function nodeLabels(engine: Engine, owner: Owner, { frame, texts }: CodedFrame): ShownColumn {
  const columns = OF_LABELS.map((name) => frame.u32(name));
  const containers = frame.u32('container');
  const builder = new DictionaryBuilder();
  const known = new Map<string, number>();
  const codes = arenaCodes(engine, owner, frame.rows);
  let idle = -1;
  for (let row = 0; row < frame.rows; row++) {
    const container = containers[row] ?? 0;
    if (idle < 0 && container !== 0 && texts.text(container) === IDLE) idle = container;
    if (container === idle) continue;
    const key = columns.map((column) => column[row]).join();
    const code = known.get(key) ?? builder.code(labelsOf(columns, row, texts));
    known.set(key, code);
    codes[row] = code;
  }
  return { codes: codes.byteOffset, texts: builder.store(engine.arena, owner).at };
}

function labelsOf(
  columns: readonly Uint32Array[],
  row: number,
  texts: CodedFrame['texts'],
): string {
  const [labels = '', instanceType = '', region = '', zone = '', nodePool = '', providerID = ''] =
    columns.map((column) => texts.text(column[row] ?? 0));
  return withNodeLabels(labels, { instanceType, region, zone, nodePool, providerID });
}

function arenaCodes({ arena }: Engine, owner: Owner, rows: number): Uint32Array {
  return arena.u32(arena.allocateZeroed(4 * Math.max(1, rows), owner), rows);
}
