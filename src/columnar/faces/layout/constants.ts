/**
 * Constants that TypeScript and kernels share; each is told beside its kernel.
 * Generated from workers/kernels by `node --import tsx scripts/write-layout.ts`.
 */

export const FOLD_ROOM = 25296;
export const FOLDED_AT = 9600;
export const CRC_ROOM = 25920;
export const CONDENSE_SCRATCH_BYTES = 272;
export const OTHER_METRIC = 2;
export const OUTPUT_FULL = 1;
export const KEY_SCRATCH_BYTES = 120;
export const NAME_IS_PREFIX = 2147483648;
export const BAD_TEXT = -2;
export const JSON_MORE = 0;
export const JSON_SLACK = 16;
export const UNEXPECTED = -1;
export const TOO_DEEP = -3;
export const NOT_PAIR = -4;
export const ODD_TIME = 5;
export const ODD_VALUE = 6;
export const COLUMNS_FULL = 3;
export const CROWDED = -5;
export const MATRIX_END = 2;
export const LABELS_FULL = 4;
export const MATRIX_SERIES = 1;
export const CHUNKED_READ = 0;
export const CURSOR_ROOM = 69632;
export const NO_ROOM = -3;
export const SAMPLES = 1;
export const WRONG_CHECKSUM = -2;
export const PART = 5;
export const SAMPLES_FULL = 4;
export const SPANS_FULL = 3;
export const UNKNOWN = 2;
export const MIXED_CODES = -2;
export const NO_CODE = -1;
export const NAME_FIRST = 1;
export const NAME_UNIQUE = 0;
export const NAME_REPEAT = 2;
export const FORM_CSV = 1;
export const FORM_JSON = 0;
export const COLUMN_CELLS = 512;
export const KIND_FIXED = 2;
export const KIND_LITERAL = 0;
export const KIND_MEMBER = 5;
export const KIND_MOMENT = 6;
export const KIND_NUMBER = 1;
export const KIND_TEXT = 3;
export const KIND_TEXT_OR_MISSING = 4;
export const EXTREMES_BYTES = 64;
export const MAXIMA_AT = 32;
export const CSV_CROWDED = 3;
export const CSV_FULL = 1;
export const CSV_MISQUOTED = 2;
export const CSV_READ = 0;
export const COUNTS_MOST = 8192;
export const TEXTS_FULL = 4294967295;
