import { createWeakEtag } from '../../src/http/preconditions.ts';

const TIME = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00)/;
/** Matches the time in an ETag. Some ETags also have a digest of names, which is compared as it is. */
const TAG = /"(\d{16})(?:"|(?=\.))/;
const RANDOM_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const MADE = new RegExp(`${TIME.source}|${TAG.source}|(${RANDOM_ID.source})`, 'gi');
const LATE_US = 2_000_000;
/** Matches the upload time of a document in a ZIP file. A ZIP file has this time three times. */
const TIME_OF_ENTRY = /(PK\x03\x04[^]{6}|PK\x01\x02[^]{8}|UT\x05\0[^])[^]{4}/g;

export interface RawResponse {
  readonly status: number;
  /** The HTTP headers, alternately a name and its value. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/**
 * Makes the answers of two services comparable. Random ids and positions in the list of changes differ between the
 * services. Each of them is therefore replaced by a number: the first one by 1, the second one by 2, and so on. Times
 * of this run are replaced by a word, because two of them are the same millisecond by chance, and so are ETags made of
 * times whose microseconds no answer shows. Every other byte stays.
 */
export class Reading {
  readonly #database: string;
  readonly #since = Date.now() * 1000 - LATE_US;
  readonly #made = new Map<string, string>();
  readonly #tags = new Map<string, string>();
  /** The deadlines of claims, six months after their submission, with the texts that replace these dates in answers. */
  readonly #due = new Map<number, string>();

  constructor(database: string) {
    this.#database = database;
  }

  /** Begins to count at 1 again. The counted numbers replace times and random ids in the answers of the service. */
  forget(): void {
    for (const made of [this.#made, this.#tags, this.#due]) made.clear();
  }

  text(raw: string): string {
    const named = raw.replaceAll(this.#database, '<database>');
    return named.replaceAll(
      MADE,
      (whole: string, day?: string, time?: string, part?: string, tag?: string, id?: string) => {
        if (id !== undefined) return this.#numbered('id', id.toLowerCase());
        const at = tag === undefined ? microseconds(day, time, part) : Number(tag);
        if (at >= this.#since && at <= Date.now() * 1000 + LATE_US)
          return this.#replaceTime(tag === undefined ? 'time' : 'tag', at);
        return this.#due.get(at) ?? whole;
      },
    );
  }

  answer({ status, rawHeaders, body }: RawResponse): string {
    const text = body.toString('latin1');
    for (const tag of digestsOf(rawHeaders, body.toString())) this.#tags.set(tag, '<digest of this answer>');
    const content = this.text(
      text
        .replace(/"timestamp":"[^"]+Z","requestId"/, '"timestamp":"<now>","requestId"')
        .replaceAll(TIME_OF_ENTRY, '$1<time>')
        .replace(/"expires_at":"[^"]+Z"/, '"expires_at":"<in a minute>"')
        .replaceAll(/(?<=DTSTAMP:)\d{8}T\d{6}Z/g, '<time of the last change>')
        .replace(/(?<="next":")[\w-]+(?=","more")/, (place) => this.#numbered('place', place)),
    );
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 === 0
        ? [`${name}: ${this.#header(name.toLowerCase(), rawHeaders[index + 1] ?? '', text, content)}`]
        : [],
    );
    return [String(status), ...lines, '', content].join('\n');
  }

  #header(name: string, value: string, text: string, content: string): string {
    switch (name) {
      case 'date':
        return '<now>';
      case 'ratelimit':
        // The header RateLimit says how many more requests are allowed, and for how many seconds. Both numbers depend
        // on the clock, so they are removed.
        return value.replaceAll(/([rt])=\d+/g, '$1=<limit>');
      case 'content-length':
        // The response to HEAD has no body, and its Content-Length depends on the digits of times. Only the length of
        // the response to GET is compared.
        if (text === '') return value === '0' ? value : '<length of what is not sent>';
        return Number(value) === text.length ? `<${content.length}>` : value;
      case 'link':
        return this.text(
          value.replace(/(?<=[?&]after=)[\w-]+/, (cursor) => Buffer.from(cursor, 'base64url').toString('latin1')),
        );
      case 'etag':
        return this.#tag(value, text, content);
      default:
        return this.text(value);
    }
  }

  /**
   * The ETags of partners and of lists are digests that include the times of the last changes. If a time is replaced in
   * the answer, the ETag is replaced too.
   */
  #tag(value: string, text: string, content: string): string {
    if (!/^W\/|^"[0-9a-f]{32}"$/.test(value)) return this.text(value);
    if (content !== text && !this.#tags.has(value)) this.#tags.set(value, '<tag of times>');
    return this.#tags.get(value) ?? value;
  }

  #numbered(kind: string, value: string): string {
    const number = this.#made.get(value) ?? `${this.#made.size + 1}`;
    this.#made.set(value, number);
    return `<${kind} ${number}>`;
  }

  #replaceTime(kind: 'time' | 'tag', at: number): string {
    if (kind === 'time') this.#due.set(sixMonthsAfter(at), '<six months after a time>');
    return `<${kind}>`;
  }
}

/**
 * Returns the ETags that are digests of the text of an answer. These ETags need no comparison, because the texts
 * themselves are compared.
 */
function digestsOf(rawHeaders: readonly string[], text: string): string[] {
  const valueOf = (name: string): string | undefined => {
    const at = rawHeaders.indexOf(name);
    return at < 0 ? undefined : rawHeaders[at + 1];
  };
  const [link, total] = [valueOf('Link'), valueOf('X-Total-Count')];
  const said = {
    ...(link !== undefined && { Link: link }),
    ...(total !== undefined && { 'X-Total-Count': total }),
  };
  return [...[text, versionsIn(text)].map((of) => createWeakEtag(JSON.stringify(said) + of)), createWeakEtag(text)];
}

function versionsIn(text: string): string {
  if (!/^\[[{\]]/.test(text)) return text;
  const records = JSON.parse(text) as readonly { readonly id: string; readonly updated_at?: string }[];
  return records.map(({ id, updated_at: time = '' }) => `${id} ${inPostgres(time)}`).join();
}

/** Writes a time in UTC in Postgres’s format. */
function inPostgres(time: string): string {
  return time.replace('T', ' ').replace('Z', '+00');
}

function microseconds(day = '', time = '', part = ''): number {
  return Date.parse(`${day}T${time}Z`) * 1000 + Number(part.padEnd(6, '0'));
}

/**
 * Adds six months to a time as Postgres does. The day of the month stays the same. If the month is too short, it
 * becomes the month’s last day.
 */
function sixMonthsAfter(at: number): number {
  const date = new Date(Math.floor(at / 1000));
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + 6);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() * 1000 + (at % 1000);
}
