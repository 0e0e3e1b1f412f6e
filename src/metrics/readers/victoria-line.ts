/**
 * One line of VictoriaMetrics' export: `{"metric":{…},"values":[…],"timestamps":[ms,…]}`. A value
 * is a number, `null` for an end marker, or an infinity: `"Infinity"`, in older versions (1.79) a bare
 * `+Inf`. Ordinary NaN never comes, as it is dropped on write.
 */
import { parseDecimal, parseValue } from './decimal.ts';
import { BrokenJson, type JsonPlace } from './json-scan.ts';
import { LabelCollector, SampleColumns, type SeriesBatches } from './series-batches.ts';

/** The place of a line; its series is written into `batches` when the line is complete. */
export function exportLine(batches: SeriesBatches): JsonPlace {
  const labels = new LabelCollector();
  const columns = new SampleColumns();
  const metric: JsonPlace = {
    anyField: { value: (token) => labels.add(token.field, token.text()) },
  };
  const values: JsonPlace = {
    item: {
      value({ bytes, from, to, isNull }) {
        if (isNull) return columns.pushStale();
        const value = parseValue(bytes, from, to);
        if (value === undefined) throw new BrokenJson('damaged', 'a value is not a number');
        columns.pushValue(value);
      },
    },
  };
  const timestamps: JsonPlace = {
    item: {
      value({ bytes, from, to }) {
        const ms = parseDecimal(bytes, from, to);
        if (!Number.isInteger(ms)) throw new BrokenJson('damaged', 'a timestamp is not one');
        columns.pushTime(ms);
      },
    },
  };
  return {
    fields: new Map([
      ['metric', metric],
      ['values', values],
      ['timestamps', timestamps],
    ]),
    leave() {
      const { timeCount, valueCount } = columns;
      if (timeCount !== valueCount)
        throw new BrokenJson('damaged', `${valueCount} values at ${timeCount} times`);
      batches.write(labels.take(), columns.samples());
      columns.clear();
    },
  };
}
