/** Requests made of the document of the API: its paths, parameters and bodies, with values that fit, nearly fit, and do not. */
import fc from 'fast-check';
import type { ApiOperation, ApiParameter, DescribedApi } from '../described-answers.ts';
import type { RecordedRequest } from '../recorded-request.ts';
import { PUSH_TOKEN } from '../stores/pushes.ts';
import { fittingValue, nearlyFitting } from './schema-values.ts';

/** Stands for the id of the collection that was made under this name. */
const MADE = '{fuzzed}';
/** A server without an issuer does not have them. */
const OF_LOGINS = /\/(login|logout)(\/|$)/;
const WINDOWS = [
  '2024-05-01,2024-05-03', '1d', '2d', 'today', 'yesterday', '12h', '2024-05-02T10:00:00Z,2024-05-02T10:20:00Z',
  '2024-05-02T00:00:00Z,2024-05-02T23:59:59Z', '1714608000,1714694400', '2h offset 3h', 'lastweek', '2024-05-02',
]; // prettier-ignore
const AGGREGATES = [
  'namespace', 'cluster', 'label:app', 'namespace,controller', 'pod', 'node', 'service', 'annotation:owner', 'all', 'type', 'name',
]; // prettier-ignore
const FILTERS = [
  'namespace:"web"',
  'cluster!:"production"+namespace:"web","data"',
  '(label[app]:"shop"|pod~:"a")',
];
const STRANGE = [
  '', '-1', '1e9', 'NaN', 'Infinity', 'a:b', '"', '(((', ',', ',,a', 'x'.repeat(300), '\u00e9\u{1f600}', '0', 'true', '%00', '\u0000',
  '9'.repeat(20), '2024-02-30', '-1d', '0d', '99999999d', 'a=b&c', '__proto__', 'constructor', '../a', 'label:', '*', '1.5',
]; // prettier-ignore
const ACCEPTED = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'application/vnd.apache.arrow.stream',
  '*/*',
  'x',
];

/** Operations by method and path, but those of signing in. */
export function operationsOf({ document }: DescribedApi): [string, string, ApiOperation][] {
  return Object.entries(document.paths)
    .filter(([path]) => !OF_LOGINS.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, ApiOperation] => [
        method.toUpperCase(),
        path,
        operation,
      ]),
    );
}

export function describedRequest(api: DescribedApi): fc.Arbitrary<RecordedRequest> {
  const foreign = Object.values(api.document.components.parameters);
  return fc.constantFrom(...operationsOf(api)).chain(([method, path, operation]) =>
    fc
      .record({
        server: often<RecordedRequest['server']>('filled', 'empty'),
        query: queryOf(api.parametersOf(operation), foreign),
        body: bodyOf(operation),
        isHead: rarely,
        token: often(PUSH_TOKEN, 'wrong'),
        accept: fc.option(fc.constantFrom(...ACCEPTED), { freq: 4 }),
        type: often('', ...Object.keys(operation.requestBody?.content ?? {}), 'text/plain'),
      })
      .map(({ server, query, body, isHead, token, accept, type }) => ({
        server,
        method: isHead && method === 'GET' ? 'HEAD' : method,
        path: query === '' ? path : `${path}?${query}`,
        headers: {
          authorization: `Bearer ${token}`,
          ...(accept === null ? {} : { accept }),
          ...(type === '' || body === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body }),
      })),
  );
}

const rarely = fc.integer({ min: 1, max: 16 }).map((one) => one === 1);

/** The first, and now and then one of the others. */
function often<Value>(first: Value, ...others: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(first) },
    { weight: 1, arbitrary: fc.constantFrom(first, ...others) },
  );
}

/** Required parameters, most often, and up to five others; now and then one twice, or of another operation. */
function queryOf(
  parameters: readonly ApiParameter[],
  foreign: readonly ApiParameter[],
): fc.Arbitrary<string> {
  const [required, others] = [true, false].map((is) =>
    parameters.filter((parameter) => parameter.required === is).map(is ? neededPair : pairOf),
  ) as [fc.Arbitrary<string>[], fc.Arbitrary<string>[]];
  const few = fc.subarray(others, { maxLength: Math.min(5, others.length) });
  const more = fc.oneof(
    { weight: 8, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...foreign)
        .chain(pairOf)
        .map((pair) => [pair]),
    },
  );
  return fc
    .tuple(fc.integer({ min: 1, max: 20 }), few, more, rarely)
    .chain(([chance, some, strange, isTwice]) =>
      fc.tuple(
        ...(chance === 1 ? [] : required),
        ...some,
        ...(isTwice ? some.slice(0, 1) : []),
        fc.constant(strange),
      ),
    )
    .map((pairs) => pairs.flat().join('&'));
}

