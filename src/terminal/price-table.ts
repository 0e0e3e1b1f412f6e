/** List prices as a table: a line a type and region, USD an hour. */
import type { ListPrice } from '../pricing/index.ts';

const HEAD = ['provider', 'region', 'type', 'cores', 'GiB', 'GPUs', 'USD/h', 'spot', 'collected'];
/** The first columns are texts, aligned left; numbers are aligned right. */
const TEXTS = 3;

/** A price that was computed of a sibling has a `~`. */
export function priceTable(
  prices: readonly (ListPrice & { readonly collected: string })[],
): string {
  const rows = prices.map((price) => [
    price.provider,
    price.region,
    price.name,
    String(price.cpuCores),
    String(price.ramGiB),
    price.gpus === 0 ? '' : `${price.gpus} ${price.gpuModel}`,
    `${price.isComputed ? '~' : ''}${price.usdPerHour}`,
    price.spotUsdPerHour === price.spotUsdPerHour ? String(price.spotUsdPerHour) : '',
    price.collected,
  ]);
  return textTable([HEAD, ...rows]);
}

/** @param lines cells, the first line the head; all have as many */
export function textTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, i) =>
    lines.reduce((most, line) => Math.max(most, line[i]?.length ?? 0), 0),
  );
  const texts = lines.map((line) =>
    line.map((cell, i) =>
      i < TEXTS ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    ),
  );
  return texts.map((cells) => `${cells.join('  ').trimEnd()}\n`).join('');
}
