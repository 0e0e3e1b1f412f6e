/** Two circles whose areas, and the area that both have, are as large as costs. */

interface Circle {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

export interface Venn {
  readonly left: Circle;
  readonly right: Circle;
  /** The outline of what both have; '' for nothing. */
  readonly both: string;
  readonly width: number;
  readonly height: number;
}

const GAP = 12;
const EDGE = 2;

/**
 * @param costs of the two, above 0, and of what both have
 * @param height of the larger circle with its edge, px
 */
export function vennOf([a, b]: readonly [number, number], both: number, height: number): Venn {
  const most = Math.max(a, b);
  const largest = height / 2 - EDGE;
  const [ra, rb] = [a, b].map((cost) => largest * Math.sqrt(cost / most)) as [number, number];
  const perArea = (Math.PI * largest * largest) / most;
  const distance = distanceOf(ra, rb, both * perArea);
  const y = height / 2;
  // A circle within a larger one reaches beyond neither of its sides.
  const start = Math.max(ra, rb - distance) + EDGE;
  const left = { x: start, y, r: ra };
  const right = { x: start + distance, y, r: rb };
  const width = Math.max(left.x + ra, right.x + rb) + EDGE;
  return { left, right, both: lens(left, right), width, height };
}

/** The distance of two circles that share an area, px². */
function distanceOf(ra: number, rb: number, area: number): number {
  if (area <= 0) return ra + rb + GAP;
  let [near, far] = [Math.abs(ra - rb), ra + rb];
  if (area >= sharedArea(ra, rb, near) * (1 - 1e-9)) return near;
  for (let step = 0; step < 60; step++) {
    const middle = (near + far) / 2;
    if (sharedArea(ra, rb, middle) > area) near = middle;
    else far = middle;
  }
  return (near + far) / 2;
}

/** https://mathworld.wolfram.com/Circle-CircleIntersection.html (14) */
export function sharedArea(ra: number, rb: number, distance: number): number {
  if (distance >= ra + rb) return 0;
  if (distance <= Math.abs(ra - rb)) return Math.PI * Math.min(ra, rb) ** 2;
  const cosine = (own: number, other: number): number =>
    clamped((distance ** 2 + own ** 2 - other ** 2) / (2 * distance * own));
  const product =
    (-distance + ra + rb) * (distance + ra - rb) * (distance - ra + rb) * (distance + ra + rb);
  return (
    ra ** 2 * Math.acos(cosine(ra, rb)) +
    rb ** 2 * Math.acos(cosine(rb, ra)) -
    Math.sqrt(Math.max(0, product)) / 2
  );
}

function clamped(value: number): number {
  return Math.min(1, Math.max(-1, value));
}

function lens(left: Circle, right: Circle): string {
  const distance = right.x - left.x;
  if (distance >= left.r + right.r) return '';
  if (distance <= Math.abs(left.r - right.r) + 1e-6) return ring(left.r < right.r ? left : right);
  const along = (distance ** 2 + left.r ** 2 - right.r ** 2) / (2 * distance);
  const up = Math.sqrt(Math.max(0, left.r ** 2 - along ** 2));
  const x = left.x + along;
  // An arc of more than a half circle where the chord is beyond the middle.
  const [isLargeLeft, isLargeRight] = [along < 0, along > distance];
  const arc = ({ r }: Circle, isLarge: boolean, to: number): string =>
    `A ${px(r)} ${px(r)} 0 ${isLarge ? 1 : 0} 1 ${px(x)} ${px(to)}`;
  const [top, bottom] = [left.y - up, left.y + up];
  return `M ${px(x)} ${px(top)} ${arc(left, isLargeLeft, bottom)} ${arc(right, isLargeRight, top)} Z`;
}

function ring({ x, y, r }: Circle): string {
  const half = (to: number): string => `A ${px(r)} ${px(r)} 0 1 1 ${px(to)} ${px(y)}`;
  return `M ${px(x - r)} ${px(y)} ${half(x + r)} ${half(x - r)} Z`;
}

function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
