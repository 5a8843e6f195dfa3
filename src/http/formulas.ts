/* Keeps spreadsheets from taking text for formulas; docs/decisions/csv.md */

/**
 * The places where a reader may begin a cell: the start of the text, and behind a separator or a line break. Groups:
 * the separator; blanks and quotation marks, which some readers skip; apostrophes; the sign of a formula, if there is
 * one. The pattern also matches without a sign, so that no character is looked at twice.
 */
const BEGINNING = /([,;|\t-\r\x1c-\x1f\x85\u2028\u2029]|^)([\s"]*)('*)([=+\-@＝＋－＠])?/g;
/** Characters that some spreadsheets skip at the beginning of a cell. */
const LEFT_OUT = /^'*(?=[\t\r\n])/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/** Adds an apostrophe before each formula in a text; a plain number is no formula. */
export function harmless(text: string): string {
  if (NUMBER.test(text)) return text;
  return withMarks(text, (marks) => `'${marks}`).replace(LEFT_OUT, "'$&");
}

/** Takes away the apostrophes that `harmless` or a person has added. */
export function unharmed(cell: string): string {
  return withMarks(
    cell.replace(LEFT_OUT, (marks) => marks.slice(1)),
    (marks) => marks.slice(1),
  );
}

function withMarks(text: string, change: (marks: string) => string): string {
  return text.replace(
    BEGINNING,
    (all: string, before: string, blanks: string, marks: string, sign?: string) =>
      sign === undefined ? all : `${before}${blanks}${change(marks)}${sign}`,
  );
}
