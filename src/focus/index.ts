export { BILL_NUMBERS, BILL_TEXTS, type BillNumber, type BillText } from './columns.ts';
export { opened, openBillFile, streamedBill, type BillFile } from './bill-file.ts';
export { readBillRows, type BillPart, type BillRows, type BillRules } from './bill-rows.ts';
export { cutBlocks, type CsvBlock, type CsvFile } from './csv-blocks.ts';
export { csvColumns } from './csv-columns.ts';
export { readHeader, type Header } from './header.ts';
export { type BadCell, type SourceColumns } from './source-columns.ts';
