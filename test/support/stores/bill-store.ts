/** Bills in memory or in a folder, read by real workers, and their rows as plain objects. */
import { openBills, BILL_COLUMNS, type Arriving, type Bills, type Delivered, type Purpose } from '../../../src/billing/deliveries/index.ts'; // prettier-ignore
import { clockOf } from '../../../src/server/clock.ts';
import { startEngine, type Engine } from '../../../src/server/engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { streamedBill, type BillFile } from '../../../src/billing/focus/index.ts';
import { createLogger } from '../../../src/terminal/log.ts';
import { createCalendar, type Window } from '../../../src/query/index.ts';
import { createMemorySets, SetReader, type Sets } from '../../../src/storage/index.ts';

export type BillRow = Readonly<Record<string, string | number>>;

export interface BillStore {
  readonly bills: Bills;
  readonly sets: Sets;
  /** Its arena has bytes beside those of the sets are held as long as something runs. */
  readonly engine: Engine;
  /** Sentences about rows that were left out. */
  readonly notes: string[];
  /** @param files their contents, in pieces of `pieceBytes`, or as they are */
  deliver(
    files: readonly (string | Uint8Array | BillFile)[],
    options?: Partial<Options>,
  ): Promise<Delivered>;
  rows(as?: Purpose, window?: Window): Promise<BillRow[]>;
  stop(): Promise<void>;
}

export interface Options extends Pick<Arriving, 'as' | 'source' | 'currency' | 'isSkipping'> {
  readonly pieceBytes: number;
}

export const ALL_TIME: Window = { startMs: 0, endMs: Date.UTC(2200, 0) };

const DEFAULTS: Options = {
  as: 'cloud',
  source: 'aws',
  currency: 'USD',
  isSkipping: false,
  pieceBytes: 65_536,
};

export async function startBillStore(
  timezone: string = 'UTC',
  workers: number = 2,
): Promise<BillStore> {
  const { config } = loadConfig([`--workers=${workers}`, '--memory-limit=1GiB'], {}, () => '');
  const engine = await startEngine(config, createLogger('silent'));
  const { compute } = engine;
  const { arena, owners } = compute;
  const sets = createMemorySets({ arena, owner: owners.take() });
  const bills = openBills({
    sets,
    compute,
    clock: { ...clockOf(config), calendar: createCalendar(timezone) },
  });
  const notes: string[] = [];
  return {
    bills,
    sets,
    engine,
    notes,
    deliver(files, options = {}) {
      const { pieceBytes, ...asked } = { ...DEFAULTS, ...options };
      const named = files.map((file, i) =>
        typeof file === 'string' || file instanceof Uint8Array
          ? streamedBill(`bill-${i}.csv`, piecesOf(Buffer.from(file), pieceBytes))
          : file,
      );
      const told = { onBad: (note: string) => void notes.push(note), onRows: () => undefined };
      return bills.deliver({ ...asked, ...told, files: named }, AbortSignal.timeout(60_000));
    },
    async rows(as = 'cloud', window = ALL_TIME) {
      const reader = new SetReader(arena);
      return bills.stored(as, window).flatMap((stored) => {
        const owner = owners.take();
        const { table } = reader.read(stored, owner);
        const rows = Array.from({ length: table.rows }, (_, row) => ({
          ...Object.fromEntries(
            BILL_COLUMNS.texts.map((name) => {
              const column = table.text(name);
              return [name, column?.texts.text(column.codes[row] ?? 0) ?? ''];
            }),
          ),
          ...Object.fromEntries(
            BILL_COLUMNS.numbers.map((name) => [name, table.numbers(name)?.values[row] ?? 0]),
          ),
        }));
        owners.free(owner);
        return rows;
      });
    },
    async stop() {
      await sets.close();
      await engine.close();
    },
  };
}

export function sumOf(rows: readonly BillRow[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}

async function* piecesOf(content: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}
