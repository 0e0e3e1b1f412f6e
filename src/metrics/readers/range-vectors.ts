/**
 * The answer of Prometheus' HTTP API to an instant query on a range selector
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors): a `matrix` of raw
 * samples, `[seconds, "value"]`, and the store's notes.
 */
import type { JsonPlace } from './json-scan.ts';

/** Fields of the answer beside the series. */
export interface AnswerNotes {
  status: string;
  resultType: string;
  errorType: string;
  error: string;
  /** Warnings and infos, and a note if a part is missing. */
  readonly warnings: string[];
}

export function emptyNotes(): AnswerNotes {
  return { status: '', resultType: '', errorType: '', error: '', warnings: [] };
}

/** @param result reads the series */
export function rangeVectors(
  notes: AnswerNotes,
  result: NonNullable<JsonPlace['array']>,
): JsonPlace {
  const text = (key: 'status' | 'error' | 'errorType' | 'resultType'): JsonPlace => ({
    value: (token) => void (notes[key] = token.text()),
  });
  const warnings: JsonPlace = { item: { value: (token) => notes.warnings.push(token.text()) } };
  const isPartial: JsonPlace = {
    value: (token) => {
      if (token.text() === 'true') notes.warnings.push('the answer is partial');
    },
  };
  const data: JsonPlace = {
    fields: new Map([
      ['resultType', text('resultType')],
      ['result', { array: result }],
    ]),
  };
  return {
    fields: new Map([
      ['status', text('status')],
      ['errorType', text('errorType')],
      ['error', text('error')],
      ['warnings', warnings],
      ['infos', warnings],
      ['isPartial', isPartial],
      ['data', data],
    ]),
  };
}
