import type { Role } from '../../src/identity/caller.ts';

/* The claims of a desk over some years, with the days that the law gives after each entry, worked out by hand. */

/** One entry that somebody of the desk makes in the life of a claim. */
export interface Entry {
  readonly by: Role;
  /** The fields that the person sends; the first entry of a claim creates it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The deadlines of the claim after the entry: kind and last day, or kind, `?` and the fields that are missing. */
  readonly days: readonly string[];
  /** Fields that the claim has after the entry although nobody sent them. */
  readonly shows?: Readonly<Record<string, unknown>>;
}

/** A claim with all its entries. */
export interface ClaimStory {
  readonly name: string;
  readonly entries: readonly Entry[];
}

type Fields = Entry['body'];
type Days = readonly string[];

const step = (by: Role, body: Fields, days: Days = [], shows: Fields = {}): Entry => ({ by, body, days, shows });
const specialist = (body: Fields, days?: Days, shows?: Fields): Entry => step('TAX_SPECIALIST', body, days, shows);
const manager = (body: Fields, days?: Days, shows?: Fields): Entry => step('ACCOUNT_MANAGER', body, days, shows);
const admin = (body: Fields, days?: Days, shows?: Fields): Entry => step('ADMIN', body, days, shows);

/** A claim that the desk prepares; the days are the same until it is sent. */
const prepared = (facts: Fields, days: Days): readonly Entry[] => [
  specialist(facts, days),
  specialist({ status: 'READY_FOR_REVIEW' }, days),
  manager({ status: 'APPROVED' }, days),
];
const sent = (submitted_at: string, days: Days): Entry => specialist({ status: 'SUBMITTED', submitted_at }, days);
const received = (received_on: string, days: Days): Entry => specialist({ status: 'ACKNOWLEDGED', received_on }, days);
const rejected = (decision_date: string, decision_received_on: string | undefined, days: Days): Entry =>
  specialist({ status: 'REJECTED', decision_date, ...(decision_received_on && { decision_received_on }) }, days);
const admitted = (granted_amount: number, decision_date: string): Entry =>
  specialist({ status: 'ACCEPTED', granted_amount, decision_date, decision_received_on: decision_date });
const admittedInPart = (granted_amount: number, decision_date: string, days: Days): Entry =>
  specialist(
    { status: 'PARTIALLY_ACCEPTED', granted_amount, decision_date, decision_received_on: decision_date },
    days,
  );
const refunded = (refund_amount: number, refund_interest?: number): Entry =>
  specialist({ status: 'REFUNDED', refund_amount, ...(refund_interest !== undefined && { refund_interest }) });
const before = (instance: string): Entry =>
  manager({ status: 'LITIGATION' }, [], { instance, judgment_notified_on: null, appeal_deadline: null });
const closed = (): Entry => manager({ status: 'CLOSED' });

// Rolls whose claim deadline has passed: a claim still in preparation has only the relief of own motion left.
const TF_2024 = { claim_type: 'TF', tax_year: 2024, collection_date: '2024-08-31', amount: 1000 };
const CFE_2024 = { claim_type: 'CFE', tax_year: 2024, collection_date: '2024-10-31', amount: 2000 };
const OF_2024 = ['claim 2025-12-31', 'relief 2029-12-31'];
const TF_2022 = { claim_type: 'TF', tax_year: 2022, collection_date: '2022-08-31', amount: 1500 };
const CFE_2022 = { claim_type: 'CFE', tax_year: 2022, collection_date: '2022-10-31', amount: 2500 };
const OF_2022 = ['claim 2023-12-31', 'relief 2027-12-31'];
const [RELIEF_2024, RELIEF_2022] = [['relief 2029-12-31'], ['relief 2027-12-31']];

// Six months from 14 October 2024 as an estimate, and from the receipt of the 16th.
const SENT_2024 = sent('2024-10-14T08:00:00.000Z', ['silence 2025-04-14']);
const RECEIVED_2024 = received('2024-10-16', ['silence 2025-04-16']);
// Six months from 3 and 6 November 2023, in a leap year.
const SENT_2023 = sent('2023-11-03T09:00:00.000Z', ['silence 2024-05-03']);
const RECEIVED_2023 = received('2023-11-06', ['silence 2024-05-06']);

