import { describe, expect, test } from '@jest/globals';
import Holidays from 'date-holidays';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests the days of a claim that the database derives, and the refusals of days that cannot be. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const token = await service.token('TAX_SPECIALIST', [own.clients]);

type Json = Readonly<Record<string, unknown>>;

const creation = { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 100 };
const create = async (body: object = {}) =>
  service.ask('POST /api/reclamations', { token, body: { ...creation, ...body } });
const created = async (body: object = {}): Promise<Json> => {
  const answer = await create(body);
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return answer.json as Json;
};
const put = async ({ id }: Json, body: object) => service.ask(`PUT /api/reclamations/${String(id)}`, { token, body });
const changed = async (claim: Json, body: object): Promise<Json> => {
  const answer = await put(claim, body);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return answer.json as Json;
};
const details = ({ json }: { readonly json: unknown }): unknown =>
  (json as { readonly error?: Json }).error?.['details'];

test('a claim loses a derived day when its user clears the fact from which the day follows', async () => {
  const facts = { collection_date: '2200-12-31', received_on: '2025-08-31', regularisation_asked_on: '2024-02-01' };
  const claim = await created(facts);
  const derived = ['claim_deadline', 'response_due_at', 'regularisation_due_on'];
  expect(derived.map((name) => claim[name])).toEqual(['2201-12-31', '2026-02-28T22:59:59.000Z', '2024-03-02']);
  const without = await changed(claim, Object.fromEntries(Object.keys(facts).map((name) => [name, null])));
  expect(derived.map((name) => without[name])).toEqual([null, null, null]);
});

describe('a day that a user types', () => {
  test.each([
    ['court_deadline', 'decision_received_on', {}],
    ['appeal_deadline', 'judgment_notified_on', { instance: 'TA' }],
  ])('the %s that a user typed stays when %s changes, and null derives the day again', async (field, fact, also) => {
    const claim = await created({ ...also, [fact]: '2025-03-20', [field]: '2025-05-20' });
    expect(claim).toMatchObject({ [field]: '2025-05-20' });
    expect(await changed(claim, { [fact]: '2025-03-21' })).toMatchObject({ [field]: '2025-05-20' });
    expect(await changed(claim, { [field]: null })).toMatchObject({ [field]: '2025-05-22' });
  });

  test('derived days that a PUT of the whole record sends back unchanged are derived again from the changed facts', async () => {
    const claim = await created({
      ...{ collection_date: '2024-08-31', submitted_at: '2025-01-10T08:00:00.000Z', received_on: '2025-01-12' },
      ...{ decision_date: '2025-03-19', decision_received_on: '2025-03-20', instance: 'TA' },
      ...{ judgment_notified_on: '2026-01-15', regularisation_asked_on: '2025-02-01' },
    });
    const whole = { ...claim, decision_received_on: '2025-03-21', judgment_notified_on: '2026-01-16' };
    const other = {
      ...whole,
      received_on: '2025-01-13',
      regularisation_asked_on: '2025-02-02',
      collection_date: '2023-08-31',
    };
    expect(await changed(claim, other)).toMatchObject({
      ...{ claim_deadline: '2024-12-31', response_due_at: '2025-07-13T21:59:59.000Z' },
      ...{ regularisation_due_on: '2025-03-04', court_deadline: '2025-05-22', appeal_deadline: '2026-03-17' },
    });
  });

  test('a typed claim_deadline needs a deadline_basis, and without one the claim deadline follows the mise en recouvrement', async () => {
    const claim = await created({ collection_date: '2024-08-31' });
    const answer = await put(claim, { claim_deadline: '2026-12-31' });
    expect([answer.status, details(answer)]).toEqual([
      409,
      {
        claim_deadline: 'must be 2025-12-31, which follows from collection_date: for another start give deadline_basis',
      },
    ]);
    // The day of the collection says nothing about an event.
    expect(await changed(claim, { deadline_basis: 'EVENT' })).toMatchObject({ claim_deadline: null });
    expect(await changed(claim, { claim_deadline: '2026-12-31' })).toMatchObject({ claim_deadline: '2026-12-31' });
    expect(await changed(claim, { collection_date: '2023-08-31' })).toMatchObject({ claim_deadline: '2026-12-31' });
    expect(await changed(claim, { deadline_basis: null })).toMatchObject({ claim_deadline: '2024-12-31' });
  });
});

