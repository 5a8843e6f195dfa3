import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** The first is what a browser gets that asks for none of them. */
const LANGUAGES = ['en', 'fr'] as const;

/** A language as BCP 47 writes it. */
const TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;
const MOST = 10;

export type Language = (typeof LANGUAGES)[number];

/** The language of the pages: what the application asks for in `ui_locales`, or else what the browser would rather have. */
export function languageOf({ headers }: Pick<IncomingMessage, 'headers'>, locales?: string): Language {
  const asked = (locales ?? '').split(' ').filter((tag) => TAG.test(tag));
  // One after the other: in a header, a more specific one would come first.
  for (const accepted of [...asked.slice(0, MOST), headers['accept-language']]) {
    const language = preferred(accepted);
    if (language !== undefined) return language;
  }
  return LANGUAGES[0];
}

function preferred(accepted = ''): Language | undefined {
  if (accepted === '') return undefined;
  const found = new Negotiator({ headers: { 'accept-language': accepted } }).language([...LANGUAGES]);
  return LANGUAGES.find((language) => language === found);
}
