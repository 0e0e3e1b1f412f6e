import type { Dictionary, Frame } from '../../columnar/index.ts';

/** Rows in the arena, and the dictionary of their columns of codes. */
export interface CodedFrame {
  readonly frame: Frame;
  readonly texts: Dictionary;
  /** What assets cost, as `AssetTotals` writes it, where shares in them are shown. */
  readonly assetTotals?: string;
}
