/** Parts of the rows of a page of recommendations. */
import {
  escapeTexts,
  type Dictionary,
  type Engine,
  type Frame,
  type Owner,
  type RowPart,
  type TextForm,
} from '../../columnar/index.ts';
import { jsonNumbers } from '../../export/index.ts';
import { KEYS } from '../demand/demand-at.ts';
import type { RecommendedNumber } from './requests-and-savings.ts';

export interface Page {
  /** KEYS and METADATA as codes of `texts`, RECOMMENDED_NUMBERS; a row each, in order. */
  readonly frame: Frame;
  readonly texts: Dictionary;
  readonly owner: Owner;
  readonly keeper: Owner;
}

/** Texts of KEYS, escaped. */
export function textsOf(
  engine: Engine,
  { frame, texts, keeper }: Page,
  form: TextForm,
): (name: string) => RowPart {
  const columns = KEYS.map((name) => frame.u32(name));
  const escaped = escapeTexts(engine, keeper, texts, columns, form);
  return (name) => ({ kind: 'text', codes: frame.u32(name).byteOffset, texts: escaped });
}

export function numbersOf(frame: Frame): (name: RecommendedNumber) => RowPart {
  return (name) => jsonNumbers(frame.f64(name).byteOffset);
}
