/**
 * The kernels as TypeScript calls them.
 * Generated from workers/kernels by `node --import tsx scripts/write-layout.ts`.
 */

/** Exports of kernels.wasm. Addresses are unsigned; wasm gives them back signed: use `>>> 0`. */
export interface KernelExports {
  foldCrc32(bytes: number, length: number, room: number): number;
  crc32c(table: number, bytes: number, length: number): number;
  crc32cTable(table: number): void;
  decodeXorChunk(
    chunk: number,
    length: number,
    timestamps: number,
    values: number,
    room: number,
  ): number;
  condense(s: number): number;
  findKey(index: number, labels: number, labelsEnd: number): number;
  indexKeys(index: number, count: number): void;
  readMatrix(m: number): number;
  accumulateUsage(m: number): number;
  closeHours(m: number, from: number): number;
  finishMeter(m: number, from: number, to: number): number;
  addToAll(from: number, count: number, by: number, out: number): void;
  agreedCodes(first: number, groups: number, out: number): void;
  anyCode(codes: number, rows: number): number;
  bytesOfBits(words: number, others: number, rows: number, out: number): void;
  commonCodes(codes: number, groups: number, rows: number, first: number): void;
  greatestValues(values: number, groups: number, rows: number, greatest: number): void;
  mapCodes(codes: number, rows: number, table: number, out: number): void;
  mapSelectedCodes(
    codes: number,
    selected: number,
    rows: number,
    table: number,
    rest: number,
    out: number,
  ): void;
  markBits(codes: number, rows: number, words: number): void;
  markCodes(codes: number, rows: number, used: number): void;
  narrowCodes(codes: number, rows: number, width: number, out: number): void;
  numberCodes(codes: number, rows: number, numbers: number, listed: number, out: number): number;
  numberPairs(
    left: number,
    right: number,
    rows: number,
    slots: number,
    mask: number,
    pairs: number,
    out: number,
  ): number;
  rowsOfValue(values: number, rows: number, value: number, out: number): number;
  shiftCodes(codes: number, rows: number, first: number, out: number): void;
  splitPairs(pairs: number, count: number, left: number, right: number): void;
  joinPairs(
    columns: number,
    rows: number,
    separator: number,
    other: number,
    otherBytes: number,
    offsets: number,
    bytes: number,
  ): void;
  joinTexts(columns: number, parts: number, rows: number, offsets: number, bytes: number): number;
  measureJoined(columns: number, parts: number, rows: number): number;
  markRepeats(columns: number, parts: number, rows: number, out: number): number;
  runningIn(
    table: number,
    count: number,
    set: number,
    start: number,
    end: number,
    resolution: number,
    isUnseen: number,
  ): number;
  sharePods(table: number, ran: number, set: number): void;
  addAgreed(
    t: number,
    offsets: number,
    bytes: number,
    pairs: number,
    common: number,
    groups: number,
    longest: number,
    work: number,
    lengths: number,
    scratch: number,
    from: number,
    out: number,
  ): number;
  addLabels(
    t: number,
    offsets: number,
    bytes: number,
    used: number,
    count: number,
    name: number,
    nameBytes: number,
    alike: number,
    alikeBytes: number,
    other: number,
    otherBytes: number,
    scratch: number,
    from: number,
    out: number,
  ): number;
  agreeLabels(
    found: number,
    count: number,
    common: number,
    groups: number,
    starts: number,
    lists: number,
    longest: number,
    work: number,
    lengths: number,
  ): void;
  longestText(offsets: number, count: number): number;
  splitLabels(
    t: number,
    offsets: number,
    bytes: number,
    used: number,
    count: number,
    from: number,
    starts: number,
    lists: number,
    names: number,
  ): number;
  orderTexts(
    offsets: number,
    bytes: number,
    count: number,
    records: number,
    spare: number,
    order: number,
  ): void;
  addShared(
    rows: number,
    count: number,
    field: number,
    stride: number,
    shares: number,
    divisor: number,
    out: number,
  ): void;
  mapField(
    rows: number,
    count: number,
    field: number,
    stride: number,
    divisor: number,
    out: number,
  ): void;
  mapFieldSum(
    rows: number,
    count: number,
    field: number,
    other: number,
    stride: number,
    divisor: number,
    out: number,
  ): void;
  mapNumbers(rows: number, count: number, values: number, out: number): void;
  addOverlaps(
    starts: number,
    ends: number,
    places: number,
    rows: number,
    from: number,
    until: number,
    rates: number,
    out: number,
  ): void;
  addRated(values: number, places: number, rows: number, rates: number, out: number): void;
  sumOverlaps(
    starts: number,
    ends: number,
    places: number,
    rows: number,
    from: number,
    until: number,
    sums: number,
  ): void;
  sumPlaces(values: number, places: number, rows: number, sums: number): void;
  escapeTexts(
    form: number,
    offsets: number,
    bytes: number,
    count: number,
    outOffsets: number,
    out: number,
  ): void;
  measureTexts(
    form: number,
    offsets: number,
    bytes: number,
    used: number,
    count: number,
    outOffsets: number,
  ): number;
  addColumn(values: number, rows: number, out: number): void;
  addWeighted(
    values: number,
    weights: number,
    rows: number,
    sums: number,
    weightSums: number,
  ): void;
  averageColumn(values: number, hours: number, rows: number, out: number): void;
  divideColumn(divisors: number, rows: number, out: number): void;
  efficiencyColumn(used: number, requests: number, costs: number, rows: number, out: number): void;
  hoursBetween(starts: number, ends: number, rows: number, out: number): void;
  meanColumn(weightSums: number, rows: number, out: number): void;
  multiplyColumn(values: number, rows: number, out: number): void;
  scaleColumn(values: number, by: number, rows: number, out: number): void;
  writeRows(
    program: number,
    from: number,
    to: number,
    out: number,
    outEnd: number,
    cells: number,
  ): bigint;
  groupedCounts(keys: number, rows: number, out: number): void;
  groupedExtremes4(keys: number, columns: number, rows: number, out: number): void;
  groupedSums4(keys: number, columns: number, rows: number, out: number): void;
  groupedSums8(keys: number, columns: number, rows: number, out: number): void;
  groupedSumsCompensated4(keys: number, columns: number, rows: number, out: number): void;
  groupedSumsCompensated8(keys: number, columns: number, rows: number, out: number): void;
  readColumns8(columns: number, bytes: number): number;
  clearExtremes(records: number, groups: number): void;
  greatestOfRecords(records: number, stride: number, groups: number, out: number): void;
  leastOfRecords(records: number, stride: number, groups: number, out: number): void;
  sumsOfRecords(records: number, stride: number, error: number, groups: number, out: number): void;
  countByte(from: number, length: number, byte: number): number;
  readCsv(table: number): number;
  addSketches(t: number, from: number, ids: number, i: number, count: number): number;
  countValues(t: number, ids: number, values: number, i: number, count: number): number;
  encodeSketches(
    t: number,
    first: number,
    stride: number,
    rows: number,
    offsets: number,
    out: number,
  ): number;
  mergeSketches(
    t: number,
    ids: number,
    offsets: number,
    bytes: number,
    i: number,
    rows: number,
  ): number;
  sketchQuantiles(t: number, count: number, q: number, out: number): void;
  addLargest(
    ids: number,
    rows: number,
    values: number,
    counted: number,
    records: number,
    place: number,
  ): void;
  addRuns(ids: number, rows: number, columns: number, selected: number, records: number): void;
  joinDemand(ids: number, count: number, from: number, texts: number, records: number): void;
  addText(t: number, at: number, length: number): number;
  addUsed(
    t: number,
    offsets: number,
    bytes: number,
    used: number,
    count: number,
    from: number,
    out: number,
  ): number;
  copyTexts(offsets: number, bytes: number, listed: number, count: number, out: number): void;
  findText(t: number, at: number, length: number): number;
  isPlain(at: number, length: number, other: number): number;
  mergeTexts(t: number, offsets: number, bytes: number, count: number, out: number): void;
  placeTexts(offsets: number, listed: number, count: number, out: number): number;
  numberTuples(
    t: number,
    columns: number,
    rows: number,
    without: number,
    scratch: number,
    out: number,
  ): void;
  spreadNumbers(hashes: number, count: number, slots: number, mask: number): void;
}
