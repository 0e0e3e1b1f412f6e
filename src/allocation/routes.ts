/** Endpoint 13: GET /allocation/compute. */
import type { Owners } from '../columnar/index.ts';
import { parseQuery, stream, type HttpReply, type HttpRequest, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Calendar } from '../query/index.ts';
import { answer } from './answer.ts';
import { compute, type OnDemandOptions } from './on-demand.ts';
import { readPlan } from './params.ts';

export interface AllocationRouteOptions extends OnDemandOptions {
  readonly owners: Owners;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

export function allocationRoutes(options: AllocationRouteOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/allocation/compute',
      handle: (request) => handleCompute(options, request),
    },
  ];
}

async function handleCompute(
  options: AllocationRouteOptions,
  request: HttpRequest,
): Promise<HttpReply> {
  const plan = readPlan(parseQuery(request.query), options.calendar, options.nowMs());
  const leave = await options.admission.enter(request.signal);
  const owner = options.owners.take();
  const release = once(() => {
    options.arena.release(owner);
    options.owners.giveBack(owner);
    leave();
  });
  try {
    const computed = await compute(options, plan, owner, request.signal);
    const chunks = answer({ ...options, signal: request.signal }, plan, computed);
    return stream('application/json', releasing(chunks, release));
  } catch (error) {
    release();
    throw error;
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/**
 * Chunks that release what they stand on at their end, whether it came by itself, by an error, or
 * because the reader left; also when not one of them was ever asked for.
 */
function releasing(
  chunks: AsyncGenerator<Uint8Array>,
  release: () => void,
): AsyncIterable<Uint8Array> {
  const ending = async (
    step: Promise<IteratorResult<Uint8Array>>,
  ): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await step;
      if (result.done) release();
      return result;
    } catch (error) {
      release();
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => ending(chunks.next()),
      return: () => ending(chunks.return(undefined)),
    }),
  };
}
