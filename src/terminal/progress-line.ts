/** One line on a terminal that shows the progress of a command and is redrawn in place. */

/** The used part of a terminal: standard error. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The content of the line. */
export interface Shown {
  /** Share of the work, in [0, 1]; NaN if it is not known. */
  readonly fraction: number;
  readonly doing: string;
}

export interface ProgressLine {
  /** Calls `shown` only when it is time to draw. */
  draw(shown: () => Shown): void;
  /** Removes the line. */
  end(): void;
}

const SILENT: ProgressLine = { draw: () => undefined, end: () => undefined };
const EVERY_MS = 100;
const BAR_CELLS = 12;
const ERASE = '\r\u001b[2K';
/** With less work done, an estimate of the remaining time is a guess. */
const ETA_FROM = 0.05;

/** @param env NO_COLOR (https://no-color.org) leaves out colours; a dumb terminal shows nothing */
export function createLine(
  terminal: Terminal | undefined,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number = () => performance.now(),
): ProgressLine {
  if (terminal?.isTTY !== true || env['TERM'] === 'dumb') return SILENT;
  const isColoured = !env['NO_COLOR'];
  const beganMs = nowMs();
  let drawnMs = -Infinity;
  return {
    draw(shown) {
      if (nowMs() - drawnMs < EVERY_MS) return;
      drawnMs = nowMs();
      const line = lineOf(shown(), (nowMs() - beganMs) / 1000);
      const text = line.slice(0, (terminal.columns || 80) - 1);
      terminal.write(ERASE + (isColoured ? text.replace(/█+/, '\u001b[32m$&\u001b[39m') : text));
    },
    end() {
      if (drawnMs > -Infinity) terminal.write(ERASE);
      drawnMs = -Infinity;
    },
  };
}

function lineOf({ fraction, doing }: Shown, seconds: number): string {
  if (Number.isNaN(fraction)) return doing;
  const full = Math.round(fraction * BAR_CELLS);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
  const eta = fraction < ETA_FROM ? '' : ` ETA ${clock((seconds / fraction) * (1 - fraction))}`;
  return `${bar} ${Math.floor(fraction * 100)}%${eta}  ${doing}`;
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
