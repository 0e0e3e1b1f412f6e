/**
 * A first answer before any request: V8 compiles and links a function when it first runs, in each
 * thread by itself. Four days of one row are requested through the same code as by clients, and
 * answered like a long answer: in a stream, compressed.
 */
import { AnswerCache, storedRoutes } from '../allocation/index.ts';
import {
  compressing,
  FOR_EVERYBODY,
  gated,
  ownVisit,
  router,
  type HttpReply,
} from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import { uniformSets, type QueriedSets } from '../storage/index.ts';
import { cloudBill } from './cloud-bill.ts';
import type { Engine } from './engine.ts';
import { openAnswers, openCaches, servedBytes } from './caches.ts';
import { DAY_MS, type Clock } from '../query/index.ts';

const DAYS = 4;

const ROW: Readonly<Record<string, number | string>> = {
  startMs: 0,
  endMs: DAY_MS,
  cpuCoreHours: 1,
  cpuCost: 1,
  ramByteHours: 1,
  ramCost: 1,
  cluster: 'warm-up',
  namespace: 'warm-up',
  container: 'warm-up',
  endSource: 'running',
};

const ALONE = createAdmission({
  lane: 'questions of the warm-up',
  running: 1,
  waiting: 0,
  waitMs: 0,
});

/** Leaves nothing in the arena. */
export async function warmUp(engine: Engine, clock: Clock): Promise<void> {
  const { arena, owners } = engine.compute;
  const { calendar } = clock;
  const owner = owners.take();
  const now = clock.nowMs();
  const edges = Array.from({ length: DAYS + 1 }, (_, day) => calendar.addDays(now, day - DAYS));
  const days = edges.slice(1).map((endMs, day) => {
    return { kind: 'allocations', startMs: edges[day] ?? 0, endMs };
  });
  const written = days.map((key) => ({ key, rows: 1, columns: ROW }));
  try {
    await ask(engine, clock, uniformSets(arena, owner, written), edges);
  } finally {
    owners.free(owner);
  }
}

async function ask(
  engine: Engine,
  clock: Clock,
  sets: QueriedSets,
  edges: readonly number[],
): Promise<void> {
  const { compute, memory } = engine;
  const routes = storedRoutes({
    sets,
    billed: { cloud: cloudBill(sets) },
    caches: openCaches(compute, { ...servedBytes(engine), grouped: 0 }),
    compute,
    clock,
    answers: {
      ...openAnswers(memory, ALONE),
      cache: new AnswerCache({ budgetBytes: 0, answerMaxBytes: 0 }),
    },
  });
  const [from, to] = [edges.at(0), edges.at(-1)].map((ms) => new Date(ms ?? 0).toISOString());
  const reply = await compressing(gated(router(routes, { log: () => undefined }), FOR_EVERYBODY))({
    method: 'GET',
    path: '/model/allocation',
    query: `window=${from},${to}&aggregate=namespace&accumulate=true`,
    header: (name) => (name === 'accept-encoding' ? 'gzip' : ''),
    body: new Uint8Array(),
    signal: new AbortController().signal,
    visit: ownVisit(),
  });
  const bytes = await lengthOf(reply);
  if (reply.status === 200 && bytes > 0) return;
  throw new Error(`BUG: the warm-up was answered with ${reply.status} and ${bytes} bytes`);
}

/** Length of a body that is read to its end. */
async function lengthOf({ body }: HttpReply): Promise<number> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}