const OPEN_TF_2024 = [...prepared(TF_2024, OF_2024), SENT_2024, RECEIVED_2024];
const OPEN_CFE_2024 = [...prepared(CFE_2024, OF_2024), SENT_2024, RECEIVED_2024];
const OPEN_TF_2022 = [...prepared(TF_2022, OF_2022), SENT_2023, RECEIVED_2023];
const OPEN_CFE_2022 = [...prepared(CFE_2022, OF_2022), SENT_2023, RECEIVED_2023];

const story = (name: string, ...entries: readonly Entry[]): ClaimStory => ({ name, entries });

/** The claims that are over, or whose days no later day changes. */
const PAST: readonly ClaimStory[] = [
  story(
    'admitted, refunded with interest, closed',
    ...OPEN_TF_2024,
    admitted(1000, '2025-02-03'),
    refunded(1000, 8),
    closed(),
  ),
  story(
    'admitted and set off against another tax',
    ...OPEN_TF_2024,
    admitted(900, '2025-02-10'),
    specialist({ status: 'CLOSED' }),
  ),
  story(
    'admitted before the receipt was known',
    ...prepared(CFE_2024, OF_2024),
    SENT_2024,
    admitted(2000, '2024-12-02'),
  ),
  story(
    'admitted in part and accepted so',
    ...OPEN_TF_2024,
    admittedInPart(600, '2025-03-14', ['court 2025-05-15']),
    refunded(600),
    closed(),
  ),
  story(
    'admitted in part, refunded, and the rest won in court',
    ...OPEN_TF_2024,
    admittedInPart(250.5, '2025-02-20', ['court 2025-04-22']),
    refunded(250.5),
    before('TA'),
    specialist({ status: 'ACCEPTED', granted_amount: 1000, judgment_notified_on: '2026-06-30' }),
    refunded(1000, 21.4),
  ),
  story(
    'CFE through all three courts, with two appeals of the client',
    ...OPEN_CFE_2022,
    admittedInPart(400, '2024-03-07', ['court 2024-05-10']),
    before('TA'),
    specialist({ status: 'PARTIALLY_ACCEPTED', judgment_notified_on: '2025-02-20' }, ['appeal 2025-04-22']),
    before('CAA'),
    specialist({ status: 'PARTIALLY_ACCEPTED', judgment_notified_on: '2026-02-03' }, ['appeal 2026-04-07']),
    before('CE'),
    specialist({ status: 'PARTIALLY_ACCEPTED', judgment_notified_on: '2026-10-12' }),
    specialist({ status: 'CLOSED' }),
  ),
  story(
    'property tax to the Conseil d’État without a second instance',
    ...OPEN_TF_2022,
    rejected('2024-03-05', '2024-03-07', ['court 2024-05-10', ...RELIEF_2022]),
    before('TA'),
    specialist({ status: 'REJECTED', judgment_notified_on: '2025-04-08' }, ['appeal 2025-06-10', ...RELIEF_2022]),
    before('CE'),
    specialist({ status: 'REJECTED', judgment_notified_on: '2026-05-13' }, RELIEF_2022),
    closed(),
  ),
  story(
    'property tax won, and won again when the State appealed',
    ...OPEN_TF_2022,
    rejected('2024-01-29', '2024-01-31', ['court 2024-04-02', ...RELIEF_2022]),
    before('TA'),
    specialist({ status: 'ACCEPTED', granted_amount: 1500, judgment_notified_on: '2025-03-28' }),
    before('CE'),
    specialist({ status: 'ACCEPTED', judgment_notified_on: '2026-06-30' }),
    refunded(1500, 84),
  ),
  story(
    'CFE won, and lost when the State appealed',
    ...OPEN_CFE_2022,
    rejected('2024-08-28', '2024-08-31', ['court 2024-11-04', ...RELIEF_2022]),
    before('TA'),
    specialist({ status: 'ACCEPTED', granted_amount: 2500, judgment_notified_on: '2025-06-14' }),
    before('CAA'),
    specialist({ status: 'REJECTED', granted_amount: null, judgment_notified_on: '2026-08-31' }, [
      'appeal 2026-11-02',
      ...RELIEF_2022,
    ]),
  ),
  story(
    'a judgment whose notification the desk does not have',
    ...OPEN_TF_2022,
    rejected('2024-08-28', '2024-09-08', ['court 2024-11-12', ...RELIEF_2022]),
    before('TA'),
    specialist({ status: 'REJECTED' }, ['appeal ? judgment_notified_on', ...RELIEF_2022]),
    specialist({ judgment_notified_on: '2025-12-31' }, ['appeal 2026-03-02', ...RELIEF_2022]),
  ),
  story(
    'a judgment that is awaited',
    ...OPEN_CFE_2022,
    rejected('2024-09-05', '2024-09-08', ['court 2024-11-12', ...RELIEF_2022]),
    before('TA'),
  ),
  story(
    'rejected and closed',
    ...OPEN_TF_2024,
    rejected('2025-03-10', '2025-03-14', ['court 2025-05-15', ...RELIEF_2024]),
    closed(),
  ),
  story(
    'rejected, and left',
    ...OPEN_CFE_2024,
    rejected('2025-12-31', '2025-12-31', ['court 2026-03-02', ...RELIEF_2024]),
  ),
  story(
    'rejected, then relieved of the administration’s own motion',
    ...OPEN_TF_2024,
    rejected('2025-04-03', '2025-04-06', ['court 2025-06-10', ...RELIEF_2024]),
    manager({ status: 'ACCEPTED', granted_amount: 700 }),
    refunded(700),
    closed(),
  ),
  story(
    'rejected, then relieved in part of the administration’s own motion',
    ...OPEN_CFE_2024,
    rejected('2025-05-12', '2025-05-13', ['court 2025-07-15', ...RELIEF_2024]),
    admin({ status: 'PARTIALLY_ACCEPTED', granted_amount: 300 }, ['court 2025-07-15']),
    refunded(300),
  ),
  story('silence that stands', ...OPEN_TF_2024),
  story('silence, counted from the day of sending alone', ...prepared(CFE_2024, OF_2024), SENT_2024),
  story(
    'silence after nine months',
    ...prepared(CFE_2024, OF_2024),
    sent('2025-05-30T22:30:00.000Z', ['silence 2025-11-30']),
    received('2025-05-31', ['silence 2025-11-30']),
    specialist({ response_extended: true }, ['silence 2026-02-28']),
  ),
  story(
    'silence, brought to court, and given up there',
    ...OPEN_CFE_2024,
    before('TA'),
    specialist({ status: 'CLOSED' }),
  ),
  story(
    'silence, brought to court, and won',
    ...OPEN_TF_2024,
    before('TA'),
    specialist({ status: 'ACCEPTED', granted_amount: 1000, judgment_notified_on: '2026-09-15' }),
    refunded(1000, 36),
  ),
  story(
    'a missing signature, given in time',
    ...OPEN_TF_2024,
    specialist({ status: 'REGULARISATION_REQUESTED', regularisation_asked_on: '2025-01-30' }, [
      ...['regularisation 2025-03-01', 'silence 2025-04-16'],
    ]),
    specialist({ status: 'ACKNOWLEDGED' }, ['silence 2025-04-16']),
    admitted(1000, '2025-04-02'),
  ),
  story(
    'a missing mandate, and a rejection all the same',
    ...prepared(CFE_2024, OF_2024),
    SENT_2024,
    specialist(
      { status: 'REGULARISATION_REQUESTED', regularisation_asked_on: '2024-12-02', received_on: '2024-10-16' },
      [...['regularisation 2025-01-01', 'silence 2025-04-16']],
    ),
    specialist({ status: 'SUBMITTED' }, ['silence 2025-04-16']),
    rejected('2025-03-05', '2025-03-07', ['court 2025-05-09', ...RELIEF_2024]),
  ),
  story(
    'a missing signature that nobody gave',
    ...OPEN_TF_2024,
    specialist({ status: 'REGULARISATION_REQUESTED', regularisation_asked_on: '2024-12-01' }, [
      ...['regularisation 2024-12-31', 'silence 2025-04-16'],
    ]),
    rejected('2025-01-13', '2025-02-28', ['court 2025-04-29', ...RELIEF_2024]),
    closed(),
  ),
  story(
    'a missing signature that is still asked for, on a letter without a known day',
    ...OPEN_TF_2024,
    specialist({ status: 'REGULARISATION_REQUESTED' }, [
      'regularisation ? regularisation_asked_on',
      'silence 2025-04-16',
    ]),
  ),
  story(
    'withdrawn before it was reviewed',
    specialist(TF_2024, OF_2024),
    manager({ status: 'WITHDRAWN', status_reason: 'The client sold the building' }),
    closed(),
  ),
  story(
    'withdrawn after it was sent',
    ...prepared(CFE_2024, OF_2024),
    SENT_2024,
    manager({ status: 'WITHDRAWN' }),
    closed(),
  ),
  story('withdrawn after its receipt', ...OPEN_TF_2024, admin({ status: 'WITHDRAWN' })),
  story(
    'rejected by mistake, set back with a reason, and admitted',
    ...OPEN_TF_2024,
    rejected('2025-02-03', '2025-02-05', ['court 2025-04-07', ...RELIEF_2024]),
    manager(
      {
        ...{ status: 'ACKNOWLEDGED', status_reason: 'The decision was that of another claim' },
        ...{ decision_date: null, decision_received_on: null },
      },
      ['silence 2025-04-16'],
      { court_deadline: null },
    ),
    admitted(1000, '2025-04-11'),
  ),
  story(
    'a receipt that was read wrong and put right',
    ...OPEN_CFE_2024,
    rejected('2025-07-15', '2025-07-19', ['court 2025-09-22', ...RELIEF_2024]),
    specialist({ decision_received_on: '2025-07-18' }, ['court 2025-09-19', ...RELIEF_2024]),
  ),
  story(
    'rejected on a day that the desk learned later',
    ...OPEN_TF_2024,
    rejected('2025-09-08', undefined, ['court ? decision_received_on', ...RELIEF_2024]),
    specialist({ decision_received_on: '2025-09-10' }, ['court 2025-11-12', ...RELIEF_2024]),
  ),
  story(
    'rejected in Strasbourg before Christmas',
    ...prepared({ ...TF_2024, commune_code: '67482' }, OF_2024),
    SENT_2024,
    rejected('2025-10-21', '2025-10-24', ['court 2025-12-29', ...RELIEF_2024]),
  ),
  story(
    'rejected in Lyon before Christmas',
    ...prepared({ ...TF_2024, commune_code: '69123' }, OF_2024),
    SENT_2024,
    rejected('2025-10-21', '2025-10-24', ['court 2025-12-26', ...RELIEF_2024]),
  ),
  story(
    'admitted in part in Metz, until Good Friday',
    ...prepared({ ...CFE_2024, commune_code: '57463' }, OF_2024),
    SENT_2024,
    admittedInPart(1200, '2025-02-17', ['court 2025-04-22']),
  ),
  story(
    'a decision that does not name the ways of appeal',
    ...OPEN_CFE_2024,
    rejected('2025-03-10', '2025-03-14', ['court 2025-05-15', ...RELIEF_2024]),
    specialist({ court_deadline: '2026-03-16' }, ['court 2026-03-16', ...RELIEF_2024]),
    specialist({ court_deadline: null }, ['court 2025-05-15', ...RELIEF_2024], { court_deadline: '2025-05-15' }),
  ),
  story(
    'vacancy, claimed and admitted',
    ...prepared({ ...TF_2024, deadline_basis: 'VACANCY', claim_deadline: '2024-12-31' }, [
      'claim 2024-12-31',
      'relief 2028-12-31',
    ]),
    SENT_2024,
    RECEIVED_2024,
    admitted(450, '2025-01-20'),
  ),
  story(
    'a reassessment of CFE, as long as the administration has',
    ...prepared({ ...CFE_2022, deadline_basis: 'REASSESSMENT', claim_deadline: '2025-12-31' }, OF_2024),
    SENT_2024,
    admittedInPart(1000, '2025-03-28', ['court 2025-05-30']),
  ),
  story(
    'a payment without a roll, rejected',
    ...prepared(
      { claim_type: 'CFE', tax_year: 2023, amount: 310, deadline_basis: 'PAYMENT', claim_deadline: '2024-12-31' },
      [...['claim 2024-12-31', 'relief 2028-12-31']],
    ),
    SENT_2024,
    rejected('2025-01-06', '2025-01-06', ['court 2025-03-07', 'relief 2028-12-31']),
  ),
  story(
    'certain knowledge, too late but for relief of own motion',
    specialist({ ...TF_2022, deadline_basis: 'KNOWLEDGE', claim_deadline: '2024-12-31' }, [
      'claim 2024-12-31',
      'relief 2028-12-31',
    ]),
  ),
  story(
    'a new notice, not yet reviewed',
    specialist({ ...CFE_2022, deadline_basis: 'NEW_NOTICE', claim_deadline: '2025-12-31' }, OF_2024),
    specialist({ status: 'READY_FOR_REVIEW' }, OF_2024),
  ),
  story(
    'an event whose day nobody entered',
    specialist({ ...TF_2024, deadline_basis: 'EVENT' }, ['claim ? claim_deadline']),
  ),
  story(
    'a roll whose day nobody entered, then found',
    specialist({ claim_type: 'TF', tax_year: 2024, amount: 80 }, ['claim ? collection_date']),
    specialist({ status: 'READY_FOR_REVIEW' }, ['claim ? collection_date']),
    specialist({ collection_date: '2024-08-31' }, OF_2024),
    manager({ status: 'DRAFT', status_reason: 'The grounds are missing' }, OF_2024),
    specialist({ status: 'READY_FOR_REVIEW', grounds: 'Surface pondérée' }, OF_2024),
  ),
];

