// Moments as RFC 3339 in UTC, with milliseconds only where they are not 0; years outside of 0 to 9999
// with a sign and six digits, as by toISOString. Days to dates: Howard Hinnant's civil_from_days
// (https://howardhinnant.github.io/date_algorithms.html).

import { writePadded, ZERO } from "./digits";

/** The last moment that a Date can have: 10^8 days from 1970. */
const GREATEST_MS: f64 = 8.64e15;
const DAY_MS: i64 = 86400000;
/** Days of 400 years. */
const ERA: i64 = 146097;
/** Days from 0000-03-01 to 1970-01-01. */
const TO_1970: i64 = 719468;

@inline function floorDivided(a: i64, by: i64): i64 { return (a >= 0 ? a : a - by + 1) / by; }

/** Two digits and what follows them. */
@inline function writePair(p: usize, n: u32, then: u32): usize {
  store<u8>(p, ZERO + <u8>(n / 10));
  store<u8>(p, ZERO + <u8>(n % 10), 1);
  store<u8>(p, <u8>then, 2);
  return p + 3;
}

/**
 * Writes the moment `ms` after 1970, cut to whole ms, at p (at most VALUE_BYTES are touched); nothing
 * beyond the range of Date. @returns the end
 */
export function writeMoment(p: usize, ms: f64): usize {
  if (!(abs(ms) <= GREATEST_MS)) return p;
  const at = <i64>ms;
  const day = floorDivided(at, DAY_MS);
  const ofDay = <u32>(at - day * DAY_MS);
  p = writeDay(p, day + TO_1970);
  p = writePair(p, ofDay / 3600000, 58); // :
  p = writePair(p, ofDay / 60000 % 60, 58);
  const milliseconds = ofDay % 1000;
  if (milliseconds == 0) return writePair(p, ofDay / 1000 % 60, 90); // Z
  p = writePair(p, ofDay / 1000 % 60, 46); // .
  p = writePadded(p, milliseconds, 3);
  store<u8>(p, 90);
  return p + 1;
}

/** @param day counted from 0000-03-01; years begin with March, so that a leap day ends them */
function writeDay(p: usize, day: i64): usize {
  const era = floorDivided(day, ERA);
  const ofEra = <u32>(day - era * ERA);
  const yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  const ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const fromMarch = (5 * ofYear + 2) / 153;
  const dayOfMonth = ofYear - (153 * fromMarch + 2) / 5 + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = <i32>(<i64>yearOfEra + era * 400) + <i32>(month <= 2);
  const isPlain = year >= 0 && year <= 9999;
  if (!isPlain) store<u8>(p++, year < 0 ? 45 : 43);
  p = writePadded(p, <u64>abs(year), isPlain ? 4 : 6);
  store<u8>(p, 45); // -
  return writePair(writePair(p + 1, month, 45), dayOfMonth, 84); // T
}
