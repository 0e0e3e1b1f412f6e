/**
 * Kill anything: two servers that answer, two that build, and the store, each killed by SIGKILL in turn while clients
 * ask without pause and days are built anew; everything comes back by itself.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Seeded } from '../../seeded.ts';
import { Clients } from './clients.ts';
import { runCommand, startCommand } from './commands.ts';
import { CLOCKS, expectedIn, NOW, SEALED, worldFlags, type Expected } from './expected.ts';
import { startPlace, type KilledPlace, type PlaceKind } from './places.ts';
import { reportOf, type KillReport } from './report.ts';
import { Restarting } from './restarting.ts';
import { Tally } from './tally.ts';
import { Writer } from './writer.ts';

export interface KillOptions {
  readonly kind: PlaceKind;
  readonly minutes: number;
  readonly killEveryMs: number;
  readonly seed: number;
  readonly onProgress: (line: string) => void;
}

/** All recovers within this after the last kill. */
export const RECOVERED_WITHIN_MS = 300_000;
const CLIENTS = 4;
const STORE_DOWN_MS = [200, 8000] as const;
const REBUILD_REST_MS = 4000;

/** What one run has. */
export interface World {
  readonly options: KillOptions;
  readonly place: KilledPlace;
  readonly servers: readonly Restarting[];
  readonly builders: readonly Restarting[];
  readonly tally: Tally;
  readonly clients: Clients;
  readonly writer: Writer | undefined;
  readonly random: Seeded;
  /** How often the store was killed. */
  storeKills: number;
  /** Commands that built a day anew: ended well, killed, or because of a store that was not there. */
  readonly rebuilds: { done: number; killed: number; failed: number };
}

