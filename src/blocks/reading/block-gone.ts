/** A block that was deleted while it was read: what it had is in another one by now, or is not wanted. */
export class BlockGone extends Error {
  readonly ulid: string;
  /** The file that was not there, for who finds that the block is. */
  readonly path: string;

  constructor(ulid: string, path: string) {
    super(`BUG: ${path} is gone, and nobody listed again`);
    this.ulid = ulid;
    this.path = path;
  }
}
