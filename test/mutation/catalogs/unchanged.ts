/** Columns of the catalogs that no mutant changes, and why none needs to. */
export const UNCHANGED_COLUMNS: Readonly<Record<string, string>> = {};

/** Catalogs that no mutant touches, and why none needs to. */
export const UNCHANGED_CATALOGS: Readonly<Record<string, string>> = {};
