/**
 * The generations of a store in a bucket. Each has the number after the one before, and its manifest is
 * written where there is none: of several writers one writes it, the others see that it is there, read
 * it, make their change anew and take the next number. Nobody waits for a lock, and none is left behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../query/index.ts';
import type { Generations as Read } from '../folder/checks.ts';
import { SETS } from '../folder/folders.ts';
import { lostEntries, lostIn, lostNotes } from '../folder/lost.ts';
import {
  generationOf,
  manifestName,
  manifestText,
  readManifest,
  readSetName,
  type Entry,
  type Manifest,
} from '../folder/manifest.ts';
import { checkedText, readChecked } from '../checked-text.ts';
import { refuseStale, type Mark } from '../mark.ts';
import { bytesOf, textOf } from './changes.ts';
import { manifestKey, nameOfStore, NEWEST, type ObjectPlace } from './place.ts';

export type Entries = ReadonlyMap<string, Entry>;

/** Writers that change at one time; each try is a change of another that took effect. */
const COMMIT_TRIES = 60;
const PAUSE_MS = 20;
/** Looks at the next number alone, before all numbers are listed. */
const LOOKS_MAX = 40;

const NONE: Manifest = { generation: 0, sets: new Map() };

export class Generations {
  readonly #place: ObjectPlace;
  readonly #note: (sentence: string) => void;
  #current: Manifest = NONE;
  /** Before the current one, newest first. */
  #older: Manifest[] = [];
  /** No generation has a higher number, whole or not. */
  #last = 0;
  #looks = 0;
  #version = 0;
  /** Looks and commits, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(place: ObjectPlace, note: (sentence: string) => void) {
    this.#place = place;
    this.#note = note;
  }

  get current(): Manifest {
    return this.#current;
  }

  get older(): readonly Manifest[] {
    return this.#older;
  }

  get last(): number {
    return this.#last;
  }

  /** Another number once the current generation is another. */
  get version(): number {
    return this.#version;
  }

  /**
   * Takes up the generations that others wrote.
   * @throws {Unavailable} when the bucket does not answer, and all stays as it was
   */
  look(signal: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#look(signal));
  }

  /** All generations that are there. @throws {Unavailable} */
  load(signal: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#load(signal));
  }