export async function killAnything(options: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-kills-'));
  try {
    const expected = await expectedIn(folder, options.onProgress);
    const place = await startPlace(options.kind, folder);
    try {
      return await run(openWorld(options, place, folder), expected);
    } finally {
      await place.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openWorld(options: KillOptions, place: KilledPlace, folder: string): World {
  const server = (name: string, flagsOf: (life: number) => readonly string[]): Restarting => {
    const own = join(folder, name);
    mkdirSync(own);
    const common = [...place.flags, '--workers=1', `--data-dir=${own}`];
    return new Restarting(name, (life) => [...common, ...flagsOf(life)], place.env);
  };
  const serving = [...place.serving, `--now=${NOW}`, '--timezone=UTC'];
  const servers = ['server-1', 'server-2'].map((name) => server(name, () => serving));
  let clock = 0;
  // Each builder that begins has a later clock: the day that goes on grows from kill to kill.
  const building = (): readonly string[] => [
    ...place.building,
    ...worldFlags(CLOCKS[Math.min(clock++, CLOCKS.length - 1)] ?? NOW),
    '--refresh=5s',
  ];
  const builders = ['builder-1', 'builder-2'].map((name) => server(name, building));
  const tally = new Tally();
  return {
    options,
    place,
    servers,
    builders,
    tally,
    clients: new Clients(servers, tally),
    // Without a bucket each server has its own collections.
    writer: options.kind === 'bucket' ? new Writer(servers, tally) : undefined,
    random: new Seeded(options.seed),
    storeKills: 0,
    rebuilds: { done: 0, killed: 0, failed: 0 },
  };
}

async function run(world: World, expected: Expected): Promise<KillReport> {
  const { servers, builders, clients, random, tally } = world;
  const over = new AbortController();
  const all = [...servers, ...builders];
  try {
    const asking = Array.from({ length: CLIENTS }, () =>
      clients.run(expected.questions, () => random.below(2 ** 30) / 2 ** 30, over.signal),
    );
    const writing = world.writer?.run((among) => random.of(among), over.signal);
    const rebuilding = rebuild(world, over.signal);
    await killInTurn(world);
    const lastKillMs = performance.now();
    const recovered = await recoveredMs(world, expected);
    if (recovered === undefined)
      tally.fail(`not all had recovered ${RECOVERED_WITHIN_MS} ms after the last kill`);
    over.abort();
    await Promise.all([...asking, writing, rebuilding]);
    world.options.onProgress(`recovered after ${performance.now() - lastKillMs} ms`);
    return await ended(world, recovered);
  } finally {
    over.abort();
    clients.close();
    await Promise.all(all.map((one) => one.stop()));
  }
}

async function killInTurn(world: World): Promise<void> {
  const { servers, builders, random, options, tally } = world;
  const endMs = performance.now() + options.minutes * 60_000;
  const restarts: Promise<void>[] = [];
  let turn: (Restarting | 'store')[] = [];
  while (performance.now() + options.killEveryMs < endMs) {
    await sleep(options.killEveryMs);
    if (turn.length === 0) turn = [...servers, ...builders, 'store', 'store'];
    const [victim = 'store'] = turn.splice(random.below(turn.length), 1);
    if (victim === 'store') restarts.push(killStore(world));
    else victim.kill();
    const { right, refused } = totalOf(tally);
    const name = victim === 'store' ? victim : victim.name;
    options.onProgress(
      `${name} is killed; ${right} right, ${refused} refused, ${tally.failed} wrong`,
    );
  }
  await Promise.all(restarts);
}

let storeTurn: Promise<void> = Promise.resolve();

/** It comes back after a while; one that is killed while it comes back waits for that. */
function killStore(world: World): Promise<void> {
  const { place, random } = world;
  const [leastMs, mostMs] = STORE_DOWN_MS;
  const downMs = leastMs + random.below(mostMs - leastMs);
  storeTurn = storeTurn.then(async () => {
    world.storeKills++;
    await place.kill();
    await sleep(downMs);
    await place.start();
  });
  return storeTurn;
}

/** Days that are final are built anew all the time, beside the builders; some of these commands are killed, too. */
async function rebuild({ place, random, rebuilds }: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const flags = ['build', '--again', `--window=${random.of(SEALED)}`, '--quiet', '--workers=1'];
    const { pid, ended: end } = startCommand([...flags, ...worldFlags(NOW), ...place.flags], place.env); // prettier-ignore
    const killing = random.is(0.3)
      ? setTimeout(() => process.kill(pid, 'SIGKILL'), random.below(8000))
      : undefined;
    const { code } = await end;
    clearTimeout(killing);
    if (code === 0) rebuilds.done++;
    else if (code === null) rebuilds.killed++;
    else rebuilds.failed++;
    await sleep(REBUILD_REST_MS);
  }
}

/** Until each server has answered each question with all that is there. @returns undefined where that is not in time */
async function recoveredMs(world: World, expected: Expected): Promise<number | undefined> {
  const beganMs = performance.now();
  const isOver = (): boolean => performance.now() - beganMs > RECOVERED_WITHIN_MS;
  for (const server of world.servers) {
    for (const question of [...expected.questions, ...expected.overall]) {
      while (typeof (await world.clients.ask(question, server)) !== 'number') {
        if (isOver()) return undefined;
        await sleep(100);
      }
    }
    while (!((await world.writer?.isAt(server)) ?? true)) {
      if (isOver()) return undefined;
      await sleep(100);
    }
  }
  while (world.builders.some(({ url }) => url === undefined)) {
    if (isOver()) return undefined;
    await sleep(100);
  }
  return performance.now() - beganMs;
}

async function ended(world: World, recovered: number | undefined): Promise<KillReport> {
  const { servers, builders, tally, place, options } = world;
  for (const one of [...servers, ...builders]) {
    const code = await one.stop();
    if (code !== 0) tally.fail(`${one.name} ended with ${code} when it was asked to`);
  }
  await runCommand(['fsck', ...place.flags], place.env).catch((error: unknown) =>
    tally.fail(String(error)),
  );
  return reportOf(world, options.minutes, recovered);
}

function totalOf({ counts }: Tally): { readonly right: number; readonly refused: number } {
  const all = [...counts.values()];
  const sum = (of: 'right' | 'refused'): number => all.reduce((total, one) => total + one[of], 0);
  return { right: sum('right'), refused: sum('refused') };
}
