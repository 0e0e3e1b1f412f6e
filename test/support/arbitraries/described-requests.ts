/** Requests made of the document of the API: its paths, parameters and bodies, with values that fit and some that do not. */
import fc from 'fast-check';
import type { ApiOperation, ApiParameter, DescribedApi } from '../described-answers.ts';
import type { RecordedRequest } from '../recorded-request.ts';
import { PUSH_TOKEN } from '../stores/pushes.ts';

/** A server without an issuer does not have them. */
const OF_LOGINS = /\/(login|logout)(\/|$)/;
const WINDOWS = ['2024-05-01,2024-05-03', '1d', '2d', 'today', 'yesterday', '12h', '2024-05-02T10:00:00Z,2024-05-02T10:20:00Z']; // prettier-ignore
const STRANGE = [
  '',
  '-1',
  '1e9',
  'NaN',
  'a:b',
  '"',
  '(((',
  ',',
  'x'.repeat(300),
  '\u00e9\u{1f600}',
  '0',
  'true',
  '%00',
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
  return fc.constantFrom(...operationsOf(api)).chain(([method, path, operation]) =>
    fc.tuple(queryOf(api.parametersOf(operation)), bodyOf(operation)).map(([query, body]) => ({
      server: 'filled',
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { authorization: `Bearer ${PUSH_TOKEN}` },
      ...(body === undefined ? {} : { body }),
    })),
  );
}

/** Required parameters, most often, and up to five others. */
function queryOf(parameters: readonly ApiParameter[]): fc.Arbitrary<string> {
  const [required, others] = [true, false].map((is) =>
    parameters.filter((parameter) => parameter.required === is).map(valuedPair),
  ) as [fc.Arbitrary<string>[], fc.Arbitrary<string>[]];
  const few = fc.subarray(others, { maxLength: Math.min(5, others.length) });
  return fc
    .tuple(fc.integer({ min: 1, max: 20 }), few)
    .chain(([chance, some]) => fc.tuple(...(chance === 1 ? [] : required), ...some))
    .map((pairs) => pairs.join('&'));
}

function valuedPair(parameter: ApiParameter): fc.Arbitrary<string> {
  return valueOf(parameter).map((value) => `${parameter.name}=${encodeURIComponent(value)}`);
}

function valueOf(parameter: ApiParameter): fc.Arbitrary<string> {
  const fitting = fittingValue(parameter);
  return fc.oneof(
    { weight: 8, arbitrary: fitting },
    { weight: 1, arbitrary: fc.constantFrom(...STRANGE) },
  );
}

function fittingValue({ name, schema, example }: ApiParameter): fc.Arbitrary<string> {
  const { type, enum: words, minimum = 0, maximum = 1000 } = schema;
  if (Array.isArray(words)) return fc.constantFrom(...words.map(String));
  if (type === 'boolean') return fc.constantFrom('true', 'false', 'yes', '0');
  const bounds = { min: Number(minimum), max: Number(maximum) };
  if (type === 'integer') return fc.integer(bounds).map(String);
  const numbers = fc.double({ ...bounds, noNaN: true }).map(String);
  if (type === 'number') return fc.oneof(fc.constant(String(example)), numbers);
  if (/^(window|range|before|after)/.test(name)) return fc.constantFrom(...WINDOWS);
  return fc.constantFrom(String(example), String(example), 'namespace', 'cluster', 'label:app');
}

/** The example, whole or with one of its characters left out. */
function bodyOf({ requestBody }: ApiOperation): fc.Arbitrary<string | undefined> {
  const [content] = Object.values(requestBody?.content ?? {});
  if (content === undefined) return fc.constant(undefined);
  const text = JSON.stringify(content.example);
  const broken = fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1));
  return fc.oneof({ weight: 3, arbitrary: fc.constant(text) }, { weight: 1, arbitrary: broken });
}
