/**
 * What `meta.json` tells of a block, with what Thanos and Mimir add
 * (https://thanos.io/tip/thanos/storage.md/#metadata-file-metajson):
 *
 * ```
 *   "thanos": { "labels": { "cluster": "a", "replica": "0" }, "downsample": { "resolution": 0 } }
 * ```
 */
import { shapeOf, type Shape } from '../../query/index.ts';
import { decodeMeta, type BlockMeta } from '../../tsdb/index.ts';

export interface StoredBlock extends BlockMeta {
  /** External labels, in order of their names; none where Prometheus alone wrote it. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** 0: samples as they were scraped; else the interval of what they were reduced to, in ms. */
  readonly resolutionMs: number;
  /** When its meta.json was written, Unix ms. */
  readonly uploadedMs: number;
  /** Whether it waits for its deletion. */
  readonly isMarked: boolean;
}

interface Extras {
  readonly thanos?: {
    readonly labels?: Record<string, string>;
    readonly downsample?: { readonly resolution: number };
  };
}

const readExtras: Shape<Extras> = shapeOf<Extras>(
  {
    type: 'object',
    required: [],
    properties: {
      thanos: {
        type: 'object',
        nullable: true,
        required: [],
        properties: {
          labels: {
            type: 'object',
            nullable: true,
            required: [],
            additionalProperties: { type: 'string' },
          },
          downsample: {
            type: 'object',
            nullable: true,
            required: ['resolution'],
            properties: { resolution: { type: 'integer', minimum: 0 } },
          },
        },
      },
    },
  },
  '{"thanos":{"labels":{"cluster":"a"},"downsample":{"resolution":0}}}',
);

/** @throws {Error} a Fault or another that says what is wrong */
export function decodeStoredMeta(
  text: string,
  ulid: string,
): Pick<StoredBlock, keyof BlockMeta | 'labels' | 'resolutionMs'> {
  const meta = decodeMeta(text);
  if (meta.ulid !== ulid) throw new Error(`it is of block ${meta.ulid}`);
  const { thanos } = readExtras(JSON.parse(text), 'the block');
  const labels = Object.entries(thanos?.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...meta, labels, resolutionMs: thanos?.downsample?.resolution ?? 0 };
}
