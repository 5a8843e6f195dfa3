/** A day of the law that was worked out by hand from the sources, never by the functions that the test compares with it. */
export interface LawDay {
  readonly kind: 'claim' | 'response' | 'court' | 'regularisation' | 'appeal' | 'relief';
  /** The fields of a claim for property tax in Lyon, unless they say another tax or commune. */
  readonly facts: Readonly<Record<string, string | boolean | null>>;
  /** The day, or for a response its last second, as the interface prints it; null if no day can be known. */
  readonly day: string | null;
  /** The article, and how the day follows from it. */
  readonly source: string;
}

const CLAIM = 'LPF R*196-2 a, 31 December of the year after the roll';
const BASIS = 'LPF R*196-2, R*196-3 and R*196-5, the starting point is not the roll and the user types the day';
const RESPONSE = 'LPF R*198-10, six months from receipt';
const EXTENDED = 'LPF R*198-10, six months and three more from receipt';
const ESTIMATE = 'LPF R*198-10, six months; while the receipt is unknown the day of sending in Paris stands for it';
const COURT = 'LPF R*199-1, two months from receipt, franc';
const ALSACE = 'Code du travail L3134-13, Good Friday and 26 December are holidays in Alsace and Moselle';
const REGULARISATION = 'LPF R*197-3 c, 30 days';
const CASSATION =
  'CJA R811-1 4° and R821-1, the tribunal judges property tax in last resort, so two months to the Conseil d’État';
const APPEAL = 'CJA R811-2, the CFE goes to the cour administrative d’appel in two months';
const LAST = 'CJA R821-1, after the cour administrative d’appel two months to the Conseil d’État';
const RELIEF = 'LPF R*211-1, 31 December of the fourth year after the year in which the claim deadline passes';

const [STRASBOURG, METZ, COLMAR, PARIS] = ['67482', '57463', '68066', '75056'];

const claim = (facts: LawDay['facts'], day: string | null, why = '', rule = CLAIM): LawDay => ({
  ...{ kind: 'claim', facts, day, source: `${rule}; ${why}` },
});
const response = (received_on: string, day: string, why: string, isExtended = false): LawDay => ({
  ...{ kind: 'response', day, source: `${isExtended ? EXTENDED : RESPONSE}; ${why}` },
  facts: { submitted_at: `${received_on}T00:00:00Z`, received_on, response_extended: isExtended },
});
const estimate = (submitted_at: string, day: string, why: string, isExtended = false): LawDay => ({
  ...{ kind: 'response', day, source: `${ESTIMATE}; ${why}` },
  facts: { submitted_at, response_extended: isExtended },
});
const court = (decision_received_on: string, day: string, why: string, commune_code = '69123'): LawDay => ({
  ...{ kind: 'court', day, source: `${commune_code.startsWith('69') ? COURT : `${COURT}; ${ALSACE}`}; ${why}` },
  facts: { decision_received_on, commune_code },
});
const regularisation = (regularisation_asked_on: string, day: string, why: string): LawDay => ({
  ...{ kind: 'regularisation', facts: { regularisation_asked_on }, day, source: `${REGULARISATION}; ${why}` },
});
const appeal = (
  [claim_type, instance]: readonly [tax: string, instance: string | null],
  judgment_notified_on: string,
  day: string | null,
  source: string,
  commune_code = '69123',
): LawDay => ({ kind: 'appeal', facts: { claim_type, instance, judgment_notified_on, commune_code }, day, source });
const relief = (facts: LawDay['facts'], day: string, why: string): LawDay => ({
  ...{ kind: 'relief', facts, day, source: `${RELIEF}; ${why}` },
});

