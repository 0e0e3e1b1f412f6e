/** Bytes of a block that are not what was written: what is read of it fails, and names the place. */
import { Unavailable } from '../../query/index.ts';

export class DamagedBlock extends Unavailable {
  readonly path: string;
  /** In the file, in bytes. */
  readonly offset: number;
  readonly reason: string;

  constructor(path: string, offset: number, reason: string, cause?: unknown) {
    const hint =
      'move the folder of the block away, or restore it: what it holds is not answered meanwhile';
    super(`${path} is damaged at byte ${offset}: ${reason}`, { hint, cause });
    this.name = 'DamagedBlock';
    this.path = path;
    this.offset = offset;
    this.reason = reason;
  }
}
