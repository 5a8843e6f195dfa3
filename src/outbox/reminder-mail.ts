import escapeHtml from 'escape-html';
import { REMINDER_TEXT_CHARACTERS } from '../limits.ts';
import { shortenToSingleLine } from '../single-line.ts';
import type { Language } from '../problems.ts';
import { buildFieldLabel, ENUM_LABELS, type BilingualLabels } from '../words.ts';
import type { Mail } from './mailer.ts';

/** A claim, task, invoice or bill with a due date, as the reminder mail shows it. */
export interface DueItem {
  readonly kind: keyof typeof ENUM_LABELS.DeadlineKind;
  readonly id: string;
  readonly reclamationId: string | undefined;
  /** Undefined if the last day is not known. */
  readonly due: { readonly day: string; readonly daysLeft: number } | undefined;
  /** The fields without which the last day is not known, or an estimate. */
  readonly missing: readonly string[];
  readonly clientName: string;
  /** The text of a task, or the number of an invoice. */
  readonly about: string | undefined;
  readonly claim:
    | { readonly type: string; readonly year: string | undefined; readonly notice: string | undefined }
    | undefined;
}

interface Recipient {
  readonly userId: string;
  readonly name: string;
  readonly language: Language;
  readonly day: string;
}

const REMINDER_TEXTS = {
  fr: {
    locale: 'fr-FR',
    subject: (count: number, day: string) =>
      count === 1 ? `Une échéance : ${day}` : `${String(count)} échéances, la première : ${day}`,
    greeting: (name: string) => `Bonjour ${name},`,
    opening: 'Ces échéances approchent ou viennent de passer :',
    client: (name: string) => `Client : ${name}`,
    until: (day: string, distance: string) => `Jusqu’au ${day} (${distance})`,
    estimate: (fields: string) => `date estimée ; à renseigner : ${fields}`,
    undated: (fields: string) => `Date manquante ; à renseigner : ${fields}`,
    of: ' : ',
    notice: 'avis',
    moreLines: (count: number) => `Et ${String(count)} de plus.`,
    choose: 'Vous choisissez ces rappels et leur langue ici :',
  },
  en: {
    locale: 'en-GB',
    subject: (count: number, day: string) =>
      count === 1 ? `A deadline: ${day}` : `${String(count)} deadlines, the first: ${day}`,
    greeting: (name: string) => `Hello ${name},`,
    opening: 'These deadlines come near or have just passed:',
    client: (name: string) => `Client: ${name}`,
    until: (day: string, distance: string) => `Until ${day} (${distance})`,
    estimate: (fields: string) => `an estimate; to be entered: ${fields}`,
    undated: (fields: string) => `Date missing; to be entered: ${fields}`,
    of: ': ',
    notice: 'notice',
    moreLines: (count: number) => `And ${String(count)} more.`,
    choose: 'You choose these reminders and their language here:',
  },
} as const;

/** Returns a mail without its recipient. `due` has the shown items, by date; `count` counts all due items. */
export function createReminderMail(
  { userId, name, language, day }: Recipient,
  { due, count }: { readonly due: readonly DueItem[]; readonly count: number },
  frontendUrl: string | undefined,
): Omit<Mail, 'to'> {
  const texts = REMINDER_TEXTS[language];
  const formatDay = (date: string, dateStyle: 'long' | 'full'): string =>
    new Intl.DateTimeFormat(texts.locale, { dateStyle, timeZone: 'UTC' }).format(new Date(date));
  const daysFormat = new Intl.RelativeTimeFormat(texts.locale, { numeric: 'auto' });
  const baseUrl = frontendUrl?.replace(/\/+$/, '');
  const describeEnd = ({ due: end, missing }: DueItem): string => {
    const fields = missing.map((field) => buildFieldLabel(field)[language === 'fr' ? 0 : 1]).join(', ');
    if (end === undefined) return texts.undated(fields);
    const until = texts.until(formatDay(end.day, 'full'), daysFormat.format(end.daysLeft, 'day'));
    return missing.length === 0 ? until : `${until}, ${texts.estimate(fields)}`;
  };
  const items = due.map((one) => ({
    title: findEnumLabel('DeadlineKind', one.kind, language) + texts.of + buildItemTitle(one, language),
    client: texts.client(shortenLine(one.clientName)),
    until: describeEnd(one),
    address: baseUrl && baseUrl + buildItemPath(one),
  }));
  const greeting = texts.greeting(shortenLine(name));
  const omitted = count > due.length ? [texts.moreLines(count - due.length)] : [];
  const settings = baseUrl === undefined ? [] : [texts.choose, `${baseUrl}/reminders`];
  const subject = texts.subject(count, formatDay(due.find((one) => one.due !== undefined)?.due?.day ?? day, 'long'));
  const text = [
    ...[greeting, '', texts.opening],
    ...items.flatMap(({ title, client, until, address }) => [
      ...['', `- ${title}`, `  ${client}`, `  ${until}`],
      ...(address === undefined ? [] : [`  ${address}`]),
    ]),
    ...[...omitted, ...settings].flatMap((one, index) => (index === 0 ? ['', one] : [one])),
    '',
  ].join('\n');
  const html = `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body>
<p>${escapeHtml(greeting)}</p>
<p>${escapeHtml(texts.opening)}</p>
<ul>
${items
  .map(
    ({ title, client, until, address }) =>
      `<li><strong>${buildLinkHtml(title, address)}</strong><br>${escapeHtml(client)}<br>${escapeHtml(until)}</li>`,
  )
  .join('\n')}
</ul>
${omitted.map((one) => `<p>${escapeHtml(one)}</p>\n`).join('')}${baseUrl === undefined ? '' : `<p>${buildLinkHtml(texts.choose, `${baseUrl}/reminders`)}</p>\n`}</body>
</html>
`;
  return { messageId: `reminder-${day}-${userId}`, language, subject, text, html };
}

const buildLinkHtml = (text: string, address: string | undefined): string =>
  address === undefined ? escapeHtml(text) : `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;

function findEnumLabel(words: 'DeadlineKind' | 'ClaimType', word: string, language: Language): string {
  const labels: BilingualLabels = ENUM_LABELS[words];
  return labels[word]?.[language === 'fr' ? 0 : 1] ?? word;
}

function buildItemTitle({ about, claim }: DueItem, language: Language): string {
  const { type, year, notice } = claim ?? {};
  return [
    about,
    type && [findEnumLabel('ClaimType', type, language), year].filter(Boolean).join(' '),
    notice && `${REMINDER_TEXTS[language].notice} ${notice}`,
  ]
    .filter((part) => part !== undefined)
    .map(shortenLine)
    .join(', ');
}

const INVOICE_PAGE_FOLDERS = { invoice: 'invoices', partner_invoice: 'partner-invoices' } as const;

function buildItemPath({ kind, id, reclamationId }: DueItem): string {
  return kind === 'invoice' || kind === 'partner_invoice'
    ? `/${INVOICE_PAGE_FOLDERS[kind]}/${id}`
    : `/reclamations/${reclamationId ?? ''}`;
}

const shortenLine = (text: string): string => shortenToSingleLine(text, REMINDER_TEXT_CHARACTERS);
