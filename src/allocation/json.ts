/** A grouped row as clients read it. */
import { jsonNumber, timestamp, writeJsonRows, type Chunk } from '../export/index.ts';
import type { Frame, Texts } from '../columnar/index.ts';
import { FrameRow, type RowOptions } from './frame-row.ts';
import {
  accuracy,
  END_SOURCES,
  FIELDS,
  IDENTITY_COLUMNS,
  RAW_FIELDS,
  type Field,
  type RowValues,
} from './schema.ts';

/** Writes rows of a grouped frame as members of the set's object. */
export function writeAllocations(
  target: Uint8Array,
  row: number,
  frame: Frame,
  texts: Texts,
  options: RowOptions,
): Chunk {
  const { windowStartMs, windowEndMs, isRaw, resolutionMs } = options;
  const values = new FrameRow(frame);
  const properties = propertiesWriter(frame, texts);
  const names = frame.u32('name');
  const endSources = frame.u32('endSource');
  const uncertaintiesMs = frame.f64('endUncertaintyMs');
  const window = `{"start":"${timestamp(windowStartMs)}","end":"${timestamp(windowEndMs)}"}`;
  return writeJsonRows(target, row, frame.rows, (i) => {
    values.row = i;
    const name = JSON.stringify(texts.text(names[i] ?? 0));
    const members = [
      `${name}:{"name":${name}`,
      `"properties":${properties(i)}`,
      `"window":${window}`,
      `"start":"${timestamp(values.startMs)}"`,
      `"end":"${timestamp(values.endMs)}"`,
      ...FIELDS.map((field) => member(field, values)),
      '"pvs":null',
      `"rawAllocationOnly":${isRaw ? `{${RAW_FIELDS.map((f) => member(f, values)).join(',')}}` : 'null'}`,
      `"endSource":"${END_SOURCES[endSources[i] ?? 0] ?? ''}"`,
      `"endUncertaintySeconds":${jsonNumber((uncertaintiesMs[i] ?? 0) / 1000)}`,
      ...(resolutionMs > 0 ? [`"accuracy":${accuracyJson(values)}`] : []),
    ];
    return `${members.join(',')}}`;
  });
}

/** A bound that is not known, such as the upper one of a single point, is null. */
function accuracyJson(row: RowValues): string {
  const { lower, upper } = accuracy(row);
  return `{"lower":${jsonNumber(lower)},"upper":${jsonNumber(upper)}}`;
}

function member(field: Field, row: RowValues): string {
  return `"${field.json}":${jsonNumber(field.value(row))}`;
}

/** Known properties only; labels under the name of the interface and the one clients read. */
function propertiesWriter(frame: Frame, texts: Texts): (row: number) => string {
  const columns = IDENTITY_COLUMNS.map((name) => ({ name, codes: frame.u32(name) }));
  const labels = frame.u32('labels');
  return (row) => {
    const members: string[] = [];
    for (const { name, codes } of columns) {
      const code = codes[row] ?? 0;
      if (code !== 0) members.push(`"${name}":${JSON.stringify(texts.text(code))}`);
    }
    const labelCode = labels[row] ?? 0;
    if (labelCode !== 0) {
      const object = texts.text(labelCode);
      members.push(`"label":${object}`, `"labels":${object}`);
    }
    return `{${members.join(',')}}`;
  };
}
