/**
 * Parts of a whole as tiles, each as near a square as it gets: rows of tiles along the shorter side
 * (https://vanwijk.win.tue.nl/stm.pdf).
 */

export interface Tile {
  /** Which of the amounts. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Room {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** @param amounts from the largest to the least; none, and less, have no tile */
export function tilesOf(amounts: readonly number[], width: number, height: number): Tile[] {
  const tiles: Tile[] = [];
  let rest = amounts.reduce((sum, amount) => sum + Math.max(0, amount), 0);
  let room: Room = { x: 0, y: 0, width, height };
  let first = 0;
  while (first < amounts.length && rest > 0 && (amounts[first] ?? 0) > 0) {
    const perAmount = (room.width * room.height) / rest;
    const side = Math.min(room.width, room.height);
    const [end, sum] = rowEnd(amounts, first, perAmount, side);
    const isLast = end >= amounts.length || !((amounts[end] ?? 0) > 0);
    room = layRow(tiles, amounts.slice(first, end), { first, sum, room, isLast, perAmount });
    rest -= sum;
    first = end;
  }
  return tiles;
}

/** The row grows while its worst tile gets nearer to a square. */
function rowEnd(
  amounts: readonly number[],
  first: number,
  perAmount: number,
  side: number,
): [end: number, sum: number] {
  const most = (amounts[first] ?? 0) * perAmount;
  let sum = 0;
  let worst = Infinity;
  let end = first;
  for (; end < amounts.length; end++) {
    const area = (amounts[end] ?? 0) * perAmount;
    if (!(area > 0)) break;
    const total = (sum + (amounts[end] ?? 0)) * perAmount;
    const ratio = Math.max((side ** 2 * most) / total ** 2, total ** 2 / (side ** 2 * area));
    if (ratio > worst) break;
    worst = ratio;
    sum += amounts[end] ?? 0;
  }
  return [end, sum];
}

/** @returns the room that is left */
function layRow(
  tiles: Tile[],
  row: readonly number[],
  how: {
    readonly first: number;
    readonly sum: number;
    readonly room: Room;
    readonly isLast: boolean;
    readonly perAmount: number;
  },
): Room {
  const { first, sum, room, isLast, perAmount } = how;
  const isUpright = room.width >= room.height;
  const side = isUpright ? room.height : room.width;
  const whole = isUpright ? room.width : room.height;
  const depth = isLast ? whole : Math.min(whole, (sum * perAmount) / side);
  let along = 0;
  for (const [index, amount] of row.entries()) {
    const length = (amount / sum) * side;
    tiles.push(
      isUpright
        ? { at: first + index, x: room.x, y: room.y + along, width: depth, height: length }
        : { at: first + index, x: room.x + along, y: room.y, width: length, height: depth },
    );
    along += length;
  }
  return isUpright
    ? { x: room.x + depth, y: room.y, width: room.width - depth, height: room.height }
    : { x: room.x, y: room.y + depth, width: room.width, height: room.height - depth };
}
