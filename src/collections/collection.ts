/** Collections as clients send them, checked once. */
import { comparisonsIn, Fault, shapeOf, type Filter, type Shape } from '../query/index.ts';
import type { Selection } from './selection.ts';

/** A group selects rows of one domain, or of both. */
export interface Group {
  selectors: {
    kubernetes?: { kind?: 'container'; filterString: string };
    cloud?: { filterString: string };
  };
}

/** A collection without the fields that the server sets. */
export interface Draft {
  name: string;
  category: string;
  groups: Group[];
}

export interface Collection extends Draft {
  /** A UUID. */
  readonly id: string;
}

/** A draft with its filters parsed. */
export interface Checked {
  readonly draft: Draft;
  readonly groups: readonly Selection[];
}

/** Parses a filter of a domain; null: everything. @throws {Fault} naming `parameter` and the place */
export type ReadFilter = (text: string, parameter: string) => Filter | null;
export type FilterReaders = Readonly<Record<keyof Selection, ReadFilter>>;

export const EXAMPLE: string =
  '{"name":"Shop","category":"Team","groups":[{"selectors":{"kubernetes":' +
  '{"kind":"container","filterString":"namespace:\\"shop\\""}}}]}';

const NAME_MAX = 200;
const GROUPS_MAX = 200;
/** Comparisons of one filter; a comparison with many values counts once. */
const COMPARISONS_MAX = 500;

interface Body extends Partial<Draft> {
  name: string;
  id?: string;
}

export const bodyOf: Shape<Body> = shapeOf<Body>(
  {
    type: 'object',
    properties: {
      id: { type: 'string', nullable: true },
      name: { type: 'string' },
      category: { type: 'string', maxLength: NAME_MAX, nullable: true },
      groups: {
        type: 'array',
        maxItems: GROUPS_MAX,
        nullable: true,
        items: {
          type: 'object',
          properties: {
            selectors: {
              type: 'object',
              properties: {
                kubernetes: {
                  type: 'object',
                  nullable: true,
                  properties: {
                    kind: { type: 'string', enum: ['container'], nullable: true },
                    filterString: { type: 'string' },
                  },
                  required: ['filterString'],
                  additionalProperties: false,
                },
                cloud: {
                  type: 'object',
                  nullable: true,
                  properties: { filterString: { type: 'string' } },
                  required: ['filterString'],
                  additionalProperties: false,
                },
              },
              additionalProperties: false,
            },
          },
          required: ['selectors'],
          additionalProperties: false,
        },
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  EXAMPLE,
);

/**
 * @param value a parsed body
 * @param what for messages, such as `the body`
 * @param id the body may repeat it; undefined: the collection has no id yet
 * @throws {Fault} naming the field, and the character of a filter
 */
export function checkCollection(
  value: unknown,
  what: string,
  readers: FilterReaders,
  id?: string,
): Checked {
  const body = bodyOf(value, what);
  if (typeof body.id === 'string' && body.id.toLowerCase() !== id) throw otherId(what, body.id, id);
  const draft = {
    name: nameIn(body.name, what),
    category: (body.category ?? '').trim(),
    groups: (body.groups ?? []).map(plainGroup),
  };
  const groups = draft.groups.map((group, place) => selectionOf(group, place, readers));
  return { draft, groups };
}

function otherId(what: string, sent: string, id: string | undefined): Fault {
  const shown = sent.slice(0, 80);
  return id === undefined
    ? new Fault(`'id' of ${what} is '${shown}': a new collection is given its id`, {
        parameter: 'id',
        hint: 'leave it out; PUT /collection?id=… changes a collection',
      })
    : new Fault(`'id' of ${what} is '${shown}', not the one that is asked for, ${id}`, {
        parameter: 'id',
        hint: 'leave it out: ids do not change',
      });
}

function nameIn(text: string, what: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= NAME_MAX && !/\p{Cc}/u.test(name)) return name;
  throw new Fault(
    `'name' of ${what} has ${name.length} characters; it takes 1 to ${NAME_MAX}, on one line`,
    { parameter: 'name', hint: `for example ${EXAMPLE}` },
  );
}

/** Leaves out members that were sent as null. */
function plainGroup({ selectors: { kubernetes, cloud } }: Group): Group {
  return {
    selectors: {
      ...(kubernetes
        ? { kubernetes: { kind: 'container', filterString: kubernetes.filterString } }
        : {}),
      ...(cloud ? { cloud: { filterString: cloud.filterString } } : {}),
    },
  };
}

function selectionOf({ selectors }: Group, place: number, readers: FilterReaders): Selection {
  const at = `groups[${place}].selectors`;
  if (selectors.kubernetes === undefined && selectors.cloud === undefined) {
    throw new Fault(`'${at}' of the body is empty; it takes kubernetes or cloud`, {
      parameter: at,
      hint: `for example ${EXAMPLE}`,
    });
  }
  const read = (domain: keyof Selection): readonly (Filter | null)[] => {
    const text = selectors[domain]?.filterString;
    if (text === undefined) return [];
    const parameter = `${at}.${domain}.filterString`;
    const filter = readers[domain](text, parameter);
    if (filter !== null && comparisonsIn(filter) > COMPARISONS_MAX) throw tooLong(parameter);
    return [filter];
  };
  return { kubernetes: read('kubernetes'), cloud: read('cloud') };
}

function tooLong(parameter: string): Fault {
  return new Fault(`'${parameter}' has more than ${COMPARISONS_MAX} comparisons`, {
    parameter,
    hint: 'give alternatives as one list of values, which may have any length',
  });
}