  /**
   * Says that the store begins, before it has any set: sets without a manifest are then those of a change
   * that was not finished, and no loss.
   * @throws {Unavailable}
   */
  begin(signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#current.generation > 0 || this.#last > 0) return;
      await this.#record('absent', signal);
    });
  }

  /**
   * @param change makes the sets of the next generation out of those of the current one, again for each
   * that another wrote meanwhile; undefined: nothing is to be changed
   * @param mark of a builder, which is asked before each try
   * @throws {StaleBuilder} (mark.ts) where a later builder has committed, and the change took no effect
   * @throws {Unavailable} and the change took effect or not
   */
  commit(
    change: (sets: Entries) => Entries | undefined,
    signal: AbortSignal,
    mark?: () => Mark,
  ): Promise<boolean> {
    return this.#inTurn(async () => {
      for (let tried = 1; tried <= COMMIT_TRIES; tried++) {
        const sets = change(this.#current.sets);
        if (sets === undefined) return false;
        const by = mark?.();
        if (by !== undefined) refuseStale(this.#current.builder, by);
        const builder = by ?? this.#current.builder;
        const generation = this.#last + 1;
        const manifest = { generation, ...(builder && { builder }), sets };
        const key = manifestKey(this.#place, manifest.generation);
        const text = bytesOf(manifestText(manifest));
        if ((await this.#place.bucket.write(key, text, 'absent', signal)) !== undefined) {
          if (await this.#isOutdated(generation, signal)) {
            await this.#load(signal);
            throw new Unavailable(
              `cannot change ${nameOfStore(this.#place)}: others did while this process stood still`,
              { hint: 'it knows of their changes now: try again' },
            );
          }
          this.#adopt(manifest);
          // Without it only the loss of the newest manifest is not noticed.
          await this.#record('none', signal).catch(() => undefined);
          return true;
        }
        await sleep(PAUSE_MS * Math.random() * Math.min(tried, 10), undefined, { signal });
        await this.#look(signal);
      }
      throw new Unavailable(
        `cannot change ${nameOfStore(this.#place)}: others change it all the time`,
      );
    });
  }

  /**
   * Whether a generation that was just written follows none that counts: others had that number, went on and swept
   * it away while this process stood still for longer than it takes until that is done.
   */
  async #isOutdated(generation: number, signal: AbortSignal): Promise<boolean> {
    const recorded = await this.#recorded(signal);
    // One that is not told was not recorded yet, and so was not swept.
    if (typeof recorded !== 'number' || recorded <= generation) return false;
    const { bucket, prefix } = this.#place;
    const { objects } = await bucket.list(`${prefix}manifest-`, () => true, signal);
    const changes = objects.map(({ key, changedMs }) => ({
      number: generationOf(key.slice(prefix.length)) ?? 0,
      changedMs,
    }));
    const own = changes.find(({ number }) => number === generation);
    return changes.some(
      ({ number, changedMs }) => number > generation && changedMs < (own?.changedMs ?? Infinity),
    );
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(signal: AbortSignal): Promise<void> {
    // A number may have been left out of sight: its manifest is gone, and later ones are there.
    if (++this.#looks > LOOKS_MAX && (await this.#isBehind(signal))) await this.#load(signal);
    for (;;) {
      const found = await this.#fetch(this.#last + 1, signal);
      if (found === undefined) return;
      if ('damage' in found) return await this.#load(signal);
      this.#adopt(found);
    }
  }

  async #isBehind(signal: AbortSignal): Promise<boolean> {
    this.#looks = 0;
    const numbers = await this.#numbers(signal);
    return numbers.some((number) => number > this.#last + 1);
  }

  async #load(signal: AbortSignal): Promise<void> {
    const read = await this.#readAll(signal);
    const { whole, damaged, recorded } = read;
    const [newest = NONE, ...older] = whole;
    const known = typeof recorded === 'number' ? recorded : 0;
    const newestNumber = Math.max(0, ...[...whole, ...damaged].map(({ generation }) => generation));
    const isDoubtful = whole.length === 0 || newest.generation < Math.max(known, newestNumber);
    const files = isDoubtful ? await this.#files(signal) : [];
    const lost = lostIn(read, files);
    const changed = lost ? lostEntries(newest, lost, files) : new Map<string, Entry>();
    if (lost !== undefined && lost.generation > this.#last)
      lostNotes(whole[0], lost, changed.values()).forEach(this.#note);
    const named = lost ? files.map((file) => readSetName(file)?.generation ?? 0) : [];
    this.#last = Math.max(known, newestNumber, ...named);
    this.#older = older;
    this.#current = { ...newest, sets: new Map([...newest.sets, ...changed]) };
    this.#version++;
  }

  async #readAll(signal: AbortSignal): Promise<Read> {
    // Before the names: another writer may commit meanwhile.
    const recorded = await this.#recorded(signal);
    const numbers = await this.#numbers(signal);
    const whole: Manifest[] = [];
    const damaged: { what: string; reason: string; generation: number }[] = [];
    for (const generation of numbers) {
      const found = await this.#fetch(generation, signal);
      if (found === undefined) continue;
      if (!('damage' in found)) whole.push(found);
      else damaged.push({ what: manifestName(generation), reason: found.damage, generation });
    }
    return { whole, damaged, recorded };
  }

  /** @throws {Unavailable} also where a later version wrote it */
  async #fetch(
    generation: number,
    signal: AbortSignal,
  ): Promise<Manifest | { readonly damage: string } | undefined> {
    const found = await this.#place.bucket.fetch(manifestKey(this.#place, generation), signal);
    if (found === undefined) return undefined;
    const read = readManifest(textOf(found.bytes));
    if ('damage' in read && read.isNewer) {
      const name = nameOfStore(this.#place);
      throw new Unavailable(`${name} was written by a later version: ${read.damage}`);
    }
    return read;
  }

  /** Newest first. */
  async #numbers(signal: AbortSignal): Promise<number[]> {
    const { bucket, prefix } = this.#place;
    const { objects } = await bucket.list(`${prefix}manifest-`, () => true, signal);
    return objects
      .map(({ key }) => generationOf(key.slice(prefix.length)))
      .filter((generation) => generation !== undefined)
      .toSorted((a, b) => b - a);
  }

  async #files(signal: AbortSignal): Promise<string[]> {
    const { bucket, prefix } = this.#place;
    const files: string[] = [];
    const take = (key: string): boolean => {
      files.push(key.slice(prefix.length + SETS.length + 1));
      return false;
    };
    await bucket.list(`${prefix}${SETS}/`, take, signal);
    return files;
  }

  async #recorded(signal: AbortSignal): Promise<Read['recorded']> {
    const { bucket, prefix } = this.#place;
    const found = await bucket.fetch(prefix + NEWEST, signal);
    if (found === undefined) return 'none';
    const read = readChecked('newest', textOf(found.bytes));
    if ('damage' in read) return 'none';
    return (JSON.parse(read.body) as { readonly generation: number }).generation;
  }

  async #record(condition: 'absent' | 'none', signal: AbortSignal): Promise<void> {
    const { bucket, prefix } = this.#place;
    const body = JSON.stringify({ generation: this.#current.generation });
    const text = bytesOf(checkedText('newest', body));
    await bucket.write(prefix + NEWEST, text, condition, signal);
  }

  #adopt(manifest: Manifest): void {
    if (this.#current.generation > 0) this.#older.unshift(this.#current);
    this.#current = manifest;
    this.#last = manifest.generation;
    this.#version++;
  }

  /** A generation that is swept away. */
  forget(generation: number): void {
    this.#older = this.#older.filter((older) => older.generation !== generation);
  }
}
