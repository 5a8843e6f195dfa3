import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** The first is what a browser gets that asks for none of them. */
const LANGUAGES = ['en', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The language of the pages that the browser would rather have. */
export function languageOf(request: Pick<IncomingMessage, 'headers'>): Language {
  const preferred = new Negotiator(request).language([...LANGUAGES]);
  return LANGUAGES.find((language) => language === preferred) ?? LANGUAGES[0];
}
