/** Sets as the engine builds them, in the test's own process, and what is in them. */
import assert from 'node:assert/strict';
import type { BuildOptions } from '../../../src/allocation/index.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import {
  metricsOf,
  openSource,
  startEngine,
  type EngineCompute,
} from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import type { Table } from '../../../src/columnar/index.ts';
import { createMemorySets, openArrowFiles, type SetKey } from '../../../src/storage/index.ts';
import type { Span } from '../fleets/fleet.ts';

export interface Building extends BuildOptions {
  readonly compute: EngineCompute;
  /** The rows of a set, while `use` runs. @throws when there is no such set */
  rows<T>(kind: string, span: Span, use: (table: Table) => T): Promise<T>;
  close(): Promise<void>;
}

/** @param flags settings; with `--data-dir` sets are files, else in memory */
export async function startBuilding(flags: readonly string[]): Promise<Building> {
  const { config } = loadConfig([...flags], {}, () => '');
  const source = openSource(config);
  const engine = await startEngine(config, { info: () => undefined, error: () => undefined });
  const { compute } = engine;
  const { arena, owners } = compute;
  const { dataDir: folder, timezone } = config;
  const sets =
    folder === undefined
      ? createMemorySets({ arena, owner: owners.take() })
      : await openArrowFiles({ folder, arena, note: () => undefined });
  return {
    compute,
    metrics: metricsOf(config, source),
    sets,
    timezone,
    async rows(kind, [startMs, endMs], use) {
      const key: SetKey = { kind, startMs, endMs };
      const owner = owners.take();
      try {
        const read = await sets.read(key, owner);
        if (read === undefined) throw new Error(`there are no ${kind} of ${startMs}`);
        return use(read.table);
      } finally {
        owners.free(owner);
      }
    },
    async close() {
      await sets.close();
      await engine.close();
      await source.close();
    },
  };
}

/** Every value of every row, under the names of the columns. */
export function everything(table: Table): readonly Readonly<Record<string, unknown>>[] {
  const { texts, numbers } = ALLOCATION_COLUMNS;
  return Array.from({ length: table.rows }, (_, row) =>
    Object.fromEntries([
      ...texts.map((name) => {
        const column = table.text(name);
        return [name, column?.texts.text(column.codes[row] ?? 0) ?? ''] as const;
      }),
      ...numbers.map((name) => [name, table.numbers(name)?.values[row] ?? 0] as const),
    ]),
  );
}

export type Sums = Readonly<Record<string, number>>;

/** Sums of columns by a key of each row's texts. */
export function sumsBy(
  table: Table,
  columns: readonly string[],
  keyOf: (text: (column: string) => string) => string,
): ReadonlyMap<string, Sums> {
  const sums = new Map<string, Record<string, number>>();
  for (let row = 0; row < table.rows; row++) {
    const key = keyOf((name) => {
      const column = table.text(name);
      return column?.texts.text(column.codes[row] ?? 0) ?? '';
    });
    const own = sums.get(key) ?? Object.fromEntries(columns.map((name) => [name, 0]));
    for (const name of columns) {
      own[name] = (own[name] ?? 0) + (table.numbers(name)?.values[row] ?? 0);
    }
    sums.set(key, own);
  }
  return sums;
}

/** Equal to 1e-9. */
export function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}
