/**
 * The answer of Prometheus' HTTP API to an instant query on a range selector
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors): a `matrix` of raw
 * samples, `[seconds, "value"]`, and what the store says of the whole.
 */
import { parseDecimal, parseValue } from './decimal.ts';
import { BrokenJson, type JsonPlace, type JsonToken } from './json-scan.ts';
import { LabelCollector, SampleColumns } from './series-batches.ts';

/** What stands beside the series. */
export interface AnswerNotes {
  status: string;
  resultType: string;
  errorType: string;
  error: string;
  /** Warnings and infos, and that a part is missing. */
  readonly warnings: string[];
}

export function emptyNotes(): AnswerNotes {
  return { status: '', resultType: '', errorType: '', error: '', warnings: [] };
}

/** @param onSeries gets each series once it is complete; labels encoded, columns to be copied */
export function rangeVectors(
  notes: AnswerNotes,
  onSeries: (labels: Uint8Array, samples: SampleColumns) => void,
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
      ['result', { item: seriesPlace(onSeries) }],
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

function seriesPlace(onSeries: (labels: Uint8Array, samples: SampleColumns) => void): JsonPlace {
  const labels = new LabelCollector();
  const samples = new SampleColumns();
  return {
    fields: new Map<string, JsonPlace>([
      ['metric', { anyField: { value: (token) => labels.add(token.field, token.text()) } }],
      ['values', { item: samplePlace(samples) }],
    ]),
    leave() {
      onSeries(labels.take(), samples);
      samples.clear();
    },
  };
}

function samplePlace(samples: SampleColumns): JsonPlace {
  let parts = 0;
  const value = ({ bytes, from, to }: JsonToken): void => {
    if (parts++ === 0) samples.pushTime(Math.round(parseDecimal(bytes, from, to) * 1000));
    else samples.pushValue(parseValue(bytes, from, to) ?? undefinedValue());
  };
  return {
    item: { value },
    enter: () => void (parts = 0),
    leave: () => {
      const ms = samples.timesMs[samples.timeCount - 1];
      if (parts !== 2 || ms !== ms) throw new BrokenJson('damaged', 'a sample is not a pair');
    },
  };
}

function undefinedValue(): never {
  throw new BrokenJson('damaged', 'a value is not a number');
}
