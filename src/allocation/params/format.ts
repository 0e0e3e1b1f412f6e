/** Formats of an answer. */
import type { Window } from '../../query/index.ts';

export type Format =
  | { readonly kind: 'json' }
  /** One row a line, of all sets. */
  | { readonly kind: 'ndjson' }
  /** A stream of record batches, one a set. */
  | { readonly kind: 'arrow' }
  | {
      readonly kind: 'csv';
      /** Every field, and a column for each part of the name; else the columns clients know. */
      readonly isFull: boolean;
      /** Places after the point, in [0, 20]; null keeps every digit. */
      readonly decimals: number | null;
    };

export const MEDIA_TYPES: Readonly<Record<Format['kind'], string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  // https://www.iana.org/assignments/media-types/application/vnd.apache.arrow.stream
  arrow: 'application/vnd.apache.arrow.stream',
  csv: 'text/csv; charset=utf-8',
};

/** Whether a format shows the volumes and load balancers that rows pay for. */
export function hasPaid({ kind }: Format, isRaw: boolean): boolean {
  return kind === 'json' || kind === 'ndjson' || (kind === 'arrow' && isRaw);
}

/** Formats that an Accept header can select. */
export const ACCEPTED_FORMATS = ['json', 'ndjson', 'arrow'] as const;
export type AcceptedFormat = (typeof ACCEPTED_FORMATS)[number];

/** Options of writing the rows of a set. */
export interface RowOptions {
  readonly window: Window;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  /** Neither aggregated nor accumulated: raw maxima are shown. */
  readonly isRaw: boolean;
  readonly format: Format;
}
