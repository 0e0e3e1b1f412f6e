/**
 * A block's meta.json. Prometheus writes it without a checksum; ours has one under a key of our own, which
 * Prometheus passes over, with the lengths of the files.
 */
import { shapeOf, type Shape } from '../../query/index.ts';
import { crc32c } from './crc32c.ts';
import type { BlockRange } from './series.ts';

export interface BlockMeta extends BlockRange {
  readonly ulid: string;
  readonly samples: number;
  readonly series: number;
  readonly chunks: number;
  /** 1 for what was cut from the head, one more with each merge. */
  readonly level: number;
  /** Blocks of level 1 whose samples it has. */
  readonly sources: readonly string[];
  /** Blocks that it was merged of, which are not read beside it. */
  readonly parents: readonly BlockParent[];
  /** Absent where Prometheus wrote the block. */
  readonly files?: BlockFiles;
}

export interface BlockParent extends BlockRange {
  readonly ulid: string;
}

/** Lengths in bytes. */
export interface BlockFiles {
  readonly index: number;
  readonly chunks: readonly number[];
}

interface ParentJson {
  readonly ulid: string;
  readonly minTime: number;
  readonly maxTime: number;
}

interface MetaJson extends ParentJson {
  readonly stats: {
    readonly numSamples: number;
    readonly numSeries: number;
    readonly numChunks: number;
  };
  readonly compaction: {
    readonly level: number;
    readonly sources: string[];
    readonly parents?: ParentJson[];
  };
  readonly version: number;
  readonly prorata?: {
    readonly index: number;
    readonly chunks: number[];
    readonly crc32c: number;
  };
}

const time = { type: 'integer', minimum: -(2 ** 51), maximum: 2 ** 51 } as const;
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const ulid = { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' } as const;

const readShape: Shape<MetaJson> = shapeOf<MetaJson>(
  {
    type: 'object',
    required: ['ulid', 'minTime', 'maxTime', 'stats', 'compaction', 'version'],
    properties: {
      ulid,
      minTime: time,
      maxTime: time,
      stats: {
        type: 'object',
        required: ['numSamples', 'numSeries', 'numChunks'],
        properties: { numSamples: count, numSeries: count, numChunks: count },
      },
      compaction: {
        type: 'object',
        required: ['level', 'sources'],
        properties: {
          level: count,
          sources: { type: 'array', items: ulid },
          parents: {
            type: 'array',
            nullable: true,
            items: {
              type: 'object',
              required: ['ulid', 'minTime', 'maxTime'],
              properties: { ulid, minTime: time, maxTime: time },
            },
          },
        },
      },
      version: { type: 'integer', const: 1 },
      prorata: {
        type: 'object',
        nullable: true,
        required: ['index', 'chunks', 'crc32c'],
        properties: { index: count, chunks: { type: 'array', items: count }, crc32c: count },
      },
    },
  },
  '{"ulid":"01HZZZZZZZZZZZZZZZZZZZZZZZ","minTime":0,"maxTime":7200000,"version":1}',
);

export function encodeMeta(meta: BlockMeta): string {
  const body = bodyOf(meta);
  const { files } = meta;
  if (files === undefined) return JSON.stringify(body);
  const prorata = { index: files.index, chunks: files.chunks };
  const crc = checksumOf({ ...body, prorata });
  return `${JSON.stringify({ ...body, prorata: { ...prorata, crc32c: crc } }, null, '\t')}\n`;
}

/** @throws {Error} a Fault or another that says what is wrong */
export function decodeMeta(text: string): BlockMeta {
  const json = readShape(JSON.parse(text), 'the block');
  const { stats, compaction, prorata } = json;
  const meta: BlockMeta = {
    ulid: json.ulid,
    startMs: json.minTime,
    endMs: json.maxTime,
    samples: stats.numSamples,
    series: stats.numSeries,
    chunks: stats.numChunks,
    level: compaction.level,
    sources: compaction.sources,
    parents: (compaction.parents ?? []).map((parent) => ({
      ulid: parent.ulid,
      startMs: parent.minTime,
      endMs: parent.maxTime,
    })),
  };
  if (meta.startMs >= meta.endMs) throw new Error('it ends before it begins');
  if (prorata === undefined || prorata === null) return meta;
  const files = { index: prorata.index, chunks: prorata.chunks };
  if (checksumOf({ ...bodyOf(meta), prorata: files }) !== prorata.crc32c)
    throw new Error('its checksum is wrong');
  return { ...meta, files };
}

function bodyOf(meta: BlockMeta): Omit<MetaJson, 'prorata'> {
  const { parents } = meta;
  return {
    ulid: meta.ulid,
    minTime: meta.startMs,
    maxTime: meta.endMs,
    stats: { numSamples: meta.samples, numSeries: meta.series, numChunks: meta.chunks },
    compaction: {
      level: meta.level,
      sources: [...meta.sources],
      ...(parents.length === 0
        ? {}
        : {
            parents: parents.map(({ ulid: parent, startMs, endMs }) => ({
              ulid: parent,
              minTime: startMs,
              maxTime: endMs,
            })),
          }),
    },
    version: 1,
  };
}

/** The checksum of its values in an order of their own, whatever the layout of the text. */
function checksumOf(values: object): number {
  return crc32c(Buffer.from(JSON.stringify(values)));
}
