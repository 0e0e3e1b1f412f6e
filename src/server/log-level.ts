/** The level of the log, read and changed while the server runs. */
import { json, type AdmittedRequest, type HttpReply, type Route } from '../http/index.ts';
import { bodyText, Fault } from '../query/index.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../settings/operations.ts';
import type { ServerLogger } from '../terminal/log.ts';

const PATH = '/admin/log-level';
const EXAMPLE = '{"level":"debug"}';
const BODY_MAX_BYTES = 1024;

export function logLevelRoutes(log: ServerLogger): Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'admin',
      scoping: { refused: 'the log is of all that the server does' },
      handle: () => json({ level: log.level ?? 'info' }),
    },
    {
      method: 'PUT',
      path: PATH,
      needs: 'admin',
      scoping: { refused: 'the log is of all that the server does' },
      changes: 'log.level',
      handle: (request) => changed(log, request),
    },
  ];
}

async function changed(log: ServerLogger, { body, visit }: AdmittedRequest): Promise<HttpReply> {
  const level = levelIn(body);
  const before = log.level ?? 'info';
  await visit.record({ of: 'log', before, after: level });
  log.level = level;
  return json({ level });
}

/** @throws {Fault} when the body names no level */
function levelIn(body: Uint8Array): LogLevel {
  const text = body.length > BODY_MAX_BYTES ? '' : bodyText(body, `send ${EXAMPLE}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const level = value instanceof Object && 'level' in value ? value.level : undefined;
  if (isLogLevel(level)) return level;
  throw new Fault(`the body is not a level of the log: '${text.slice(0, 80)}'`, {
    parameter: 'level',
    hint: `send ${EXAMPLE}; levels are ${LOG_LEVELS.join(', ')}`,
  });
}
