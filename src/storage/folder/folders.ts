/** Folders within that of a store. */

export const SETS = 'sets';
/** Damaged files, and those of lost manifests: out of use, but not destroyed. */
export const QUARANTINE = 'quarantine';
