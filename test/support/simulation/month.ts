/**
 * A month of a server in a few hundred milliseconds: its clock, disk, metrics store, cluster, clients and faults
 * follow from one seed. After each turn of some hours everything that was acknowledged must be there.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Seeded } from '../../../scripts/seeded.ts';
import type { Batch, MetricsSource, Selection, TimeRange } from '../../../src/metrics/index.ts';
import { NoSamples } from '../../../src/allocation/compute/refusals.ts';
import { Unavailable } from '../../../src/query/index.ts';
import { Killed, SimulatedDisk } from './disk.ts';
import { Clients } from './clients.ts';
import { SimulatedCluster } from './cluster.ts';
import { Days } from './days.ts';
import { DAY_MS, DAYS, fleetOf, FleetStore, HOUR_MS, START_MS, type Fleet } from './fleet.ts';
import { startProcess, type Machine, type Process } from './process.ts';

/** Breaks that the checks must find. */
export const PLANTED = [
  'a lying disk',
  'a sealed day built again',
  'a doubled pod',
  'a stale tag',
  'an unheard deletion',
  'a believed clock',
] as const;
export type Planted = (typeof PLANTED)[number];

export interface Month {
  readonly turns: number;
  readonly kills: number;
  /** Turns in which something failed. */
  readonly faults: number;
  /** Turns with a clock that went back, and with one that went ahead. */
  readonly skews: number;
  readonly leaps: number;
  readonly answers: number;
}

/** What happens in a turn. */
interface Trouble {
  readonly isStoreDown: boolean;
  readonly breaksOff: boolean;
  readonly isDiskFull: boolean;
  /** Operations of the disk until the process is killed. */
  readonly killAfter: number;
  /** How wrong the clock is: it goes back or ahead for a turn. */
  readonly skewMs: number;
}

const CALM: Trouble = {
  isStoreDown: false,
  breaksOff: false,
  isDiskFull: false,
  killAfter: Infinity,
  skewMs: 0,
};
const MINUTE_MS = 60_000;
/** A clock that is wrong by so much for a turn. */
const SKEWS_MS = [-366 * DAY_MS, -DAY_MS, 40 * MINUTE_MS, DAY_MS, 366 * DAY_MS];
const TURN_HOURS = { least: 36, more: 96 };
/** Hours are built of the last 49, which takes most of a turn: most turns only seal the days before. */
const HOURS_SHARE = 0.04;
const OLDER_MS = 3 * DAY_MS;
/** The last days are sealed, and nothing is wrong any more. */
const END_MS = START_MS + DAYS * DAY_MS + OLDER_MS;

