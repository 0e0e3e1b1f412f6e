/** Stores collections of all servers of a bucket, in an object beside their sets. */
import { StoredDocument } from '../storage/index.ts';
import { SharedValue, type SharedValueOptions } from '../storage/objects/shared-value.ts';
import type { FilterReaders } from './collection.ts';
import type { CollectionStore } from './collection-store.ts';
import { stateIn, textOf } from './collection-text.ts';
import { NO_COLLECTIONS, type State } from './state.ts';

const NAME = 'collections';

export interface SharedCollectionsOptions extends Omit<
  SharedValueOptions<State>,
  'name' | 'text' | 'nothing'
> {
  readonly readers: FilterReaders;
  /** Its collections become those of the bucket, where it has none. */
  readonly folder: string | undefined;
}

/** @throws {Unavailable} when the bucket does not answer */
export async function openSharedCollections(
  options: SharedCollectionsOptions,
): Promise<CollectionStore> {
  const { readers, folder, note } = options;
  const text = {
    textOf,
    valueIn: (written: string, before: State) => stateIn(written, readers, before),
  };
  const shared = await SharedValue.open({ ...options, name: NAME, text, nothing: NO_COLLECTIONS });
  if (folder !== undefined && !shared.isStored) {
    const document = new StoredDocument({ folder, name: NAME });
    const found = await document.read();
    const read = found !== undefined && 'text' in found ? stateIn(found.text, readers) : found;
    if (read !== undefined && 'damage' in read)
      note(`${document.path} cannot be used: ${read.damage}`); // prettier-ignore
    else if (read !== undefined) {
      await shared.begin(read.value);
      note(`the collections of ${document.path} are in the store now, which has had none`);
    }
  }
  return shared.follow();
}
