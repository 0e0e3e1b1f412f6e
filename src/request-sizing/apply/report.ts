/** The result of an apply or an undo. */
import type { Changed } from './change-controller.ts';
import { nameText, type ControllerName } from './controller.ts';

/** Endpoint 9's result, but for the plan. The lists are never null. */
export interface RunResult {
  readonly TimeInitiated: string;
  readonly TimeFinished: string;
  readonly Errors: readonly string[];
  readonly Warnings: readonly string[];
}

export class Report {
  readonly errors: string[] = [];
  readonly #warnings: string[];
  /** Controllers in a row for which the API did not answer. */
  unreachable = 0;

  constructor(warnings: readonly string[]) {
    this.#warnings = [...warnings];
  }

  get lists(): Pick<RunResult, 'Errors' | 'Warnings'> {
    return { Errors: this.errors, Warnings: this.#warnings };
  }

  add(controller: ControllerName, changed: Changed): void {
    const name = nameText(controller);
    this.unreachable = changed.is === 'failed' && changed.isUnreachable ? this.unreachable + 1 : 0;
    if (changed.is === 'failed') this.errors.push(`${name}: ${changed.why}`);
    else this.#warnings.push(...changed.warnings.map((warning) => `${name}: ${warning}`));
  }
}
