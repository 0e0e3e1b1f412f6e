/** A disk that is full, or whose process is killed: a write under way leaves half a file. */
import type { Disk } from '../../../src/storage/index.ts';
import { QUICK_DISK } from '../stores/crash-disk.ts';

export class Killed extends Error {}

export class SimulatedDisk implements Disk {
  isFull: boolean = false;
  /** How many operations are left until the process is killed. */
  left: number = Infinity;
  /** For a planted break: manifests are told to be written, and are not. */
  isLying: boolean = false;

  get isDead(): boolean {
    return this.left <= 0;
  }

  makeFolder(path: string): Promise<void> {
    return this.#do(() => QUICK_DISK.makeFolder(path));
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const half = (): Promise<void> => QUICK_DISK.write(path, bytes.subarray(0, bytes.length / 2));
    if (this.isFull && !this.isDead) {
      await half();
      throw Object.assign(new Error('ENOSPC: simulated'), { code: 'ENOSPC' });
    }
    await this.#do(() => QUICK_DISK.write(path, bytes), half);
  }

  rename(from: string, to: string): Promise<void> {
    if (this.isLying && /(manifest|collections)[-\d]*\.json$/.test(to)) return Promise.resolve();
    return this.#do(() => QUICK_DISK.rename(from, to));
  }

  syncFolder(path: string): Promise<void> {
    return this.#do(() => QUICK_DISK.syncFolder(path));
  }

  remove(path: string): Promise<void> {
    return this.#do(() => QUICK_DISK.remove(path));
  }

  async #do(work: () => Promise<void>, half?: () => Promise<void>): Promise<void> {
    if (this.isDead) throw new Killed('the process is gone');
    if (--this.left > 0) return await work();
    await half?.();
    throw new Killed('the process is gone');
  }
}
