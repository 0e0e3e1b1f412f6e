/** In which form an answer is written. */

export type Format =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'csv';
      /** Every field, and a column for each part of the name; else the columns clients know. */
      readonly isFull: boolean;
      /** Places after the point, in [0, 20]; null keeps every digit. */
      readonly decimals: number | null;
    };

export const MEDIA_TYPES: Readonly<Record<Format['kind'], string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
};
