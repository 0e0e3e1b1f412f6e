/** What workers do for assets: stored sets read, grouped and written as text. */
import type { Engine, Owner } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { DamagedSet, SetReader, type StoredSet } from '../storage/index.ts';
import { ASSET_COLUMNS, withTypes } from './columns.ts';
import { AssetGroups, type AssetQuery } from './groups.ts';
import { pageOf, type Paging } from './page.ts';
import { assetCsv, assetJson } from './shown.ts';

export interface AssetsInput {
  /** In order of time: what they come to is one set of the answer. */
  readonly stored: readonly StoredSet[];
  readonly window: Window;
  readonly query: AssetQuery;
  readonly paging: Paging;
  readonly format: 'json' | 'csv';
  /** Of the text, and of what is needed on the way. */
  readonly owner: Owner;
}

/** A stored set that turned out to be damaged: it is left out. */
export interface FoundDamage {
  /** Its place among those that were to be read. */
  readonly place: number;
  readonly message: string;
}

export interface AssetsWritten {
  /** UTF-8 in the arena, one after the other. */
  readonly chunks: readonly { readonly address: number; readonly bytes: number }[];
  readonly damages: readonly FoundDamage[];
}

export type AssetTasks = {
  /** Members of a set's object, or lines. */
  assets: { input: AssetsInput; output: AssetsWritten };
};

const CHUNK_CHARS = 2 ** 20;

export function assetTasks(engine: Engine): {
  readonly assets: (input: AssetsInput) => AssetsWritten;
} {
  const { arena } = engine;
  const reader = new SetReader(arena);
  const write = (owner: Owner, text: string): AssetsWritten['chunks'][number] => {
    const bytes = Buffer.byteLength(text);
    const address = arena.allocate(bytes, owner);
    arena.u8(address, bytes).set(Buffer.from(text));
    return { address, bytes };
  };
  return {
    assets({ stored, window, query, paging, format, owner }) {
      const groups = new AssetGroups(query);
      const damages: FoundDamage[] = [];
      const names = [...ASSET_COLUMNS.texts, ...ASSET_COLUMNS.numbers];
      stored.forEach((set, place) => {
        try {
          groups.add(withTypes(reader.read(set, owner, names).table));
        } catch (error) {
          if (!(error instanceof DamagedSet)) throw error;
          damages.push({ place, message: error.message });
        }
      });
      const chunks: AssetsWritten['chunks'][number][] = [];
      let text = '';
      pageOf(groups.all, paging).forEach((group, i) => {
        text +=
          format === 'csv' ? assetCsv(group) : `${i > 0 ? ',' : ''}${assetJson(group, window)}`;
        if (text.length < CHUNK_CHARS) return;
        chunks.push(write(owner, text));
        text = '';
      });
      if (text !== '') chunks.push(write(owner, text));
      return { chunks, damages };
    },
  };
}
