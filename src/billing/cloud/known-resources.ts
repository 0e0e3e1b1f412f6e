/** Known resources of a bill. A bill has many more resources than any other room knows of. */
import type { DerivedColumn } from '../charges/index.ts';
import { resourceKey } from '../../query/index.ts';

/** Column of the provider ids of known resources, '' for the others. */
export const KNOWN = 'knownResource';

/** @param known resources as `resourceKey` spells them; null: all */
export function knownResource(known: ReadonlySet<string> | null): DerivedColumn {
  return {
    name: KNOWN,
    from: 'providerID',
    derive({ codes, texts }) {
      if (known === null) return { codes, texts };
      const none = texts.size;
      const isKnown = Array.from({ length: none }, (_, code) =>
        known.has(resourceKey(texts.text(code))),
      );
      return {
        codes: codes.map((code) => (isKnown[code] === true ? code : none)),
        texts: { size: none + 1, text: (code) => (code === none ? '' : texts.text(code)) },
      };
    },
  };
}
