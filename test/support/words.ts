/** The words of a text, for lists of names that are read one after the other. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
