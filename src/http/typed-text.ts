/* Reads text as people type and paste it; docs/decisions/typed-text.md */

/** Code points of signs without width that other programs add: soft hyphens, zero-width blanks, marks of direction. */
export const INVISIBLE_SIGNS = [
  ...['00AD', '200B', '200E', '200F', '202A', '202B', '202C', '202D', '202E'],
  ...['2060', '2066', '2067', '2068', '2069', 'FEFF'],
];
/** Code points of hyphens that typesetters use for a `-`. */
export const TYPOGRAPHIC_HYPHENS = ['2010', '2011', '2012'];

const INVISIBLE_PATTERN = patternOf(INVISIBLE_SIGNS);
const HYPHEN_PATTERN = patternOf(TYPOGRAPHIC_HYPHENS);

/** Matches joiners that join nothing. Emojis and scripts such as Persian and Hindi are written with joiners. */
const LONE_JOINER_PATTERN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}]]])[\u200C\u200D]+/gv;

const SEPARATOR_PATTERN = /[.-](?=\d{3})/g;
/** A text with NUL is not empty, because a rule refuses it. */
const VISIBLE_PATTERN = /\0|[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

/** Reads text of one line, such as a name: each run of blanks of any kind is one blank, and each hyphen is a `-`. */
export function readLine(text: string): string {
  return readParagraphs(text).replaceAll(/\s+/g, ' ').replaceAll(HYPHEN_PATTERN, '-');
}

/** Reads text of several lines, such as a note: the blanks, line breaks and hyphens within it stay. */
export function readParagraphs(text: string): string {
  if (!VISIBLE_PATTERN.test(text)) return '';
  // Joiners first, while each still stands behind the sign after which it was typed.
  return text.replaceAll(LONE_JOINER_PATTERN, '').replaceAll(INVISIBLE_PATTERN, '').trim();
}

/** Reads a number that people write in groups, with blanks, or with points or hyphens before three digits. */
export function readCode(text: string): string {
  return readLine(text).replaceAll(' ', '').replaceAll(SEPARATOR_PATTERN, '');
}

function patternOf(codePoints: readonly string[]): RegExp {
  return new RegExp(`[${codePoints.map((code) => `\\u${code}`).join('')}]`, 'g');
}