/** Returns the desk’s claims. Some are running on any day, because their facts follow from the given day. */
export function claimStories(today: string): readonly ClaimStory[] {
  const year = Number(today.slice(0, 4));
  const ahead = [`claim ${String(year)}-12-31`];
  const tf = { claim_type: 'TF', tax_year: year - 1, collection_date: `${String(year - 1)}-08-31`, amount: 640 };
  // The first day of the month before has all the months that follow it, without an end of a month between.
  const first = firstOfMonth(today, -1);
  const running = prepared(tf, ahead);
  const submitted = sent(`${first}T09:00:00.000Z`, [`response ${firstOfMonth(today, 5)}`]);
  return [
    ...PAST,
    story('in preparation', specialist(tf, ahead)),
    story('approved, not sent', ...prepared({ ...tf, claim_type: 'CFE' }, ahead)),
    story('sent, its receipt unknown', ...running, submitted),
    story('sent and received', ...running, submitted, received(first, [`response ${firstOfMonth(today, 5)}`])),
    story(
      'received, and three more months announced',
      ...running,
      submitted,
      received(first, [`response ${firstOfMonth(today, 5)}`]),
      specialist({ response_extended: true }, [`response ${firstOfMonth(today, 8)}`]),
    ),
  ];
}

function firstOfMonth(today: string, later: number): string {
  const months = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1 + later;
  return `${String(Math.floor(months / 12))}-${String((months % 12) + 1).padStart(2, '0')}-01`;
}