class Simulation {
  readonly #machine: Machine;
  readonly #random: Seeded;
  readonly #fleet: Fleet;
  readonly #store: FleetStore;
  readonly #planted: Planted | undefined;
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'prorata-month-'));
  readonly #days: Days;
  readonly #clients: Clients;
  readonly #cluster: SimulatedCluster;
  #disk: SimulatedDisk = new SimulatedDisk();
  #trouble: Trouble = CALM;
  #trueMs: number;
  /** Ends what runs in the background once it failed: nobody waits for a second try. */
  #turn: AbortController = new AbortController();
  #kills: number = 0;
  #faults: number = 0;
  #skews: number = 0;
  #leaps: number = 0;

  constructor(machine: Machine, seed: number, planted: Planted | undefined) {
    this.#machine = machine;
    this.#random = new Seeded(seed);
    this.#fleet = fleetOf(this.#random);
    this.#store = new FleetStore(planted === 'a doubled pod' ? doubled(this.#fleet) : this.#fleet);
    this.#trueMs = this.#fleet.firstMs + HOUR_MS;
    this.#planted = planted;
    this.#days = new Days(this.#fleet, machine);
    this.#clients = new Clients(this.#random, this.#fleet.firstMs, planted === 'a stale tag');
    // Its steps come in between those of others, which would draw other numbers then.
    this.#cluster = new SimulatedCluster(new Seeded(seed), planted === 'an unheard deletion');
  }

  async run(): Promise<Month> {
    let turns = 0;
    let process = await this.#start();
    this.#cluster.start();
    try {
      while (this.#trueMs < END_MS) {
        turns++;
        const hours = TURN_HOURS.least + this.#random.below(TURN_HOURS.more);
        this.#trueMs = Math.min(END_MS, this.#trueMs + hours * HOUR_MS);
        const isLast = this.#trueMs === END_MS;
        this.#trouble = isLast ? CALM : this.#draw();
        if (this.#trouble.skewMs < 0) this.#skews++;
        if (this.#trouble.skewMs > 0) this.#leaps++;
        this.#disk.isFull = this.#trouble.isDiskFull;
        this.#disk.left = this.#trouble.killAfter;
        this.#disk.isLying = this.#planted === 'a lying disk';
        await this.#build(process);
        // Who builds again believes the clock.
        const isAgain = this.#planted === 'a sealed day built again' && this.#trouble.skewMs <= 0;
        if (isAgain) await this.#build(process, true);
        await this.#clients.change(process);
        await this.#cluster.turn();
        if (this.#disk.isDead || this.#random.is(0.1)) process = await this.#restart(process);
        this.#disk.isFull = false;
        this.#trouble = { ...this.#trouble, skewMs: 0 };
        await this.#days.check(process.sets, this.#trueMs);
        await this.#clients.check(process, this.#days.sealedUntilMs);
        await this.#cluster.check();
      }
      this.#days.checkWhole();
    } finally {
      await this.#cluster.end();
      await process.end();
      rmSync(this.#folder, { recursive: true, force: true });
    }
    const { answers } = this.#clients;
    const counts = { kills: this.#kills, faults: this.#faults, answers };
    return { turns, ...counts, skews: this.#skews, leaps: this.#leaps };
  }

  #draw(): Trouble {
    const random = this.#random;
    return {
      isStoreDown: random.is(0.15),
      breaksOff: random.is(0.1),
      isDiskFull: random.is(0.1),
      killAfter: random.is(0.25) ? 1 + random.below(60) : Infinity,
      skewMs: random.is(0.25) ? random.of(SKEWS_MS) : 0,
    };
  }

  #start(): Promise<Process> {
    return startProcess(this.#machine, {
      folder: this.#folder,
      disk: this.#disk,
      source: this.#source,
      nowMs: () => this.#trueMs + this.#trouble.skewMs,
      elapsedMs: () =>
        this.#trueMs + (this.#planted === 'a believed clock' ? this.#trouble.skewMs : 0),
      onFailed: (_what, error) => {
        this.#faults++;
        // Days that have not been yet fail alone.
        if (this.#trouble.skewMs <= 0 || !isOfNoSamples(error)) this.#turn.abort(error);
      },
    });
  }

  async #restart(process: Process): Promise<Process> {
    if (this.#disk.isDead) this.#kills++;
    await process.end().catch(unlessOutside);
    this.#disk = new SimulatedDisk();
    await this.#cluster.end();
    this.#cluster.start();
    const next = await this.#start();
    assert.deepEqual(next.notes, [], 'nothing is damaged after a restart');
    return next;
  }

  async #build({ builder }: Process, isAgain = false): Promise<void> {
    this.#turn = new AbortController();
    const { skewMs } = this.#trouble;
    const nowMs = this.#trueMs + skewMs;
    const isLast = this.#trueMs === END_MS;
    const withHours = !isLast && this.#random.is(HOURS_SHARE);
    const ofClockMs = withHours ? nowMs + DAY_MS : nowMs - OLDER_MS;
    // A clock that is ahead could seal today and tomorrow.
    const endMs = skewMs > 0 ? this.#trueMs + 2 * DAY_MS : ofClockMs;
    // Before a clock that went back there are years of days that are not there.
    const startMs = skewMs < 0 ? nowMs - 6 * DAY_MS : this.#fleet.firstMs;
    const window = { startMs, endMs };
    const options = { window, isAgain, onProgress: () => undefined };
    await builder.fill(options, this.#turn.signal).catch((error: unknown) => {
      // The store has nothing of a year before.
      if (this.#trouble.skewMs === 0 || !isOfNoSamples(error)) unlessOutside(error);
    });
  }

  readonly #source: MetricsSource = {
    name: 'the simulated store',
    concurrentReads: 2,
    earliestSampleMs: () =>
      this.#trouble.isStoreDown
        ? Promise.reject(new Unavailable('the store is down'))
        : Promise.resolve(this.#fleet.firstMs),
    read: (selection, range) => this.#read(selection, range),
  };

  async *#read(selection: Selection, range: TimeRange): AsyncGenerator<Batch> {
    await Promise.resolve();
    if (this.#trouble.isStoreDown) throw new Unavailable('the store is down');
    yield* this.#store.samplesOf(selection, range, this.#trueMs);
    if (this.#trouble.breaksOff && selection.metric === 'kube_pod_info')
      throw new Unavailable('the store breaks off');
  }
}

/** Its last pod is shown twice. */
function doubled(fleet: Fleet): Fleet {
  const extra = fleet.lives.slice(-1).map((life) => ({ ...life, pod: 'double' }));
  return { ...fleet, lives: [...fleet.lives, ...extra] };
}

function isOfNoSamples(error: unknown): boolean {
  return causesOf(error).some((each) => each instanceof NoSamples);
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** The outside world's failures are what is simulated; all others are ours. */
function unlessOutside(error: unknown): void {
  const causes = causesOf(error);
  const isOutside = causes.some((each) => each instanceof Unavailable || each instanceof Killed);
  if (!isOutside) throw new Error(causes.map(String).join(', by '), { cause: error });
}

/** @throws what is not as it should be, with the seed */
export async function simulateMonth(
  machine: Machine,
  seed: number,
  planted?: Planted,
): Promise<Month> {
  try {
    return await new Simulation(machine, seed, planted).run();
  } catch (cause) {
    throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
  }
}
