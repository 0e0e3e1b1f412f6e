/** External costs as rows of allocations. */
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import type { JoinedCost } from '../../billing/external/index.ts';
import type { Window } from '../../query/index.ts';
import { EXTERNAL } from '../row/row-kinds.ts';
import { IDENTITY_COLUMNS, TEXT_COLUMNS } from '../row/schema.ts';

const TEXTS: readonly string[] = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'endSource'];
const NUMBERS: readonly string[] = ['startMs', 'endMs', 'endUncertaintyMs', 'externalCost'];

/** Texts that all external rows have. */
const CONSTANTS: Readonly<Record<string, string>> = {
  container: EXTERNAL,
  endSource: 'completionTime',
};

/**
 * Rows of allocations that cost nothing but what is external.
 * @param rows JoinedCost[] as JSON
 */
export function externalTable(
  { arena }: Pick<Engine, 'arena'>,
  owner: Owner,
  rows: string,
  { startMs, endMs }: Window,
): Table {
  const costs = JSON.parse(rows) as readonly JoinedCost[];
  const frame = createFrame(
    arena,
    columnSpecs({ texts: TEXTS, numbers: NUMBERS }),
    costs.length,
    owner,
  );
  const texts = new DictionaryBuilder();
  for (const name of TEXTS) {
    const codes = frame.u32(name);
    costs.forEach((cost, row) => {
      codes[row] = texts.code(CONSTANTS[name] ?? cost.texts[name] ?? '');
    });
  }
  frame.f64('startMs').fill(startMs);
  frame.f64('endMs').fill(endMs);
  frame.f64('endUncertaintyMs').fill(0);
  frame.f64('externalCost').set(costs.map(({ cost }) => cost));
  return frameTable(frame, texts);
}
