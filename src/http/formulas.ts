/* Text in a table, so that no spreadsheet takes any of it for a formula; docs/decisions/csv.md */

/**
 * The beginning of the text, and of whatever a reader may take for another cell of it: what stands behind a separator or
 * a line break, also behind blanks and quotation marks, which some readers leave out. The last group is the sign of a
 * formula, if there is one, and the one before it the apostrophes that keep it from being one. It matches at each of
 * these places, with a sign or without, so that no character is looked at twice.
 */
const BEGINNING = /([,;|\t-\r\x1c-\x1f\x85\u2028\u2029]|^)([\s"]*)('*)([=+\-@＝＋－＠])?/g;
/** What some spreadsheets leave out at the beginning of a cell. */
const LEFT_OUT = /^'*(?=[\t\r\n])/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/** The same text with one more apostrophe before each formula in it; a plain number is none. */
export function harmless(text: string): string {
  if (NUMBER.test(text)) return text;
  return withMarks(text, (marks) => `'${marks}`).replace(LEFT_OUT, "'$&");
}

/** The text that was made harmless, or that a person kept from being a formula in the same way. */
export function unharmed(cell: string): string {
  return withMarks(
    cell.replace(LEFT_OUT, (marks) => marks.slice(1)),
    (marks) => marks.slice(1),
  );
}

/** The text with other apostrophes before each formula in it. */
function withMarks(text: string, change: (marks: string) => string): string {
  return text.replace(
    BEGINNING,
    (all: string, before: string, blanks: string, marks: string, sign?: string) =>
      sign === undefined ? all : `${before}${blanks}${change(marks)}${sign}`,
  );
}
