/** A grouped row as clients read it. */
import {
  compileRow,
  escapeTexts,
  type Engine,
  type Frame,
  type Owner,
  type RowPart,
  type TextsAt,
} from '../../columnar/index.ts';
import { jsonKey, jsonNumbers } from '../../export/index.ts';
import { windowJson } from './envelope.ts';
import { assetShares } from './asset-shares.ts';
import { shownTexts } from './shown-texts.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { RowOptions } from '../params/format.ts';
import { evaluate, type FormulaColumns } from '../row/formula.ts';
import { BREAKDOWN } from '../query/shared-breakdown.ts';
import {
  ACCURACY,
  END_SOURCES,
  PRICE_SOURCE,
  END_UNCERTAINTY,
  FIELDS,
  IDENTITY_COLUMNS,
  PAID_COLUMNS,
  RAW_FIELDS,
  TEXT_COLUMNS,
  type Field,
  type TextColumn,
} from '../row/schema.ts';

/**
 * Compiles the rows of a grouped set as members of the set's object; as NDJSON, as objects each on a
 * line of its own.
 * @returns the program's address
 * @throws {ArenaFull} when there is no room
 */
export function jsonRows(
  engine: Engine,
  owner: Owner,
  set: CodedFrame,
  options: RowOptions,
): number {
  const { frame, texts } = set;
  const codes = (name: string): number => frame.u32(name).byteOffset;
  const escaped = ['name', ...IDENTITY_COLUMNS, PRICE_SOURCE].map((name) => frame.u32(name));
  const strings = escapeTexts(engine, owner, texts, escaped, 'json');
  const shown = shownTexts(engine, owner, { frame, texts });
  const name: RowPart = { kind: 'text', codes: codes('name'), texts: strings };
  const fields = [...FIELDS, ...RAW_FIELDS].map(({ formula }) => formula);
  const formulas = [...fields, END_UNCERTAINTY, ...Object.values(ACCURACY)];
  const numbers = evaluate({ engine, owner }, frame, formulas);
  const { window, isRaw, resolutionMs, format } = options;
  const row: RowPart[] = [
    '{"name":',
    name,
    ',"properties":{',
    ...IDENTITY_COLUMNS.flatMap((column) =>
      column === 'providerID'
        ? [
            member(column, shown.providerId.codes, shown.providerId.texts),
            member('providerIDFull', codes(column), strings),
          ]
        : [member(column, codes(column), strings)],
    ),
    ...TEXT_COLUMNS.flatMap((column) => {
      const { codes: from, texts: of } = column === 'labels' ? shown.labels : { codes: codes(column), texts: texts.at }; // prettier-ignore
      return PROPERTY_NAMES[column].map((as) => member(as, from, of));
    }),
    `},"window":${windowJson(window)}`,
    ...timesAndMembers(frame, FIELDS, numbers),
    ...PAID_COLUMNS.flatMap((column): RowPart[] => [
      `,${jsonKey(column)}`,
      { kind: 'text', codes: codes(column), texts: texts.at, missing: 'null' },
    ]),
    ',"rawAllocationOnly":',
    ...(isRaw ? ['{', ...members(RAW_FIELDS, numbers), '}'] : ['null']),
    ...breakdown({ frame, texts }),
    ...assetShares(engine, owner, set),
    ',"priceSource":',
    { kind: 'text', codes: codes(PRICE_SOURCE), texts: strings, missing: 'null' },
    ',"endSource":"',
    { kind: 'word', codes: codes('endSource'), words: END_SOURCES },
    '","endUncertaintySeconds":',
    jsonNumbers(numbers.get(END_UNCERTAINTY)),
    ...(resolutionMs > 0 ? accuracy(numbers) : []),
    '}',
  ];
  const { rows } = frame;
  if (format.kind === 'ndjson') return compileRow(engine.arena, owner, rows, [...row, '\n']);
  return compileRow(engine.arena, owner, rows, [name, ':', ...row], ',');
}

/** The sources of shared cost, where they are requested. */
export function breakdown({ frame, texts }: CodedFrame): RowPart[] {
  if (!frame.has(BREAKDOWN)) return [];
  const codes = frame.u32(BREAKDOWN).byteOffset;
  return [`,${jsonKey(BREAKDOWN)}`, { kind: 'text', codes, texts: texts.at, missing: 'null' }];
}

/** A bound that is not known, such as the upper one of a single point, is null. */
function accuracy(numbers: FormulaColumns): RowPart[] {
  const { lower, upper } = ACCURACY;
  const [least, most] = [jsonNumbers(numbers.get(lower)), jsonNumbers(numbers.get(upper))];
  return [',"accuracy":{"lower":', least, ',"upper":', most, '}'];
}

/** When rows ran, and numbers, as members that follow others. */
export function timesAndMembers(
  frame: Frame,
  fields: readonly Field[],
  numbers: FormulaColumns,
): RowPart[] {
  return [
    ',"start":"',
    { kind: 'moment', column: frame.f64('startMs').byteOffset },
    '","end":"',
    { kind: 'moment', column: frame.f64('endMs').byteOffset },
    '",',
    ...members(fields, numbers),
  ];
}

/** Numbers as members of a row's object. */
function members(fields: readonly Field[], numbers: FormulaColumns): RowPart[] {
  return fields.flatMap(({ json, formula }, i) => [
    `${i === 0 ? '' : ','}${jsonKey(json)}`,
    jsonNumbers(numbers.get(formula)),
  ]);
}

/** A property, where it is known. */
function member(name: string, codes: number, texts: TextsAt): RowPart {
  return { kind: 'member', literal: `,${jsonKey(name)}`, codes, texts };
}

/** Names of text columns: the interface's, and that of real payloads. */
const PROPERTY_NAMES: Readonly<Record<TextColumn, readonly string[]>> = {
  labels: ['label', 'labels'],
  annotations: ['annotation', 'annotations'],
  services: ['service', 'services'],
  namespaceLabels: ['namespaceLabels'],
  namespaceAnnotations: ['namespaceAnnotations'],
};
