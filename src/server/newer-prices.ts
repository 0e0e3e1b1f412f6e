/** List prices that an operator put into the data folder: read once at the start of a process. */
import type { NewerPrices, NodeType } from '../pricing/index.ts';
import { StoredDocument } from '../storage/index.ts';

const NAME = 'prices';

/**
 * @param note gets a sentence where what is stored is damaged: then the list of the program counts
 * @throws {Unavailable} when the disk does not answer, or a later version wrote it
 */
export async function readNewerPrices(
  folder: string | undefined,
  note: (sentence: string) => void,
): Promise<NewerPrices | undefined> {
  if (folder === undefined) return undefined;
  const document = new StoredDocument({ folder, name: NAME });
  const found = await document.read();
  if (found === undefined) return undefined;
  if ('damage' in found) {
    note(`${document.path} is damaged (${found.damage}): the list of the program counts`);
    return undefined;
  }
  const { collected, types } = JSON.parse(found.text) as StoredPrices;
  return { collected, types: types.map(typeOf) };
}

/** Replaces what was stored before, whole. @throws {Unavailable} and what was stored counts */
export async function writeNewerPrices(folder: string, newer: NewerPrices): Promise<string> {
  const document = new StoredDocument({ folder, name: NAME });
  await document.write(JSON.stringify(newer));
  return document.path;
}

/** JSON has no NaN: a spot price that is not known is null. */
interface StoredPrices {
  readonly collected: string;
  readonly types: readonly (Omit<NodeType, 'spotUsdPerHour'> & {
    readonly spotUsdPerHour: number | null;
  })[];
}

function typeOf(type: StoredPrices['types'][number]): NodeType {
  return { ...type, spotUsdPerHour: type.spotUsdPerHour ?? NaN };
}