export const LAW_DAYS: readonly LawDay[] = [
  claim({ collection_date: '2025-08-31' }, '2026-12-31', 'a roll of property tax of 2025'),
  claim({ collection_date: '2025-10-31', claim_type: 'CFE' }, '2026-12-31', 'a roll of CFE of 2025, the same rule'),
  claim({ collection_date: '2025-01-01' }, '2026-12-31', 'the first day of a year counts for that year'),
  claim({ collection_date: '2024-12-31' }, '2025-12-31', 'the last day of a year counts for that year'),
  claim({ collection_date: '2024-02-29' }, '2025-12-31', 'a leap day'),
  claim({ collection_date: '2022-08-31' }, '2023-12-31', 'a Sunday does not move it: CGI 1932, 6 sets CPC 642 aside'),
  claim({ collection_date: '2021-10-31' }, '2022-12-31', 'a Saturday does not move it: CGI 1932, 6'),
  claim({ collection_date: '1990-08-31' }, '1991-12-31', 'the oldest year that the service takes'),
  claim({ collection_date: null }, null, 'without the roll no day is known'),
  ...[
    ['EVENT', '2026-12-31', 'b, the event of 2025'],
    ['NEW_NOTICE', '2027-12-31', 'c, a new notice of 2026'],
    ['KNOWLEDGE', '2025-12-31', 'd, certain knowledge in 2024'],
    ['PAYMENT', '2026-12-31', 'e, a payment of 2025 without a roll'],
    ['VACANCY', '2025-12-31', 'the vacancy began in 2024, whatever the roll says'],
    [
      'REASSESSMENT',
      '2028-12-31',
      'as long as the administration has, for the CFE of 2025 until the end of 2028, L174',
    ],
  ].map(([deadline_basis = '', day = '', why]) =>
    claim({ collection_date: '2020-08-31', deadline_basis, claim_deadline: day }, day, why, BASIS),
  ),
  claim(
    { collection_date: '2025-08-31', deadline_basis: 'EVENT' },
    null,
    'nobody typed the day, so it is missing',
    BASIS,
  ),

  response('2025-01-15', '2025-07-15T21:59:59.000Z', '15 January to 15 July, in summer time'),
  response('2025-07-15', '2026-01-15T22:59:59.000Z', '15 July to 15 January of the next year, in winter time'),
  response('2025-08-31', '2026-02-28T22:59:59.000Z', 'February 2026 has no 31st, so its last day'),
  response('2023-08-31', '2024-02-29T22:59:59.000Z', 'February of a leap year ends on the 29th'),
  response('2023-08-29', '2024-02-29T22:59:59.000Z', 'a leap year has the 29th itself'),
  response('2025-08-29', '2026-02-28T22:59:59.000Z', 'another year has no 29th of February'),
  response('2025-08-28', '2026-02-28T22:59:59.000Z', 'the 28th is always there'),
  response('2024-02-29', '2024-08-29T21:59:59.000Z', 'from a leap day the 29th of August'),
  response('2025-03-31', '2025-09-30T21:59:59.000Z', 'September has 30 days'),
  response('2025-12-31', '2026-06-30T21:59:59.000Z', 'June has 30 days'),
  response('2025-09-28', '2026-03-28T22:59:59.000Z', 'the eve of summer time, 29 March 2026'),
  response('2025-09-29', '2026-03-29T21:59:59.000Z', 'the day on which summer time begins ends two hours before UTC’s'),
  response('2026-04-24', '2026-10-24T21:59:59.000Z', 'the eve of winter time, 25 October 2026'),
  response('2026-04-25', '2026-10-25T22:59:59.000Z', 'the day on which winter time begins ends one hour before UTC’s'),
  response('2025-08-08', '2026-02-08T22:59:59.000Z', 'a Sunday does not move it: it binds the administration'),
  response('2025-07-01', '2026-01-01T22:59:59.000Z', '1 January, a holiday, does not move it'),
  response('2025-05-31', '2026-02-28T22:59:59.000Z', 'nine months from 31 May, a February of 28 days', true),
  response('2023-05-31', '2024-02-29T22:59:59.000Z', 'nine months from 31 May, a February of 29 days', true),
  response('2025-08-31', '2026-05-31T21:59:59.000Z', 'nine months at once, not six from the end of February', true),
  response('2025-01-15', '2025-10-15T21:59:59.000Z', '15 January to 15 October', true),
  response('2026-01-25', '2026-10-25T22:59:59.000Z', 'the day on which winter time begins', true),
  estimate('2025-10-14T08:00:00Z', '2026-04-14T21:59:59.000Z', '14 October to 14 April'),
  estimate('2025-08-30T22:30:00Z', '2026-02-28T22:59:59.000Z', 'half past midnight of 31 August in Paris'),
  estimate('2025-12-31T22:59:59.000Z', '2026-06-30T21:59:59.000Z', 'the last second of 31 December in Paris'),
  estimate('2025-12-31T23:00:00Z', '2026-07-01T21:59:59.000Z', 'the first second of 1 January in Paris'),
  estimate(
    '2026-03-28T23:30:00Z',
    '2026-09-29T21:59:59.000Z',
    'half past midnight of 29 March, an hour before the change',
  ),
  estimate('2026-03-29T22:00:00Z', '2026-09-30T21:59:59.000Z', 'midnight of 30 March, after the change'),
  estimate('2025-10-25T22:00:00Z', '2026-04-26T21:59:59.000Z', 'midnight of 26 October 2025, before the change'),
  estimate(
    '2025-10-26T22:59:59.000Z',
    '2026-04-26T21:59:59.000Z',
    'the last second of 26 October 2025, after the change',
  ),
  estimate('2025-05-31T10:00:00Z', '2026-02-28T22:59:59.000Z', 'nine months', true),

  court('2026-03-20', '2026-05-21', 'the day after 20 May, a Thursday'),
  court('2025-03-14', '2025-05-15', 'the day after 14 May, a Thursday, never 14 May itself'),
  court('2025-07-18', '2025-09-19', 'a Friday stays'),
  court('2025-07-19', '2025-09-22', '20 September is a Saturday, so the Monday'),
  court('2025-07-20', '2025-09-22', '21 September is a Sunday, so the Monday'),
  court('2025-07-21', '2025-09-22', 'the Monday itself'),
  court('2024-01-31', '2024-04-02', '1 April 2024 is Easter Monday'),
  court('2025-02-20', '2025-04-22', '21 April 2025 is Easter Monday'),
  court('2026-02-03', '2026-04-07', '4 April is the Saturday before Easter 2026, the 6th Easter Monday'),
  court('2023-02-28', '2023-05-02', '29 April is a Saturday, then a Sunday and 1 May'),
  court('2000-02-29', '2000-05-02', '30 April is a Sunday, then 1 May'),
  court('2024-02-29', '2024-04-30', 'from a leap day the day after 29 April, a Tuesday'),
  court('2025-03-07', '2025-05-09', '8 May 2025 is a holiday, so the Friday'),
  court('2026-03-07', '2026-05-11', '8 May 2026 is a Friday and a holiday, so the Monday'),
  court('2024-03-07', '2024-05-10', '8 May 2024, then Ascension Thursday, so the Friday'),
  court('2026-03-13', '2026-05-15', '14 May 2026 is Ascension, the 39th day after Easter 5 April'),
  court('2025-03-28', '2025-05-30', '29 May 2025 is Ascension'),
  court('2025-04-08', '2025-06-10', '9 June 2025 is Whit Monday, the 50th day after Easter 20 April'),
  court('2025-04-06', '2025-06-10', '7 June 2025 is a Saturday, then Whit Sunday and Monday'),
  court('2026-03-24', '2026-05-26', '25 May 2026 is Whit Monday'),
  court('2025-05-13', '2025-07-15', '14 July 2025 is a Monday'),
  court('2025-06-14', '2025-08-18', '15 August 2025 is a Friday, so the Monday'),
  court('2026-06-14', '2026-08-17', '15 August 2026 is a Saturday, so the Monday'),
  court('2024-08-31', '2024-11-04', 'the day after 31 October is All Saints’, a Friday, so the Monday'),
  court('2026-08-31', '2026-11-02', '1 November 2026 is a Sunday'),
  court('2025-09-10', '2025-11-12', '11 November 2025 is a Tuesday'),
  court('2024-09-08', '2024-11-12', '9 November is a Saturday, the 11th a Monday and a holiday'),
  court('2025-10-24', '2025-12-26', '25 December 2025 is a Thursday; the 26th is a working day'),
  court('2025-10-31', '2026-01-02', 'the day after 31 December is 1 January, so the Friday'),
  court('2025-10-30', '2025-12-31', 'the day after 30 December, a Wednesday'),
  court('2023-12-31', '2024-03-01', 'February 2024 ends on the 29th, the next day is a Friday'),
  court('2022-12-31', '2023-03-01', 'February 2023 ends on the 28th, the next day is a Wednesday'),
  court('2024-12-31', '2025-03-03', 'the day after 28 February 2025 is a Saturday, so the Monday'),
  court('2025-12-31', '2026-03-02', 'the day after 28 February 2026 is a Sunday, so the Monday'),
  court('2022-12-30', '2023-03-01', 'there is no 30 February either'),
  court('2022-12-28', '2023-03-01', 'the day after 28 February'),
  court('2022-12-27', '2023-02-28', 'the day after 27 February, a Tuesday'),
  court('2023-12-28', '2024-02-29', 'the day after 28 February 2024 is the leap day, a Thursday'),
  court('2023-02-27', '2023-04-28', 'the day after 27 April, a Friday'),
  court('2025-04-30', '2025-07-01', 'the day after 30 June, by the same day of the month: no day more'),
  court('2026-06-30', '2026-08-31', 'the day after 30 August, a Monday, by the same day of the month'),
  court('2025-07-31', '2025-10-01', 'September has 30 days, the next day is a Wednesday'),
  court('2025-03-31', '2025-06-02', 'the day after 31 May is a Sunday, so the Monday'),

  court('2025-02-17', '2025-04-18', 'Good Friday 2025 is a working day in Lyon'),
  court('2025-02-17', '2025-04-22', 'Good Friday 2025, Saturday, Easter and Easter Monday', STRASBOURG),
  court('2026-02-02', '2026-04-03', 'Good Friday 2026 is a working day in Paris', PARIS),
  court('2026-02-02', '2026-04-07', 'Good Friday 2026, Saturday, Easter and Easter Monday', METZ),
  court('2025-10-25', '2025-12-26', '26 December is a working day in Lyon'),
  court('2025-10-25', '2025-12-29', '26 December 2025 is a Friday, so the Monday', METZ),
  court('2025-10-24', '2025-12-29', '25 and 26 December 2025, then Saturday and Sunday', STRASBOURG),
  court('2024-10-24', '2024-12-27', '25 and 26 December 2024, so the Friday', COLMAR),
  court('2025-07-21', '2025-09-22', 'an ordinary Monday', COLMAR),
  {
    kind: 'court',
    facts: { decision_date: '2025-12-31' },
    day: null,
    source: 'LPF R*199-1, the decision runs from its receipt, which is unknown',
  },
  {
    ...{ kind: 'court', day: '2025-12-31', source: 'LPF R*199-1 and CJA R421-5, the day is known better, and typed' },
    facts: { decision_received_on: '2025-03-14', court_deadline: '2025-12-31' },
  },

  regularisation('2026-04-15', '2026-05-15', 'April has 30 days'),
  regularisation(
    '2026-01-30',
    '2026-03-01',
    'one day of January, 28 of February, one of March; a Sunday does not move it',
  ),
  regularisation('2024-01-30', '2024-02-29', 'one day of January and 29 of February'),
  regularisation('2024-01-31', '2024-03-01', '29 days of February and one of March'),
  regularisation('2025-12-01', '2025-12-31', '30 days of the same month'),
  regularisation('2025-12-02', '2026-01-01', '29 days of December and one of January'),
  regularisation('2026-03-15', '2026-04-14', '16 days of March and 14 of April, over the change of the clock'),
  regularisation('2026-10-10', '2026-11-09', '21 days of October and nine of November, over the change of the clock'),

  appeal(['TF', 'TA'], '2026-03-20', '2026-05-21', CASSATION),
  appeal(['CFE', 'TA'], '2026-03-20', '2026-05-21', APPEAL),
  appeal(['CFE', 'CAA'], '2025-03-14', '2025-05-15', LAST),
  appeal(['CFE', 'TA'], '2024-01-31', '2024-04-02', `${APPEAL}; Easter Monday 2024`),
  appeal(['TF', 'TA'], '2024-12-31', '2025-03-03', `${CASSATION}; the day after 28 February 2025 is a Saturday`),
  appeal(['CFE', 'CAA'], '2025-07-19', '2025-09-22', `${LAST}; 20 September is a Saturday`),
  appeal(['CFE', 'TA'], '2025-10-31', '2026-01-02', `${APPEAL}; 1 January`),
  appeal(['TF', 'CE'], '2025-03-14', null, 'the Conseil d’État judges last'),
  appeal(['CFE', 'CE'], '2025-03-14', null, 'the Conseil d’État judges last'),
  appeal(['TF', null], '2025-03-14', null, 'no court is known whose judgment it is'),
  appeal(
    ['TF', 'TA'],
    '2025-02-17',
    '2025-04-18',
    `${CASSATION}, in Paris, where Good Friday is a working day`,
    STRASBOURG,
  ),
  appeal(
    ['CFE', 'TA'],
    '2025-10-25',
    '2025-12-26',
    `${APPEAL}, for Strasbourg in Nancy, where 26 December is a working day`,
    STRASBOURG,
  ),

  relief({ collection_date: '2024-08-31' }, '2029-12-31', 'the claim deadline passes in 2025'),
  relief({ collection_date: '2023-12-31' }, '2028-12-31', 'the claim deadline passes in 2024'),
  relief(
    { collection_date: '2022-08-31', claim_type: 'CFE' },
    '2027-12-31',
    '31 December 2023, a Sunday, is still 2023',
  ),
  relief(
    { deadline_basis: 'KNOWLEDGE', claim_deadline: '2025-06-30' },
    '2029-12-31',
    'a typed day of 2025, and the end of a year',
  ),
  relief({ deadline_basis: 'EVENT', claim_deadline: '2024-01-01' }, '2028-12-31', 'a typed day of 2024'),
];
