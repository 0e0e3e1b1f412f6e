/** The first of many by value, in order, without sorting all of them. */

/**
 * @param most how many; equal values are in order of their places
 * @returns places of `values`, the first one first
 */
export function firstOf(
  values: Float64Array | Uint32Array,
  most: number,
  isAscending: boolean,
): Uint32Array {
  const size = Math.min(most, values.length);
  const isBefore = (a: number, b: number): boolean => {
    const [left, right] = [values[a] ?? 0, values[b] ?? 0];
    if (left === right) return a < b;
    return isAscending ? left < right : left > right;
  };
  // A heap whose first is the last one of those found so far.
  const heap = firstPlaces(size);
  const sink = (from: number): void => {
    const place = heap[from] ?? 0;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      const [left, right] = [heap[child] ?? 0, heap[child + 1] ?? 0];
      const isRight = child + 1 < size && isBefore(left, right);
      const later = isRight ? right : left;
      if (!isBefore(place, later)) break;
      heap[at] = later;
      at = isRight ? child + 1 : child;
    }
    heap[at] = place;
  };
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at);
  // Most are after the last one: those are passed over without a call. Equal ones come later.
  let last = values[heap[0] ?? 0] ?? 0;
  for (let place = size; size > 0 && place < values.length; place++) {
    const value = values[place] ?? 0;
    if (isAscending ? !(value < last) : !(value > last)) continue;
    heap[0] = place;
    sink(0);
    last = values[heap[0] ?? 0] ?? 0;
  }
  return heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

function firstPlaces(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, place) => place);
}
