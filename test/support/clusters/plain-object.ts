import type { SimulatedObject } from '../../../src/demo/index.ts';

/** An object as a cluster has it, with more fields than prorata reads. */
export interface PlainObject {
  readonly metadata: {
    readonly name: string;
    /** '' for what is of no namespace. */
    readonly namespace: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: object;
  readonly status?: object;
}

export function asStored(object: PlainObject): SimulatedObject {
  return object as unknown as SimulatedObject;
}

/** As the API writes times: whole seconds. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}
