/** Holds answers, and parameters that were read, against the document of the API. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { WholeAnswer } from './recorded-answers.ts';

export interface ApiParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}

interface ApiResponse {
  readonly content?: Readonly<Record<string, object>>;
}

export interface ApiOperation {
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: object; readonly example: unknown }>
    >;
  };
  readonly responses: Readonly<Record<string, ApiResponse | { readonly $ref: string }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, ApiParameter>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
  };
}

/** Statuses of what is no operation: no such path, another spelling of one, another method. */
const OF_NO_OPERATION: ReadonlySet<number> = new Set([204, 301, 308, 401, 404, 405, 421]);

interface AskedFor {
  readonly method: string;
  readonly path: string;
}

export class DescribedApi {
  readonly document: ApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.document = document as ApiDocument;
    this.#ajv.addSchema({ ...document, $id: 'api' });
  }

  operation(method: string, path: string): ApiOperation | undefined {
    return this.document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  parametersOf(operation: ApiOperation): readonly ApiParameter[] {
    return operation.parameters.map(({ $ref }) => {
      const found = this.document.components.parameters[$ref.split('/').at(-1) ?? ''];
      if (found === undefined) throw new Error(`there is no ${$ref}`);
      return found;
    });
  }

  /** A sentence for what the document does not name of an answer; none where it names all. */
  unnamed(asked: AskedFor, { status, type, body }: WholeAnswer): string[] {
    const path = decodeURI(asked.path.split('?')[0] ?? '');
    const what = `${asked.method} ${asked.path}: ${status} ${type}`;
    const operation = this.operation(asked.method, path);
    if (operation === undefined)
      return OF_NO_OPERATION.has(status) ? [] : [`${what}: no such path`];
    const response = operation.responses[status];
    if (response === undefined) return [`${what}: the status is not named`];
    const pointer = '$ref' in response ? response.$ref : pointerTo(asked.method, path, status);
    const { content = {} } = '$ref' in response ? this.#shared(response.$ref) : response;
    if (status === 304 || asked.method === 'HEAD' || (type === '' && body.length === 0)) return [];
    if (!(type in content)) return [`${what}: the type is not named`];
    if (type !== 'application/json') return [];
    return this.#differences(`${pointer}/content/application~1json/schema`, body).map(
      (difference) => `${what}: ${difference}`,
    );
  }

  #shared(ref: string): ApiResponse {
    return this.document.components.responses[ref.split('/').at(-1) ?? ''] ?? {};
  }

  #differences(pointer: string, body: Buffer): string[] {
    const check = this.#checks.get(pointer) ?? this.#ajv.compile({ $ref: `api${pointer}` });
    this.#checks.set(pointer, check);
    if (check(JSON.parse(body.toString('utf8')))) return [];
    return (check.errors ?? [])
      .slice(0, 2)
      .map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
  }

  /**
   * Parameters that were read and are not named, and that are named and were not read.
   * @param read lines `METHOD /path name`
   */
  unmatched(read: readonly string[]): string[] {
    // Other lines are of queries that the server makes for itself.
    const isOfRoute = (line: string): boolean => /^[A-Z]+ \/\S* \S+$/.test(line);
    const ofRoutes = new Set(read.filter(isOfRoute));
    const named = new Set<string>();
    for (const [path, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const route = `${method.toUpperCase()} ${path.replace(/^\/model(?=\/)/, '')}`;
        for (const { name } of this.parametersOf(operation)) named.add(`${route} ${name}`);
      }
    }
    return [
      ...[...ofRoutes].filter((line) => !named.has(line)).map((line) => `${line}: not named`),
      ...[...named].filter((line) => !ofRoutes.has(line)).map((line) => `${line}: never read`),
    ];
  }
}

function pointerTo(method: string, path: string, status: number): string {
  const place = path.replaceAll('~', '~0').replaceAll('/', '~1');
  return `#/paths/${place}/${method === 'HEAD' ? 'get' : method.toLowerCase()}/responses/${status}`;
}
