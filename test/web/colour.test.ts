/** Twelve hues that stay with names, and are told apart without red or without green. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { colourOf, HUES } from '../../src/web/colour.ts';

const CSS = readFileSync(new URL('../../src/web/css/hues.css', import.meta.url), 'utf8');
/** Least distance in OKLab (https://bottosson.github.io/posts/oklab/); 0.02 is just seen side by side. */
const LEAST = 0.09;

type Three = readonly [number, number, number];

function hues(css: string): Three[] {
  return [...css.matchAll(/\.hue-\d+ \{\s*--hue: #([0-9a-f]{6});/g)].map(([, hex = '']) => {
    const part = (at: number): number => linear(parseInt(hex.slice(at, at + 2), 16) / 255);
    return [part(0), part(2), part(4)];
  });
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Machado, Oliveira and Fernandes 2009, severity 1.0: what is seen of linear RGB. */
const EYES: Readonly<Record<string, readonly Three[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function seen([r, g, b]: Three, eye: readonly Three[]): Three {
  const one = (row: Three | undefined): number => {
    const [x, y, z] = row ?? [0, 0, 0];
    return Math.min(1, Math.max(0, x * r + y * g + z * b));
  };
  return [one(eye[0]), one(eye[1]), one(eye[2])];
}

function lab([r, g, b]: Three): Three {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function leastDistance(colours: readonly Three[], eye: readonly Three[]): number {
  const labs = colours.map((colour) => lab(seen(colour, eye)));
  const pairs = labs.flatMap((a, at) =>
    labs.slice(at + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])),
  );
  return Math.min(...pairs);
}

for (const [eye, matrix] of Object.entries(EYES)) {
  test(`the hues are told apart: ${eye}`, () => {
    const colours = hues(CSS);
    assert.equal(colours.length, HUES);
    const least = leastDistance(colours, matrix);
    assert.ok(least >= LEAST, `the nearest two are ${least.toFixed(3)} apart`);
  });
}

test('red and green of one lightness would not pass', () => {
  const planted = hues('.hue-0 { --hue: #b05a3c; } .hue-1 { --hue: #6f7a3a; }');
  assert.ok(leastDistance(planted, EYES['deuteranopia'] ?? []) < LEAST);
});

test('a name has one colour, and names use all of them', () => {
  assert.equal(colourOf('web'), 'hue-6');
  const used = new Set(Array.from({ length: 500 }, (_, index) => colourOf(`namespace-${index}`)));
  assert.equal(used.size, HUES);
});

test('rows that the API makes have greys, and a name like theirs has none', () => {
  const greys = [
    '__idle__',
    'production/__idle__',
    '__unallocated__',
    '__unmounted__',
    '__external__',
    'other',
  ];
  for (const name of greys) assert.doesNotMatch(colourOf(name), /^hue-/, name);
  for (const name of ['constructor', '__proto__', 'toString', 'idle'])
    assert.match(colourOf(name), /^hue-\d+$/, name);
});