/** One entry about an invoice, a credit note or a partner’s bill; later entries name it by `of`. */
export interface PaperEntry {
  readonly of: string;
  readonly by: Role;
  /** The fields that the person sends; `credits` names the invoice that a credit note credits, `about` the claim. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly credits?: string;
  readonly about?: string;
  /** The status of each paper that the entry changes, and the numbers that it gives. */
  readonly shows: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The deadlines of all papers after the entry, as the desk’s managers see them. */
  readonly days: readonly string[];
}

const paper = (of: string, body: Fields, shows: PaperEntry['shows'], days: Days, more: object = {}): PaperEntry => ({
  ...{ of, by: 'ACCOUNT_MANAGER', body, shows, days },
  ...more,
});

const [FIRST, SECOND, THIRD] = ['invoice 2024-04-30', 'invoice 2024-07-31', 'invoice 2025-02-28'];
const BILL = 'partner_invoice 2025-03-31';

/** The invoices and credit notes of the desk in the order of their dates, and a partner’s bill. */
export const PAPERS: readonly PaperEntry[] = [
  paper(
    'first',
    { amount_excl_tax: 300, due_date: '2024-04-30' },
    { first: { status: 'DRAFT', amount_incl_tax: 360 } },
    [],
    {
      about: 'admitted, refunded with interest, closed',
    },
  ),
  paper(
    'first',
    { status: 'ISSUED', issue_date: '2024-03-29' },
    { first: { status: 'ISSUED', number: '2024-000001' } },
    [FIRST],
  ),
  paper(
    'second',
    { amount_excl_tax: 200, due_date: '2024-07-31', vat_rate: 8.5 },
    { second: { amount_incl_tax: 217 } },
    [FIRST],
  ),
  paper(
    'second',
    { status: 'ISSUED', issue_date: '2024-06-30' },
    { second: { status: 'ISSUED', number: '2024-000002' } },
    [FIRST, SECOND],
  ),
  paper('first', { status: 'PAID', paid_at: '2024-07-02T09:00:00.000Z' }, { first: { status: 'PAID' } }, [SECOND]),
  paper(
    'whole',
    { kind: 'CREDIT_NOTE', amount_excl_tax: 200, vat_rate: 8.5 },
    { whole: { status: 'DRAFT' } },
    [SECOND],
    {
      credits: 'second',
    },
  ),
  paper(
    'whole',
    { status: 'ISSUED', issue_date: '2024-07-15' },
    { whole: { status: 'ISSUED', number: '2024-000003' }, second: { status: 'CANCELLED' } },
    [],
  ),
  paper('third', { amount_excl_tax: 1000, due_date: '2025-02-28' }, { third: { amount_incl_tax: 1200 } }, []),
  paper(
    'third',
    { status: 'ISSUED', issue_date: '2025-01-31' },
    { third: { status: 'ISSUED', number: '2025-000001' } },
    [THIRD],
  ),
  paper('part', { kind: 'CREDIT_NOTE', amount_excl_tax: 250 }, { part: { amount_incl_tax: 300 } }, [THIRD], {
    credits: 'third',
  }),
  paper(
    'part',
    { status: 'ISSUED', issue_date: '2025-02-10' },
    { part: { status: 'ISSUED', number: '2025-000002' }, third: { status: 'ISSUED' } },
    [THIRD],
  ),
  paper('bill', { number: 'AC-7', amount_excl_tax: 90, due_date: '2025-03-31' }, { bill: { status: 'RECEIVED' } }, [
    THIRD,
    BILL,
  ]),
  paper('bill', { status: 'VALIDATED' }, { bill: { status: 'VALIDATED' } }, [THIRD, BILL]),
  paper(
    'bill',
    { status: 'PAID', paid_at: '2025-03-20T10:00:00.000Z' },
    { bill: { status: 'PAID', paid_at: '2025-03-20T10:00:00.000Z' } },
    [THIRD],
  ),
  paper(
    'after payment',
    { kind: 'CREDIT_NOTE', amount_excl_tax: 300 },
    { 'after payment': { status: 'DRAFT' } },
    [THIRD],
    {
      credits: 'first',
    },
  ),
  paper(
    'after payment',
    { status: 'ISSUED', issue_date: '2025-04-01' },
    {
      'after payment': { status: 'ISSUED', number: '2025-000003' },
      first: { status: 'CANCELLED', paid_at: '2024-07-02T09:00:00.000Z' },
    },
    [THIRD],
  ),
];
