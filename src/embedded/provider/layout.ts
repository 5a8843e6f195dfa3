import { html } from './html.ts';
import type { Html } from './html.ts';
import type { Language } from './language.ts';
import { TEXTS } from './texts.ts';

/** Where the provider serves the one stylesheet of its pages, public/identity.css. */
export const STYLESHEET_PATH = '/identity.css';

/** A whole page: the name of the product, a heading, and what stands below it. */
export function layout(language: Language, title: string, heading: string, content: Html): string {
  const { product } = TEXTS[language];
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – ${product}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLESHEET_PATH}" />
      </head>
      <body>
        <header>${product}</header>
        <main>
          <h1>${heading}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}
