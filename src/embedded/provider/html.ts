import escapeHtml from 'escape-html';

/** HTML that may stand in a page as it is; every other text is escaped where it is put in. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What stands between the pieces of a template; nothing is written for `undefined`. */
type Inserted = Html | string | undefined | readonly Html[];

/** A template of HTML, in whose attributes every inserted text stands between quotes. */
export function html(pieces: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  return new Html(String.raw({ raw: pieces }, ...inserted.map(written)));
}

function written(inserted: Inserted): string {
  if (inserted === undefined) return '';
  if (typeof inserted === 'string') return escapeHtml(inserted);
  return inserted instanceof Html ? inserted.text : inserted.map(({ text }) => text).join('');
}