test.each([
  [
    { claim_deadline: '2025-12-31' },
    { claim_deadline: 'is derived from collection_date, which is unknown: enter collection_date, or deadline_basis' },
  ],
  [
    { response_due_at: '2025-12-31T00:00:00.000Z' },
    { response_due_at: 'is derived from received_on, which is unknown: enter received_on, and leave this field out' },
  ],
  [
    { received_on: '2025-01-12', response_due_at: '2025-12-31T00:00:00.000Z' },
    { response_due_at: 'must be the end of 2025-07-12, which follows from received_on: leave it out' },
  ],
  [
    { regularisation_asked_on: '2025-01-12', regularisation_due_on: '2025-02-12' },
    { regularisation_due_on: 'must be 2025-02-11, which follows from regularisation_asked_on: leave it out' },
  ],
  [
    { submitted_at: '2025-01-10T23:00:00.000Z', received_on: '2025-01-10' },
    { received_on: 'must not lie before submitted_at, 2025-01-11' },
  ],
  [
    { submitted_at: '2025-01-10T08:00:00.000Z', decision_date: '2025-01-09' },
    { decision_date: 'must not lie before submitted_at, 2025-01-10' },
  ],
  [
    { decision_date: '2025-01-10', decision_received_on: '2025-01-09' },
    { decision_received_on: 'must not lie before decision_date, 2025-01-10' },
  ],
  [
    { decision_date: '2025-01-10', court_deadline: '2025-01-09' },
    { court_deadline: 'must not lie before decision_date, 2025-01-10' },
  ],
  [
    { decision_date: '2025-01-10', judgment_notified_on: '2025-01-09' },
    { judgment_notified_on: 'must not lie before decision_date, 2025-01-10' },
  ],
  [{ collection_date: '1989-12-31' }, { collection_date: 'must lie between 1990 and 2200' }],
  [{ tax_year: 1989 }, { tax_year: expect.stringContaining('must lie between 1990 and ') }],
])(
  'a tax specialist cannot create a claim with %j, and the refusal says how to correct the field',
  async (body, refusal) => {
    const answer = await create(body);
    expect([answer.status, details(answer)]).toEqual([409, refusal]);
  },
);

test('a claim accepts days of events up to today in Europe/Paris, and tax years up to next year', async () => {
  const [row] = await service.admin(
    `select app.paris_today()::text as today, (app.paris_today() + 1)::text as tomorrow,
         extract(year from app.paris_today())::integer as year`,
  );
  const { today, tomorrow, year } = row as { today: string; tomorrow: string; year: number };
  for (const field of ['received_on', 'regularisation_asked_on', 'decision_date', 'decision_received_on']) {
    await created({ [field]: today });
    const answer = await create({ [field]: tomorrow });
    expect(details(answer)).toEqual({ [field]: `must not lie after today, ${today}: enter it once it has happened` });
  }
  await created({ tax_year: year + 1, court_deadline: tomorrow });
  expect(details(await create({ tax_year: year + 2 }))).toEqual({
    tax_year: `must lie between 1990 and ${String(year + 1)}`,
  });
});

test('a claim that was stored with days in the wrong order before the rules keeps its days, and accepts changes of other fields', async () => {
  const claim = await created({ submitted_at: '2025-01-10T08:00:00.000Z' });
  await service.admin(
    `set session_replication_role = replica;
     update public.reclamations
     set decision_date = '2024-01-01', tax_year = 1950, response_due_at = '2025-07-10T08:00:00.000Z' where id = '${String(claim['id'])}'`,
  );
  const edited = await changed(claim, { amount: 200, grounds: 'Surface', commune_code: '69290' });
  expect(edited).toMatchObject({
    decision_date: '2024-01-01',
    tax_year: 1950,
    response_due_at: '2025-07-10T08:00:00.000Z',
  });
  expect(await changed(claim, edited)).toMatchObject({ response_due_at: '2025-07-10T08:00:00.000Z' });
  expect(details(await put(claim, { decision_date: '2024-01-02' }))).toEqual({
    decision_date: 'must not lie before submitted_at, 2025-01-10',
  });
});

test('the table public_holidays has the holidays that the package date-holidays knows, of France and of Alsace-Moselle', async () => {
  const country = new Holidays('FR');
  const moselle = new Holidays('FR', '57');
  const daysOf = (of: Holidays, year: number): string[] =>
    of.getHolidays(year).flatMap(({ type, date }) => (type === 'public' ? [date.slice(0, 10)] : []));
  const expected = Array.from({ length: 111 }, (_none, index) => 1990 + index).flatMap((year) => {
    const french = new Set(daysOf(country, year));
    const local = new Set(daysOf(moselle, year).filter((day) => !french.has(day)));
    return [...[...french].map((day) => `${day} FR`), ...[...local].map((day) => `${day} ALSACE_MOSELLE`)];
  });
  const rows = await service.sql`select day::text || ' ' || region as holiday from public.public_holidays`;
  expect(rows.map(({ holiday }) => String(holiday)).sort()).toEqual(expected.sort());
});

test('no view and no function counts the days until today in another time zone than that of app.paris_today', async () => {
  const counting = await service.admin(
    `select v.viewname as name from pg_views as v
     where v.schemaname in ('app', 'reporting') and v.definition ~* '(now|clock_timestamp)\\(\\)[^)]*\\)+::date'
     union all
     select f.oid::regprocedure::text from pg_proc as f
     where f.pronamespace in ('app'::regnamespace, 'reporting'::regnamespace) and f.proname <> 'paris_today'
         and f.prosrc ~* '(now|clock_timestamp)\\(\\)( at time zone ''[^'']*''\\))?::date'`,
  );
  expect(counting).toEqual([]);
});
