/** A line for each request, once it has ended. */
import type { Observer } from '../../http/index.ts';
import type { ServerLogger } from '../../terminal/log.ts';

/** Parameters that are shown; others, such as filters or what is sent by mistake, are counted: a name may be a secret too. */
const SHOWN: ReadonlySet<string> = new Set([
  'window', 'exactWindow', 'aggregate', 'accumulate', 'accumulateBy', 'resolution', 'step', 'format', 'columns', 'decimals', 'limit', 'offset', 'sortBy', 'sortByOrder', 'sortDirection', 'idle', 'includeIdle', 'splitIdle', 'idleByNode', 'shareIdle', 'reconcile', 'external', 'costMetric', 'order', 'verbose', 'field', 'costType', 'algorithmCPU', 'algorithmRAM',
]); // prettier-ignore
const CHARACTERS_MAX = 200;
const PARAMETERS_MAX = 40;

/** @param isAlways false: only while the log's level is debug */
export function accessLog(log: ServerLogger, isAlways: boolean): Observer {
  const isOn = (): boolean => isAlways || log.level === 'debug';
  return {
    // The address can be told as long as the client is there.
    began(visit) {
      if (isOn()) void visit.peer;
    },
    ended(visit, { method, path, query }, { status, ms, bytes, isCut }) {
      if (!isOn()) return;
      const { id, trace, peer, who, route } = visit;
      log.info(
        {
          request: id,
          trace: trace.traceId,
          span: trace.spanId,
          from: peer,
          ...(who === '' ? {} : { who }),
          method: method.slice(0, 20),
          ...(route === '' ? { path: path.slice(0, CHARACTERS_MAX) } : { route }),
          ...(query === '' ? {} : { query: shownQuery(query) }),
          status,
          ms: Math.round(ms * 1000) / 1000,
          bytes,
          ...(isCut ? { cut: true } : {}),
        },
        'request',
      );
    },
    refused() {
      if (!isOn()) return;
      log.info({}, 'a connection was closed: its request could be understood in two ways');
    },
    // Its request ends as others do.
    bodyRefused: () => undefined,
  };
}

/** Such as `window=7d&aggregate=namespace and 2 others`. */
function shownQuery(query: string): string {
  const parts = query.split('&', PARAMETERS_MAX);
  const shown = parts.filter((part) => SHOWN.has(part.slice(0, part.indexOf('='))));
  const text = shown.join('&').slice(0, CHARACTERS_MAX);
  const others = parts.length - shown.length;
  return others === 0 ? text : `${text} and ${others} others`.trimStart();
}
