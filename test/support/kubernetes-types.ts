/**
 * Fields of Kubernetes' own kinds and their types, as its OpenAPI document has them: the client that the project builds on is
 * generated of it. Which fields are required its declarations tell.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Manifest } from './manifests.ts';

interface Field {
  readonly type: string;
  readonly isRequired: boolean;
}

const MODELS = join(
  dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node/dist/config.js')),
  'gen/models',
);
/** `'secretName'?: string;`, where names that TypeScript has taken begin with `_`. */
const DECLARED = /^ {4}'_?([^']+)'(\??): (\{\s+\[key: string\]: .+;\s+\}|.+);$/gm;
const PRIMITIVES = new Set(['string', 'number', 'boolean']);
const cached = new Map<string, ReadonlyMap<string, Field>>();

/** @returns undefined where no such type is known */
function fieldsOf(type: string): ReadonlyMap<string, Field> | undefined {
  const known = cached.get(type);
  const path = join(MODELS, `${type}.d.ts`);
  if (known !== undefined || !/^\w+$/.test(type) || !existsSync(path)) return known;
  const fields = [...readFileSync(path, 'utf8').matchAll(DECLARED)].map(
    ([, name = '', optional, of = '']) =>
      [name, { type: of, isRequired: optional === '' }] as const,
  );
  cached.set(type, new Map(fields));
  return cached.get(type);
}

/** `V1StatefulSet` for `apps/v1` and `StatefulSet`. */
function modelOf({ apiVersion, kind }: Manifest): string {
  const version = apiVersion.split('/').at(-1) ?? '';
  return `${version.charAt(0).toUpperCase()}${version.slice(1)}${kind}`;
}

/** Whether a kind is one of Kubernetes' own. */
export function isBuiltIn(manifest: Manifest): boolean {
  return fieldsOf(modelOf(manifest)) !== undefined;
}

/** A sentence for each field that the kind does not have or that is missing, and for each value of another type. */
export function wrongFields(manifest: Manifest): string[] {
  return wrongIn(manifest, modelOf(manifest), `${manifest.kind} ${manifest.metadata.name}`);
}

function wrongIn(value: unknown, type: string, path: string): string[] {
  const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${path}: ${JSON.stringify(value)} is no list`];
    return value.flatMap((each, index) => wrongIn(each, item, `${path}.${index}`));
  }
  const [, member] = /^\{\s+\[key: string\]: (.+);\s+\}$/.exec(type) ?? [];
  if (type === 'IntOrString') return wrongType(value, ['number', 'string'], path);
  if (PRIMITIVES.has(type)) return wrongType(value, [type], path);
  const fields = fieldsOf(type);
  if (member === undefined && fields === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path}: ${JSON.stringify(value)} is no ${member === undefined ? type : 'map'}`];
  const missing = [...(fields ?? [])].filter(
    ([name, { isRequired }]) => isRequired && !Object.hasOwn(value, name),
  );
  return [
    ...missing.map(([name]) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const of = member ?? fields?.get(name)?.type;
      return of === undefined
        ? [`${path}.${name}: ${type} has no such field`]
        : wrongIn(each, of, `${path}.${name}`);
    }),
  ];
}

function wrongType(value: unknown, types: readonly string[], path: string): string[] {
  return types.includes(typeof value)
    ? []
    : [`${path}: ${JSON.stringify(value)} is no ${types.join(' or ')}`];
}
