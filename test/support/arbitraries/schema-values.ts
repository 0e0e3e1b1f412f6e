/** Values of a JSON Schema, and values that miss it by one place. */
import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;
type Json = fc.JsonValue;

const LEAST = -1e6;
const MOST = 1e6;
const ITEMS_MAX = 3;
/** Texts that mean something to some route. */
const WORDS = [
  'web',
  'Deployment',
  'production',
  'namespace:"web"',
  '100m',
  '64Mi',
  '2024-05-01',
  'é"\\',
];

/** Values that the schema accepts, but for bounds that only code knows. */
export function fittingValue(schema: Schema): fc.Arbitrary<Json> {
  const { anyOf, enum: words, const: only } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as Schema[]).map(fittingValue));
  if (Array.isArray(words)) return fc.constantFrom(...(words as Json[]));
  if (only !== undefined) return fc.constant(only as Json);
  const types = [schema['type'] ?? []].flat() as string[];
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...types.map((type) => (OF_TYPE[type] ?? fc.jsonValue)(schema)));
}

const OF_TYPE: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<Json>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  string: textOf,
  integer: (schema) => fc.integer(boundsOf(schema)),
  number: (schema) => fc.double({ ...boundsOf(schema), noNaN: true }),
  array: ({ items = {}, maxItems = ITEMS_MAX }) =>
    fc.array(fittingValue(items as Schema), { maxLength: Math.min(ITEMS_MAX, Number(maxItems)) }),
  object: objectOf,
};

function textOf({ maxLength = 40, pattern }: Schema): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { maxLength: 12 });
  return fc.oneof(
    fc.constantFrom(...WORDS),
    fc.string({ maxLength: Math.min(40, Number(maxLength)) }),
  );
}

function boundsOf({ minimum, exclusiveMinimum, maximum }: Schema): { min: number; max: number } {
  return {
    min: Number(minimum ?? exclusiveMinimum ?? LEAST),
    max: Math.min(Number(maximum ?? MOST), 2 ** 31 - 1),
  };
}

function objectOf(schema: Schema): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties: more, propertyNames = {} } = schema;
  const members = Object.entries(properties as Readonly<Record<string, Schema>>);
  const known = fc.record(
    Object.fromEntries(members.map(([name, each]) => [name, fittingValue(each)])),
    { requiredKeys: required as string[] },
  );
  if (typeof more !== 'object' || more === null) return known as fc.Arbitrary<Json>;
  const names = fittingValue({ type: 'string', ...(propertyNames as Schema) }).map(String);
  const others = fc.dictionary(names, fittingValue(more as Schema), { maxKeys: 2 });
  return fc.tuple(known, others).map(([a, b]) => ({ ...b, ...a }) as Json);
}

const STRANGE: readonly Json[] = [null, true, -1, 0, 1e300, '', 'x', [], {}, [[]], '__proto__'];

/** A value with one of its places changed, left out or added. */
export function nearlyFitting(schema: Schema): fc.Arbitrary<Json> {
  return fc
    .tuple(fittingValue(schema), fc.nat(), fc.constantFrom(...STRANGE), fc.nat({ max: 2 }))
    .map(([value, place, other, how]) => {
      const places = placesOf(value);
      return changed(value, places[place % places.length] ?? [], other, how);
    });
}

type Path = readonly (string | number)[];

/** Each place of a value; the first is the value itself. */
function placesOf(value: Json): Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const below = Object.entries(value).flatMap(([key, each]) =>
    placesOf(each as Json).map((path): Path => [key, ...path]),
  );
  return [[], ...below];
}

function changed(value: Json, [key, ...rest]: Path, other: Json, how: number): Json {
  if (key === undefined || typeof value !== 'object' || value === null) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && how === 2 ? { ...value, unheardOf: other } : other;
  }
  if (rest.length === 0 && how === 0) return without(value, key);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const own = (copy as Record<string, Json>)[key] ?? null;
  (copy as Record<string, Json>)[key] = changed(own, rest, other, how);
  return copy as Json;
}

function without(value: object, key: string | number): Json {
  if (Array.isArray(value)) return value.filter((_, i) => i !== Number(key)) as Json;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== String(key))) as Json;
}
