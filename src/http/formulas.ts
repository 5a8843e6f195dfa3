/* Keeps spreadsheets from taking text for formulas; docs/decisions/csv.md */

/**
 * A spreadsheet may begin a cell at the start of the text, after a separator or after a line break. The groups of
 * CELL_START_PATTERN match a separator; blanks and quotation marks, which spreadsheets may skip; apostrophes; and the
 * sign that begins a formula. The formula sign is optional, so that the regular expression never backtracks.
 */
const CELL_START_PATTERN = /([,;|\t-\r\x1c-\x1f\x85\u2028\u2029]|^)([\s"]*)('*)([=+\-@＝＋－＠])?/g;
const CONTROL_START_PATTERN = /^'*(?=[\t\r\n])/;
const NUMBER_PATTERN = /^[+-]?\d+(?:[.,]\d+)?$/;
/** Digits, blanks and points, as in +33 (0)4 78 00 00 00: without an operator or a name, there is nothing to compute. */
const PHONE_PATTERN = /^\+\d(?:[ .\u00A0\u202F]?(?:\(0\)|\d))*$/;

export function escapeFormulas(text: string): string {
  if (NUMBER_PATTERN.test(text) || PHONE_PATTERN.test(text)) return text;
  return replaceLeadingApostrophes(text, (marks) => `'${marks}`).replace(CONTROL_START_PATTERN, "'$&");
}

export function unescapeFormulas(cell: string): string {
  return replaceLeadingApostrophes(
    cell.replace(CONTROL_START_PATTERN, (marks) => marks.slice(1)),
    (marks) => marks.slice(1),
  );
}

function replaceLeadingApostrophes(text: string, change: (marks: string) => string): string {
  return text.replace(
    CELL_START_PATTERN,
    (all: string, before: string, blanks: string, marks: string, sign?: string) =>
      sign === undefined ? all : `${before}${blanks}${change(marks)}${sign}`,
  );
}
