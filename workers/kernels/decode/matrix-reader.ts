// What a reader of a matrix has in memory (matrix.ts).

import { JsonSkip } from "./json-skip";
import { WrittenLabels } from "./label-writer";

/** A reader of zeros, but for the room that it has, stands at the first series. */
@unmanaged
export class MatrixReader extends JsonSkip {
  /** the number that was read last */
  number: f64;
  /** what the caller read at oddTimeAt (ms) and oddValueAt; 0: nothing */
  oddTime: f64;
  oddValue: f64;
  oddTimeAt: u32;
  oddValueAt: u32;
  /** the number that the caller has to read */
  tokenFrom: u32;
  tokenTo: u32;
  /** what may come next, see matrix.ts */
  step: u32;
  // the series at hand
  labels: WrittenLabels;
  /** bytes that its labels take with the next one, where they do not fit */
  neededBytes: u32;
  /** f64 each, ms and values: `room` of them, of which `samples` are read */
  times: u32;
  values: u32;
  room: u32;
  samples: u32;
  /** of the values: NaN and infinities */
  nonFinite: u32;
}
