/** Watches the roll-outs of changed controllers, as new pods may not come up. */
import type { ClusterApi } from '../../cluster/index.ts';
import { hasFailedRollOut, nameText, type ControllerName } from './controller.ts';

export class RollOuts {
  readonly #api: ClusterApi;
  readonly #signal: AbortSignal;
  #watched: ControllerName[] = [];
  readonly #failed: string[] = [];

  constructor(api: ClusterApi, signal: AbortSignal) {
    this.#api = api;
    this.#signal = signal;
  }

  /** Names of controllers whose roll-out failed. */
  get failed(): readonly string[] {
    return this.#failed;
  }

  watch(controller: ControllerName): void {
    this.#watched.push(controller);
  }

  /** Looks at the controller that was looked at longest ago. */
  async lookAtNext(): Promise<void> {
    const [next, ...others] = this.#watched;
    if (next === undefined) return;
    // A controller that cannot be read now is looked at again.
    const object = await this.#api.get(next.kind, next, this.#signal).catch(() => undefined);
    const hasFailed = object !== undefined && hasFailedRollOut(object);
    if (hasFailed) this.#failed.push(nameText(next));
    this.#watched = hasFailed ? others : [...others, next];
  }

  async lookAtAll(): Promise<void> {
    for (let left = this.#watched.length; left > 0; left--) await this.lookAtNext();
  }
}
