/** The `aggregate` parameter of charges: what they are grouped by. */
import { Fault, refuse, storeName } from '../../query/index.ts';
import type { ChargeField } from './charge-field.ts';

/** A field by name, or the value of `label` of a map. */
export interface ChargeKey {
  readonly field: string;
  readonly label: string | null;
}

const MAX_KEYS = 32;

/**
 * Reads a comma list such as `service,label:team`: names in any case, blanks around items and empty
 * items ignored, repeats dropped, in order.
 *
 * @throws {Fault} naming the item that is no field, or above 32 keys
 */
export function readChargeKeys(text: string, fields: readonly ChargeField[]): ChargeKey[] {
  const keys = new Map<string, ChargeKey>();
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    const key = readKey(item, fields);
    if (key === undefined) throw notOffered(item, fields);
    keys.set(`${key.field}:${key.label ?? ''}`, key);
    if (keys.size > MAX_KEYS) throw tooMany();
  }
  return [...keys.values()];
}

function readKey(item: string, fields: readonly ChargeField[]): ChargeKey | undefined {
  const colon = item.indexOf(':');
  const typed = (colon < 0 ? item : item.slice(0, colon)).trimEnd().toLowerCase();
  const field = fields.find(({ name, aliases = [] }) =>
    [name, ...aliases].some((each) => each.toLowerCase() === typed),
  );
  if (field === undefined) return undefined;
  const label = colon < 0 ? '' : storeName(item.slice(colon + 1).trim());
  if (field.isMap === true) return label === '' ? undefined : { field: field.name, label };
  return colon < 0 ? { field: field.name, label: null } : undefined;
}

function notOffered(item: string, fields: readonly ChargeField[]): Fault {
  const offered = fields.map(({ name, isMap }) => (isMap === true ? `${name}:<name>` : name));
  const plain = fields.filter(({ isMap }) => isMap !== true).map(({ name }) => name);
  const example = plain.slice(-2).join(',');
  return refuse('aggregate', item, `one of ${offered.join(', ')}`, example, offered);
}

function tooMany(): Fault {
  return new Fault(`parameter 'aggregate': at most ${MAX_KEYS} different keys are accepted`, {
    parameter: 'aggregate',
    hint: 'group by fewer',
  });
}
