/** Bytes of a block that are not what was written: what is read of it fails, and names the place. */
import { Unavailable } from '../../query/index.ts';

export class DamagedBlock extends Unavailable {
  readonly path: string;
  /** In the file, in bytes. */
  readonly offset: number;
  readonly reason: string;

  constructor(path: string, offset: number, reason: string, cause?: unknown) {
    const hint =
      'move the folder of the block away, or restore it, and start again: until then reads fail';
    super(`${path} is damaged at byte ${offset}: ${reason}`, { hint, cause });
    this.name = 'DamagedBlock';
    this.path = path;
    this.offset = offset;
    this.reason = reason;
  }
}
