/** The manifests that are shipped, as Kubernetes would read them. */
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const FOLDER = new URL('../../deploy/manifests/', import.meta.url);

/** @param name such as `rights/read/rights.yaml` */
export function manifestText(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

/** @throws where the text is no YAML, or a key is there twice */
export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS() as Manifest;
  });
}

/** What is applied together where no right is given: the namespace and all that is in it. */
export function workloadText(): string {
  return `${manifestText('namespace.yaml')}---\n${manifestText('prorata.yaml')}`;
}

export interface Patched {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly containers: readonly {
          readonly name: string;
          readonly env: readonly { readonly name: string; readonly value: string }[];
        }[];
      };
    };
  };
}

/** @param tier `read` or `write`: the patch that switches it on */
export function switchOf(tier: string): Patched {
  return parse(manifestText(`rights/${tier}/switch.yaml`)) as Patched;
}

/** Variables that a tier's patch sets. */
export function environmentOf(tier: string): Record<string, string> {
  const { containers } = switchOf(tier).spec.template.spec;
  return Object.fromEntries(
    containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value])),
  );
}
