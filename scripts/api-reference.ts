/** The document of the API as a page: every route with what it takes, and every parameter with what it accepts. */

/** The part of JSON Schema that parameters use. */
interface ParameterSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: ParameterSchema;
  readonly example: string | number | boolean;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly 'x-role': string;
  readonly 'x-rows': string;
}

/** What the page needs of an OpenAPI document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const HEAD = `# Reference of the API

\`node --import tsx scripts/write-reference.ts\` writes this page from [\`GET /openapi.json\`](README.md#the-document-of-the-api);
do not edit it. Paths are served with \`/model\` as well, and named so where they answer otherwise there. The role is the least
that may ask; the filter of a caller who sees some rows alone is *joined* to the question, *unneeded*, or the route is *refused* to them.
`;

const PREFIX = '/model';

/** @returns Markdown: routes by their first word, then parameters by name */
export function referenceOf({ paths, components }: ApiDocument): string {
  const routes = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const plain = paths[path.slice(PREFIX.length)]?.[method];
      if (path.startsWith(PREFIX) && plain !== undefined && isSame(plain, operation)) continue;
      const [tag = 'server'] = operation.tags;
      const text = routeOf(`${method.toUpperCase()} ${path}`, operation);
      routes.set(tag, [...(routes.get(tag) ?? []), text]);
    }
  }
  const sections = [...routes]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([tag, texts]) => `## ${tag}\n\n${texts.join('\n')}`);
  return [HEAD, ...sections, parametersOf(components.parameters)].join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Whether a path answers alike with and without the prefix. */
function isSame(one: Operation, other: Operation): boolean {
  const [a, b] = [one, other].map((each) => JSON.stringify({ ...each, operationId: undefined }));
  return a === b;
}

function routeOf(title: string, operation: Operation): string {
  const { summary, parameters, requestBody, responses } = operation;
  const names = parameters.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1));
  const answered = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const lines = [
    `### ${title}`,
    `${summary}.`,
    `- role: ${operation['x-role']}; filter: ${operation['x-rows']}`,
    `- answers: ${answered.map(([status, { content = {} }]) => [status, ...Object.keys(content)].join(' ')).join('; ')}`,
  ];
  if (names.length > 0) {
    lines.push(`- parameters: ${names.map((name) => `[${name}](#${anchorOf(name)})`).join(', ')}`);
  }
  for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
    lines.push(`- body: ${type}, such as \`${JSON.stringify(example)}\``);
  }
  const [heading, said, ...items] = lines;
  return `${[heading, said, items.join('\n')].join('\n\n')}\n`;
}

/** An anchor of its own, as two parameters of one name differ. */
function anchorOf(key: string): string {
  return `parameter-${key.toLowerCase()}`;
}

function parametersOf(parameters: ApiDocument['components']['parameters']): string {
  const told = Object.entries(parameters)
    .toSorted(([a], [b]) => compare(a.toLowerCase(), b.toLowerCase()))
    .map(([key, { description, required, schema, example }]) => {
      const facts = [
        acceptedOf(schema),
        ...(required ? ['required'] : []),
        `such as \`${String(example)}\``,
      ];
      return `### Parameter ${key}\n\n${description}\n\n${facts.join('; ')}\n`;
    });
  return [
    '## Parameters\n\nA number behind a name tells apart parameters of one name that routes read otherwise.\n',
    ...told,
  ].join('\n');
}

/** What a value may be, in words. */
function acceptedOf({ type, enum: words, default: byDefault, ...bounds }: ParameterSchema): string {
  const accepted =
    words?.map((word) => `\`${word}\``).join(' ') ?? [type, ...boundsOf(bounds)].join(' ');
  return byDefault === undefined ? accepted : `${accepted}; default \`${String(byDefault)}\``;
}

type Bounds = Pick<ParameterSchema, 'minimum' | 'exclusiveMinimum' | 'maximum'>;

function boundsOf({ minimum, exclusiveMinimum, maximum }: Bounds): string[] {
  const told: string[] = [];
  if (exclusiveMinimum !== undefined) told.push(`above ${exclusiveMinimum}`);
  else if (minimum !== undefined) told.push(`from ${minimum}`);
  if (maximum !== undefined) told.push(`to ${maximum}`);
  return told;
}
