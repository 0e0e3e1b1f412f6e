/**
 * Structures that kernels share, as objects whose fields read and write the arena. The offsets of fields
 * are generated (faces/layout).
 *
 *   const meter = structAt(arena, address, METER);
 *   meter.spanRoom = 2 * meter.spanCount;
 */
import type { Arena } from './arena.ts';

type Places = Readonly<Record<string, number>>;

/** Bytes of a structure, and the offsets of its fields by type. */
export interface Layout {
  readonly bytes: number;
  readonly u32?: Places;
  readonly i32?: Places;
  readonly f64?: Places;
}

type FieldOf<L extends Layout> =
  | (L extends { u32: infer Fields } ? keyof Fields : never)
  | (L extends { i32: infer Fields } ? keyof Fields : never)
  | (L extends { f64: infer Fields } ? keyof Fields : never);

export type Struct<L extends Layout> = Record<FieldOf<L>, number>;

/** The class of each layout: fields are accessors of its prototype. */
const CLASSES: Map<Layout, StructClass> = new Map();

type StructClass = new (arena: Arena, address: number) => object;

/** A view on the structure at `address`. Addresses written to fields are cut to their low 32 bits. */
export function structAt<L extends Layout>(arena: Arena, address: number, layout: L): Struct<L> {
  let type = CLASSES.get(layout);
  if (type === undefined) CLASSES.set(layout, (type = structClass(layout)));
  return new type(arena, address) as Struct<L>;
}

/** Writes the fields named; others stay. */
export function fillStruct<L extends Layout>(
  arena: Arena,
  address: number,
  layout: L,
  fields: Partial<Struct<L>>,
): void {
  Object.assign(structAt(arena, address, layout), fields);
}

/** Reads one number of structures that follow each other: of the i-th. @param place the number's, as told there */
export function eachNumber(
  arena: Arena,
  address: number,
  count: number,
  { bytes }: Layout,
  place: number,
): (i: number) => number {
  const numbers = arena.f64(address, (count * bytes) / 8);
  return (i) => numbers[(i * bytes + place) / 8] ?? NaN;
}

function structClass({ bytes, u32 = {}, i32 = {}, f64 = {} }: Layout): StructClass {
  const isSigned = Object.keys(i32).length > 0;
  const isReal = Object.keys(f64).length > 0;
  class StructView {
    readonly u32: Uint32Array;
    readonly i32: Int32Array | undefined;
    readonly f64: Float64Array | undefined;
    constructor(arena: Arena, address: number) {
      this.u32 = arena.u32(address, bytes / 4);
      this.i32 = isSigned ? arena.i32(address, bytes / 4) : undefined;
      this.f64 = isReal ? arena.f64(address, bytes / 8) : undefined;
    }
  }
  const define = (type: 'u32' | 'i32' | 'f64', places: Places, width: number): void => {
    for (const [name, place] of Object.entries(places)) {
      const index = place / width;
      Object.defineProperty(StructView.prototype, name, {
        get(this: StructView) {
          return this[type]?.[index];
        },
        set(this: StructView, value: number) {
          const values = this[type];
          if (values) values[index] = value;
        },
      });
    }
  };
  define('u32', u32, 4);
  define('i32', i32, 4);
  define('f64', f64, 8);
  return StructView;
}
