/**
 * Saved answers of `/model/allocation`, ours or a peer's (Kubecost, OpenCost): `{"code":200,"data":
 * [set, …]}`, a set being an object of rows. They are read as they arrive, set by set: memory holds
 * one set, never the file. What a row lacks is 0; sets that are null or empty are passed over.
 */
import { BrokenJson, JsonScan, type JsonPlace, type JsonToken } from '../../metrics/index.ts';
import { Fault } from '../../query/index.ts';
import { isNotStored } from '../stored/not-stored.ts';
import {
  SAVED_NUMBERS,
  SavedRow,
  SavedRowFault,
  setRow,
  type SavedBalancer,
  type SavedVolume,
} from './saved-row.ts';
import { SavedSetBuilder, type SavedSet } from './saved-set.ts';
import { COST_COLUMNS, IDENTITY_COLUMNS, type TextColumn } from '../row/schema.ts';

/**
 * @param name the file's, for errors
 * @returns sets in the order of the file
 * @throws {Fault} naming the file and, where it is one's fault, row and field
 */
export async function* readSavedAnswers(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<SavedSet> {
  const reader = new Reader();
  const scan = new JsonScan(reader.root);
  try {
    for await (const chunk of chunks) {
      scan.push(chunk);
      yield* reader.takeSets();
    }
    scan.finish();
    reader.finish();
  } catch (error) {
    throw reader.explained(error, name);
  }
}

/** Fields with two names: the interface's, and that of real payloads. */
const PAIRS: readonly (readonly [TextColumn, readonly string[]])[] = [
  ['labels', ['label', 'labels']],
  ['annotations', ['annotation', 'annotations']],
  ['namespaceLabels', ['namespaceLabels']],
  ['namespaceAnnotations', ['namespaceAnnotations']],
];
const SERVICES = ['service', 'services'];
const BALANCER_TEXTS = ['service', 'private', 'ip'];
const VOLUME_NUMBERS = ['byteHours', 'cost', 'adjustment'];

class Reader {
  readonly root: JsonPlace;
  readonly #done: SavedSet[] = [];
  #set: SavedSetBuilder = new SavedSetBuilder();
  #row: SavedRow | undefined;
  #volume: SavedVolume | undefined;
  #balancer: SavedBalancer | undefined;
  #refusal = '';
  #isPartial = false;
  /** Whether it has warnings of sets that are not stored, and others. */
  readonly #warned = { notStored: false, other: false };
  #isAnswer = false;

  constructor() {
    const row: JsonPlace = {
      fields: this.#rowFields(),
      enter: (key) => (this.#row = new SavedRow(key)),
      leave: () => this.#endRow(),
    };
    const set: JsonPlace = {
      anyField: row,
      enter: () => (this.#set = new SavedSetBuilder()),
      leave: () => {
        if (this.#set.rows > 0) this.#done.push(this.#set);
      },
    };
    const data: JsonPlace = { item: set, enter: () => (this.#isAnswer = true) };
    const message: JsonPlace = { value: (token) => (this.#refusal = token.text()) };
    const partial: JsonPlace = { value: (token) => (this.#isPartial = token.text() === 'true') };
    const warning: JsonPlace = { value: (token) => this.#addWarning(token.text()) };
    const warnings: JsonPlace = { ...warning, item: warning };
    this.root = { fields: new Map(Object.entries({ data, message, partial, warnings })) };
  }

  *takeSets(): Generator<SavedSet> {
    yield* this.#done.splice(0);
  }

  /** @throws {BrokenJson} when it was no answer, one that refuses, or one that lacks something */
  finish(): void {
    // Of days that are not there at all there is no row: the others are whole.
    const { notStored, other } = this.#warned;
    if (this.#isPartial && (!notStored || other)) {
      throw new BrokenJson('damaged', 'it says that a part of its window is not in it');
    }
    if (this.#isAnswer) return;
    const said = this.#refusal === '' ? '' : `, but says: ${this.#refusal}`;
    throw new BrokenJson('damaged', `it has no list 'data' of sets${said}`);
  }

  #addWarning(warning: string): void {
    if (isNotStored(warning)) this.#warned.notStored = true;
    else this.#warned.other = true;
  }

  /** The error with the place in the file. */
  explained(error: unknown, name: string): unknown {
    const where = this.#row ? `row '${this.#row.name}': ` : '';
    const field = error instanceof SavedRowFault && error.field !== '' ? `'${error.field}' ` : '';
    if (!(error instanceof SavedRowFault || error instanceof BrokenJson)) return error;
    return new Fault(`${name}: ${where}${field}${error.message}`, {
      hint: 'save the answer of /model/allocation as it comes',
      cause: error,
    });
  }

  #endRow(): void {
    const row = this.#row;
    if (!row) return;
    const read = setRow(row);
    const known = COST_COLUMNS.reduce((sum, column) => sum + (read.numbers.get(column) ?? 0), 0);
    const total = row.numbers.get('totalCost') ?? known;
    this.#set.add(read, Math.abs(total - known));
    this.#row = undefined;
  }

  #rowFields(): Map<string, JsonPlace> {
    const text = (name: string): JsonPlace => this.#textPlace(name);
    const fields = new Map<string, JsonPlace>();
    for (const name of SAVED_NUMBERS) fields.set(name, this.#numberPlace());
    for (const name of ['name', 'start', 'end', 'endSource']) fields.set(name, text(name));
    const window = new Map([
      ['start', text('windowStart')],
      ['end', text('windowEnd')],
    ]);
    const raw = ['cpuCoreUsageMax', 'ramByteUsageMax'].map((name): [string, JsonPlace] => [
      name,
      this.#numberPlace(),
    ]);
    return fields
      .set('window', { fields: window })
      .set('rawAllocationOnly', { fields: new Map(raw) })
      .set('properties', { fields: this.#propertyFields() })
      .set('pvs', { anyField: this.#volumePlace() })
      .set('lbAllocations', { anyField: this.#balancerPlace() });
  }

  #propertyFields(): Map<string, JsonPlace> {
    const fields = new Map<string, JsonPlace>();
    for (const name of [...IDENTITY_COLUMNS, 'providerIDFull'])
      fields.set(name, this.#textPlace(name));
    for (const [column, names] of PAIRS) {
      const value = (token: JsonToken): void => {
        const pairs = this.#row?.pairs.get(column) ?? new Map<string, string>();
        this.#row?.pairs.set(column, pairs.set(token.field, token.isNull ? '' : token.text()));
      };
      for (const name of names) fields.set(name, { anyField: { value } });
    }
    const service = (token: JsonToken): void => void this.#row?.services.add(token.text());
    for (const name of SERVICES) fields.set(name, { item: { value: service } });
    return fields;
  }

  #volumePlace(): JsonPlace {
    const numbers = VOLUME_NUMBERS.map((name): [string, JsonPlace] => [
      name,
      { value: (token) => this.#readNumber(token, this.#volume?.numbers) },
    ]);
    const providerID: JsonPlace = {
      value: (token) => {
        if (this.#volume && !token.isNull) this.#volume.providerID = token.text();
      },
    };
    return {
      fields: new Map([...numbers, ['providerID', providerID]]),
      enter: (key) => {
        this.#volume = { key, numbers: new Map(), providerID: '' };
        this.#row?.volumes.push(this.#volume);
      },
    };
  }

  #balancerPlace(): JsonPlace {
    const text: JsonPlace = {
      value: (token) => {
        if (!token.isNull) this.#balancer?.texts.set(token.field, token.text());
      },
    };
    const cost: JsonPlace = { value: (token) => this.#readNumber(token, this.#balancer?.numbers) };
    return {
      fields: new Map([['cost', cost], ...BALANCER_TEXTS.map((name) => [name, text] as const)]),
      enter: (key) => {
        this.#balancer = { key, numbers: new Map(), texts: new Map() };
        this.#row?.balancers.push(this.#balancer);
      },
    };
  }

  #textPlace(name: string): JsonPlace {
    return {
      value: (token) => {
        if (!token.isNull) this.#row?.texts.set(name, token.text());
      },
    };
  }

  #numberPlace(): JsonPlace {
    return { value: (token) => this.#readNumber(token, this.#row?.numbers) };
  }

  #readNumber(token: JsonToken, to: Map<string, number> | undefined): void {
    if (token.isNull) return;
    const text = token.text();
    const value = text.trim() === '' ? NaN : Number(text);
    if (!Number.isFinite(value)) throw new SavedRowFault(token.field, `is '${text}', not a number`);
    to?.set(token.field, value);
  }
}
