/** Reads the file of metrics stores, a list in YAML: `- {name, cluster, url, token-file, …}`. It has no secret, only files. */
import type { Matcher, ReaderName } from '../../metrics/index.ts';
import {
  Fault,
  nearest,
  parsePlacedYaml,
  readDuration,
  type PlacedYaml,
} from '../../query/index.ts';
import { readAuth, type MetricsAuth } from '../../settings/metrics.ts';
import { readMetricsUrls } from '../../settings/metrics-urls.ts';

/** A store as the file or `--metrics-url` describes it. */
export interface StoreSettings {
  readonly name: string;
  readonly cluster: string | undefined;
  /** Several are replicas. */
  readonly urls: readonly string[];
  readonly reader: ReaderName | 'auto' | undefined;
  readonly user: string | undefined;
  readonly passwordFile: string | undefined;
  readonly tokenFile: string | undefined;
  readonly auth: MetricsAuth | undefined;
  readonly tenant: string | undefined;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly timeoutMs: number | undefined;
  /** The most reads at once. */
  readonly concurrency: number | undefined;
  readonly matchers: readonly Matcher[];
  /** How messages name it, such as `stores.yaml, line 3: store 'eu'`. */
  readonly place: string;
}

const STORES_MAX = 1000;
const CONCURRENCY_MAX = 64;
const TIMEOUT_MS_MAX = 86_400_000;
const READERS = ['auto', 'remote-read', 'victoria-export', 'query-range'] as const;
const EXAMPLE = '- {name: eu, cluster: production, url: https://prometheus.eu.example.com}';
const MATCHER = /^([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"$/;

/** Keys of an entry, and what each accepts. */
const ACCEPTED = {
  name: 'a name of letters, digits, ., _ and -, at most 60',
  cluster: 'a name of at most 120 printable characters',
  url: 'an http or https URL, or a list of those of replicas',
  reader: READERS.join(', '),
  user: 'visible ASCII',
  'password-file': 'a path',
  'token-file': 'a path',
  auth: 'aws',
  tenant: 'visible ASCII, such as team-a or team-a|team-b',
  'ca-file': 'a path',
  'cert-file': 'a path',
  'key-file': 'a path',
  timeout: 'a duration of at most 1d, such as 90s',
  concurrency: `a whole number in 1 to ${CONCURRENCY_MAX}`,
  matchers: `a list of matchers of labels, such as cluster="eu" or namespace!~"kube-.*"`,
} as const;
type Key = keyof typeof ACCEPTED;
const KEYS = Object.keys(ACCEPTED) as readonly Key[];

/** @throws {Fault} naming the file, the line, the entry and the key */
export function readStores(text: string, path: string): StoreSettings[] {
  const { value } = parsePlacedYaml(text, path);
  const hint = `for example ${EXAMPLE}`;
  if (!Array.isArray(value) || value.length === 0)
    throw new Fault(`${path} is not a list of metrics stores`, { hint });
  if (value.length > STORES_MAX)
    throw new Fault(`${path} has ${value.length} stores, at most ${STORES_MAX} are accepted`);
  const entries = value as readonly PlacedYaml[];
  const stores = entries.map((entry) => new Entry(entry, path).read());
  for (const [i, { name }] of stores.entries()) {
    const first = stores.findIndex((other) => other.name === name);
    if (first === i) continue;
    const [line, before] = [entries[i]?.line, entries[first]?.line];
    throw new Fault(`${path}, line ${line}: store '${name}' is in line ${before}, too`, {
      hint: 'each store has a name of its own; shards of a cluster have the same cluster',
    });
  }
  return stores;
}

class Entry {
  readonly #path: string;
  readonly #line: number;
  readonly #keys: ReadonlyMap<string, PlacedYaml>;
  #name = '';

  constructor({ line, value }: PlacedYaml, path: string) {
    this.#path = path;
    this.#line = line;
    if (!(value instanceof Map))
      throw this.#fault('a store has keys', line, { hint: `for example ${EXAMPLE}` });
    this.#keys = value as ReadonlyMap<string, PlacedYaml>;
  }

  read(): StoreSettings {
    this.#name = this.#required('name', (text) => fitting(text, /^[\w.-]{1,60}$/));
    for (const [key, { line }] of this.#keys) {
      if (KEYS.some((known) => known === key)) continue;
      const near = nearest(key, KEYS);
      const hint = near === undefined ? `known: ${KEYS.join(', ')}` : `did you mean '${near}'?`;
      throw this.#fault(`unknown key '${key.slice(0, 40)}'`, line, { hint });
    }
    const store: StoreSettings = {
      name: this.#name,
      cluster: this.#optional('cluster', (text) => fitting(text, /^\P{Cc}{1,120}$/u)),
      urls: this.#urls(),
      reader: this.#optional('reader', (text) => READERS.find((reader) => reader === text)),
      user: this.#optional('user', visible),
      passwordFile: this.#optional('password-file', pathText),
      tokenFile: this.#optional('token-file', pathText),
      auth: this.#optional('auth', readAuth),
      tenant: this.#optional('tenant', visible),
      caFile: this.#optional('ca-file', pathText),
      certFile: this.#optional('cert-file', pathText),
      keyFile: this.#optional('key-file', pathText),
      timeoutMs: this.#optional('timeout', readTimeout),
      concurrency: this.#optional('concurrency', readConcurrency),
      matchers: this.#list('matchers').map((item) => this.#value('matchers', item, readMatcher)),
      place: `${this.#path}, line ${this.#line}: store '${this.#name}'`,
    };
    this.#check(store);
    return store;
  }

  #check({ user, passwordFile, tokenFile, auth, certFile, keyFile }: StoreSettings): void {
    if ((user === undefined) !== (passwordFile === undefined))
      throw this.#fault('user and password-file go together');
    if (user !== undefined && tokenFile !== undefined)
      throw this.#fault('it takes a user or a token-file, not both');
    if (auth !== undefined && (user ?? tokenFile) !== undefined)
      throw this.#fault('it takes auth, or a user or a token-file');
    if ((certFile === undefined) !== (keyFile === undefined))
      throw this.#fault('cert-file and key-file go together');
  }

  #urls(): readonly string[] {
    const items = this.#list('url');
    if (items.length === 0) throw this.#lacking('url');
    const urls = items.map((item) => this.#value('url', item, readUrl));
    if (new Set(urls).size === urls.length) return urls;
    throw this.#fault('two replicas have one url');
  }

  /** A list, or one text alone. */
  #list(key: Key): readonly PlacedYaml[] {
    const own = this.#keys.get(key);
    if (own === undefined) return [];
    return Array.isArray(own.value) ? (own.value as readonly PlacedYaml[]) : [own];
  }

  #required<T>(key: Key, read: (text: string) => T | undefined): T {
    const found = this.#optional(key, read);
    if (found !== undefined) return found;
    throw this.#lacking(key);
  }

  #optional<T>(key: Key, read: (text: string) => T | undefined): T | undefined {
    const own = this.#keys.get(key);
    return own === undefined ? undefined : this.#value(key, own, read);
  }

  #value<T>(key: Key, { line, value }: PlacedYaml, read: (text: string) => T | undefined): T {
    const found = typeof value === 'string' ? read(value.trim()) : undefined;
    if (found !== undefined) return found;
    throw this.#fault(`${key} is not ${ACCEPTED[key]}`, line, { parameter: key });
  }

  #lacking(key: Key): Fault {
    return this.#fault(`it has no ${key}: ${ACCEPTED[key]}`, this.#line, { parameter: key });
  }

  #fault(
    what: string,
    line: number = this.#line,
    options: { readonly hint?: string; readonly parameter?: string } = {},
  ): Fault {
    const store = this.#name === '' ? '' : ` store '${this.#name}':`;
    return new Fault(`${this.#path}, line ${line}:${store} ${what}`, options);
  }
}

function fitting(text: string, form: RegExp): string | undefined {
  return form.test(text) ? text : undefined;
}

function visible(text: string): string | undefined {
  return fitting(text, /^[\x20-\x7e]{1,4096}$/);
}

function pathText(text: string): string | undefined {
  return text === '' || text.includes('\0') ? undefined : text;
}

function readUrl(text: string): string | undefined {
  const [first, second] = readMetricsUrls(text) ?? [];
  return second === undefined && first?.cluster === undefined ? first?.urls[0] : undefined;
}

function readTimeout(text: string): number | undefined {
  const ms = readDuration(text);
  return ms !== undefined && ms > 0 && ms <= TIMEOUT_MS_MAX ? ms : undefined;
}

function readConcurrency(text: string): number | undefined {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= CONCURRENCY_MAX ? count : undefined;
}

/** As PromQL writes it. */
function readMatcher(text: string): Matcher | undefined {
  const [, label, sign, quoted] = MATCHER.exec(text) ?? [];
  const operator = (['=', '!=', '=~', '!~'] as const).find((one) => one === sign);
  if (label === undefined || operator === undefined || quoted === undefined) return undefined;
  return { label, operator, value: quoted.replaceAll(/\\(.)/g, '$1') };
}
