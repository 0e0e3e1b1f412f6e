/** The tools that a caller may use, and their calls. */
import {
  descriptionOf,
  hasRole,
  withoutPrefix,
  type AdmittedHandler,
  type AdmittedRequest,
  type Caller,
  type Described,
  type DescribedRoom,
  type Route,
  type Schema,
} from '../http/index.ts';
import { asRequestError, Fault, nearest, Unavailable } from '../query/index.ts';
import { inputSchemaOf, pagingOf, readArguments, ROWS_MAX, type Given } from './arguments.ts';
import { askRoute, type Asked } from './asked-route.ts';
import { resultOf, type ToolResult } from './result.ts';
import { at, isFields, type RouteKey, type Tool } from './tool.ts';
import { READING } from './tools.ts';
import { WRITING } from './writing-tools.ts';

export type ToolRoute = Pick<
  Route,
  'method' | 'path' | 'dialect' | 'needs' | 'scoping' | 'changes'
>;

/** What tools are made of. */
export interface Served {
  readonly version: string;
  readonly rooms: readonly DescribedRoom[];
  readonly routes: readonly ToolRoute[];
  /** Answers a route; paths below `/model` are Kubecost's. */
  readonly answer: AdmittedHandler;
  /** The same, counted against the rate of the client: what a call asks beside its first question. */
  readonly answerMore: AdmittedHandler;
  readonly log: (message: string, error: unknown) => void;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema & { type: 'object' };
  readonly annotations: Readonly<Record<string, boolean>>;
}

interface Known {
  readonly tool: Tool;
  readonly route: ToolRoute;
  readonly described: Described;
  readonly definition: ToolDefinition;
}

export class ToolHost {
  readonly version: string;
  readonly #served: Served;
  readonly #known: ReadonlyMap<string, Known>;

  constructor(served: Served) {
    this.version = served.version;
    this.#served = served;
    this.#known = new Map([...READING, ...WRITING].flatMap((tool) => knownOf(tool, served)));
  }

  /** Those whose routes the caller may ask. */
  list(caller: Caller): ToolDefinition[] {
    return [...this.#known.values()]
      .filter(({ route }) => mayAsk(caller, route))
      .map(({ definition }) => definition);
  }

  /** @throws {Fault} where there is no such tool; whatever else is wrong is told by the result */
  async call(name: string, given: unknown, request: AdmittedRequest): Promise<ToolResult> {
    const known = this.#known.get(name);
    if (known === undefined) throw this.#unknown(name, request.caller);
    try {
      return await this.#called(known, readArguments(known.tool, known.described, given), request);
    } catch (thrown) {
      return failed(thrown, this.#served.log);
    }
  }

  async #called(
    { tool, described }: Known,
    given: Given,
    request: AdmittedRequest,
  ): Promise<ToolResult> {
    const { answer } = this.#served;
    const { page, body } = given;
    const paging = pagingOf(described);
    const asked = paging === 'page' ? { ...page } : paging === 'first' ? { limit: ROWS_MAX } : {};
    const query = knownTo(described, given.query);
    if (tool.hasRows)
      for (const [name, value] of Object.entries(asked)) query.set(name, String(value));
    const main = await askRoute(answer, request, tool.route, { query, body });
    if (main.status >= 300) return refused(main.body);
    const beside = await this.#beside(tool, given, request);
    const read = tool.read(main.body);
    const more = tool.readBeside?.(beside);
    return resultOf({
      ...read,
      ...more,
      facts: { ...read.facts, ...more?.facts },
      page,
      isPage: paging === 'page',
      warnings: main.warnings,
    });
  }

  /** Answers of the routes beside, refusals included. */
  async #beside(
    tool: Tool,
    given: Given,
    request: AdmittedRequest,
  ): Promise<Record<string, unknown>> {
    const { rooms, routes, answerMore } = this.#served;
    const answers: Record<string, unknown> = {};
    for (const [name, key] of Object.entries(tool.beside ?? {})) {
      const route = routeOf(routes, key);
      if (route === undefined) continue;
      const query = knownTo(descriptionOf(rooms, route), given.query);
      const asked: Asked = await askRoute(answerMore, request, key, { query });
      answers[name] = asked.body;
    }
    return answers;
  }

  #unknown(name: string, caller: Caller): Fault {
    const names = this.list(caller).map((tool) => tool.name);
    const near = nearest(name, names);
    const meant = near === undefined ? '' : `did you mean '${near}'? `;
    return new Fault(
      `there is no tool '${name.slice(0, 80)}': ${meant}there are ${names.join(', ')}`,
    );
  }
}

/** Arguments that a route reads. */
function knownTo({ parameters = {} }: Described, query: Given['query']): Map<string, string> {
  return new Map([...query].filter(([name]) => name in parameters));
}

function knownOf(tool: Tool, { rooms, routes }: Served): (readonly [string, Known])[] {
  const route = routeOf(routes, tool.route);
  if (route === undefined) return [];
  const described = descriptionOf(rooms, route);
  const definition = {
    name: tool.name,
    title: tool.title,
    description: tool.says,
    inputSchema: inputSchemaOf(tool, described),
    annotations: {
      readOnlyHint: route.changes === undefined,
      destructiveHint: tool.isDestructive ?? route.changes !== undefined,
      idempotentHint: route.changes === undefined,
      openWorldHint: false,
    },
  };
  return [[tool.name, { tool, route, described, definition }]];
}

function routeOf(routes: readonly ToolRoute[], key: RouteKey): ToolRoute | undefined {
  return routes.find(
    ({ method, path, dialect = 'kubecost' }) =>
      `${method} ${withoutPrefix(path)}` === key && dialect === 'kubecost',
  );
}

function mayAsk(caller: Caller, { needs, scoping }: ToolRoute): boolean {
  return hasRole(caller, needs) && (caller.filter === null || typeof scoping === 'string');
}

/** The API's own refusal: its message, the parameter and the hint. */
function refused(body: unknown): ToolResult {
  const [message, hint] = [at(body, 'message'), at(body, 'hint')];
  const text = [message, hint].filter((part) => typeof part === 'string').join('\n');
  const error = isFields(body) ? { error: { ...body } } : {};
  return { isError: true, content: [{ type: 'text', text }], structuredContent: error };
}

function failed(thrown: unknown, log: Served['log']): ToolResult {
  const error = asRequestError(thrown);
  const isKnown = error instanceof Fault || error instanceof Unavailable;
  if (!isKnown) {
    log('a tool failed unexpectedly', error);
    return refused({ code: 500, message: 'internal error' });
  }
  const parameter = error instanceof Fault ? error.parameter : undefined;
  const { status: code, message, hint } = error;
  return refused({ code, message, data: null, parameter, hint });
}
