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
  TEXT_COLUMNS,
  type Field,
  type RowValues,
  type TextColumn,
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
  const pvs = frame.u32('pvs');
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
      `"pvs":${isRaw ? texts.text(pvs[i] ?? 0) || 'null' : 'null'}`,
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

/** What clients know a text column by: the interface's name and the one of real payloads. */
const PROPERTY_NAMES: Readonly<Record<TextColumn, readonly string[]>> = {
  labels: ['label', 'labels'],
  annotations: ['annotation', 'annotations'],
  services: ['service', 'services'],
  namespaceLabels: ['namespaceLabels'],
  namespaceAnnotations: ['namespaceAnnotations'],
};

/** Known properties only. */
function propertiesWriter(frame: Frame, texts: Texts): (row: number) => string {
  const columns = [
    ...IDENTITY_COLUMNS.map((name) => ({ names: [name], codes: frame.u32(name), isJson: false })),
    ...TEXT_COLUMNS.map((name) => ({
      names: PROPERTY_NAMES[name],
      codes: frame.u32(name),
      isJson: true,
    })),
  ];
  return (row) => {
    const members: string[] = [];
    for (const { names, codes, isJson } of columns) {
      const code = codes[row] ?? 0;
      if (code === 0) continue;
      const text = texts.text(code);
      const value = isJson ? text : JSON.stringify(text);
      for (const name of names) members.push(`"${name}":${value}`);
    }
    return `{${members.join(',')}}`;
  };
}