function pairOf(parameter: ApiParameter): fc.Arbitrary<string> {
  return fc
    .tuple(nameOf(parameter.name), valueOf(parameter))
    .map(([name, value]) => `${name}=${value === MADE ? MADE : encodeURIComponent(value)}`);
}

/** Most often the example: the rest of a request is not read where it is refused. */
function neededPair(parameter: ApiParameter): fc.Arbitrary<string> {
  const { name, example } = parameter;
  const usual = fc.constant(`${name}=${encodeURIComponent(String(example))}`);
  return fc.oneof({ weight: 1, arbitrary: usual }, { weight: 1, arbitrary: pairOf(parameter) });
}

/** As it is described; now and then in another case, or misspelled. */
function nameOf(name: string): fc.Arbitrary<string> {
  return often(name, name.toLowerCase(), name.toUpperCase(), name.slice(0, -1), `${name}s`);
}

function valueOf(parameter: ApiParameter): fc.Arbitrary<string> {
  const fitting = fittingText(parameter);
  return fc.oneof(
    { weight: 12, arbitrary: fitting },
    { weight: 2, arbitrary: nearly(fitting) },
    { weight: 1, arbitrary: beside(parameter) },
    { weight: 1, arbitrary: fc.constantFrom(...STRANGE) },
  );
}

function fittingText({ name, schema, example }: ApiParameter): fc.Arbitrary<string> {
  if (name === 'id') return fc.constantFrom(MADE, MADE, String(example));
  const { type, enum: words, minimum = 0, maximum = 1000 } = schema;
  if (Array.isArray(words)) return fc.constantFrom(...words.map(String));
  if (type === 'boolean') return fc.constantFrom('true', 'false', 'yes', '0');
  const bounds = { min: Number(minimum), max: Number(maximum) };
  if (type === 'integer') return fc.integer(bounds).map(String);
  const numbers = fc.double({ ...bounds, noNaN: true }).map(String);
  if (type === 'number') return fc.oneof(fc.constant(String(example)), numbers);
  if (/^(window|range|before|after)/.test(name)) return fc.constantFrom(...WINDOWS);
  const others = name === 'aggregate' ? AGGREGATES : name === 'filter' ? FILTERS : [];
  return fc.constantFrom(
    String(example),
    String(example),
    ...others,
    'namespace',
    'cluster',
    'label:app',
  );
}

/** A text with one of its characters left out, written twice, or in the other case; or with a blank beside it. */
function nearly(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(texts, fc.nat(), fc.nat({ max: 4 })).map(([text, place, how]) => {
    const at = place % Math.max(1, text.length);
    const [before, one = '', after] = [text.slice(0, at), text[at], text.slice(at + 1)];
    const other = one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase();
    const changed = [before + after, before + one + one + after, before + other + after];
    return [...changed, `${text} `, `${text},`][how] ?? text;
  });
}

/** Numbers just beyond the bounds. */
function beside({
  schema: { minimum = 0, maximum = 2 ** 53 },
}: ApiParameter): fc.Arbitrary<string> {
  return fc
    .constantFrom(Number(minimum) - 1, Number(minimum) - 1e-9, Number(maximum) + 1, 2 ** 64)
    .map(String);
}

/** The example, values of the schema and near it, and text with one of its characters left out. */
function bodyOf({ requestBody }: ApiOperation): fc.Arbitrary<string | undefined> {
  const [content] = Object.values(requestBody?.content ?? {});
  if (content === undefined) return fc.constant(undefined);
  const { schema, example } = content as {
    schema: Readonly<Record<string, unknown>>;
    example: unknown;
  };
  const text = JSON.stringify(example);
  const broken = fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1));
  const written = (values: fc.Arbitrary<fc.JsonValue>) =>
    values.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(text) },
    { weight: 3, arbitrary: written(fittingValue(schema)) },
    { weight: 2, arbitrary: written(nearlyFitting(schema)) },
    { weight: 1, arbitrary: broken },
  );
}
