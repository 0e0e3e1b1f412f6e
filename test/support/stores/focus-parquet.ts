/** Bills in CSV as Parquet files, with the types that FOCUS asks for. */
import type { RowGroup } from 'hyparquet';
import { ByteWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';
import { readTime } from '../../../src/billing/focus/times.ts';
import { readRows } from '../../../src/query/index.ts';

export interface ParquetForm {
  readonly rowGroupSize: number;
  readonly codec: 'SNAPPY' | 'UNCOMPRESSED';
  /** Whether numbers and times stay texts. */
  readonly isText: boolean;
}

const NUMBERS = /Cost$|Quantity$|UnitPrice$/;
const TIMES = /Period(Start|End)$/;

/** @param lie changes what the footer says */
export function focusParquet(
  csv: string,
  { isText, codec, rowGroupSize }: ParquetForm,
  lie: (groups: RowGroup[]) => void = () => undefined,
): Buffer {
  const [names = [], ...rows] = readRows(csv, 'bill.csv');
  const columnData = names.map((name, place) => {
    const cells = rows.map((cells) => cells[place] ?? '');
    const { type, read } = isText ? TEXT : typeOf(name);
    const data = cells.map((text) => (['', 'NULL'].includes(text) ? null : read(text)));
    return { name, type, data, nullable: true };
  });
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData }), codec });
  void file.write({ columnData, rowGroupSize });
  lie(file.row_groups);
  void file.finish();
  return Buffer.from(writer.getBuffer());
}

interface Typed {
  readonly type: BasicType;
  readonly read: (text: string) => unknown;
}

const TEXT: Typed = { type: 'STRING', read: (text) => text };

function typeOf(name: string): Typed {
  if (NUMBERS.test(name)) return { type: 'DOUBLE', read: Number };
  if (!TIMES.test(name)) return TEXT;
  return { type: 'TIMESTAMP', read: (text) => new Date(readTime(text) ?? NaN) };
}
