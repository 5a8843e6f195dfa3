/* Reads text as people type and paste it; docs/decisions/typed-text.md */

/** Matches signs without width that other programs add: soft hyphens, zero-width blanks, marks of order and direction. */
const INVISIBLE_PATTERN = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/** Matches joiners that join nothing. Emojis and scripts such as Persian and Hindi are written with joiners. */
const LONE_JOINER_PATTERN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}]]])[\u200C\u200D]+/gv;

const HYPHEN_PATTERN = /[\u2010-\u2012]/g;
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
