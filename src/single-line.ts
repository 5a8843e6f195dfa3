/** Matches line breaks, other control characters, and marks that change the reading direction of a text. */
const UNPRINTABLE_PATTERN = /[\s\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;
const CONTROL_CHARACTER_PATTERN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Returns a text in one line, without characters that change the direction of reading. */
export function convertToSingleLine(text: string): string {
  return text.replaceAll(UNPRINTABLE_PATTERN, ' ').trim();
}

/** Replaces each line break, control character and direction mark by a blank, for lines whose blanks line up. */
export function replaceControlCharacters(text: string): string {
  return text.replaceAll(CONTROL_CHARACTER_PATTERN, ' ');
}

/** Returns a text in one line of at most `maxCharacters` characters and an ellipsis, for text that leaves the service. */
export function shortenToSingleLine(text: string, maxCharacters: number): string {
  const characters = Array.from(convertToSingleLine(text));
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters.slice(0, maxCharacters).join('').trimEnd()}…`;
}

/** Returns an error's message in one line; for an AggregateError, the messages of all its errors. */
export function oneLineReason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(oneLineReason).join('; ');
  return convertToSingleLine(error instanceof Error ? error.message : String(error));
}
