import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { figuresAt } from '../metrics/figures.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/*
 * Changes of rights beside clocks that differ. Here the database has the clock of the machine. Where it is behind in life,
 * the provider is ahead here, in the dates of its answers and of its tokens, and so is the service: what each of them
 * sees of the others is the same.
 */

interface Off {
  /** Of the provider's tokens, in seconds. */
  readonly tokens: number;
  /** Of the provider's answers. */
  readonly dates: number;
  /** Of the service. */
  readonly service: number;
}

const SECONDS = [5, 90, 120, -5, -90, -120];
const CLOCKS: readonly (readonly [string, Off])[] = [
  ...SECONDS.map((s) => [`the provider’s by ${s} s`, { tokens: s, dates: s, service: 0 }] as const),
  ...[5, 90, -120].map((s) => [`Postgres’s by ${-s} s`, { tokens: s, dates: s, service: s }] as const),
  ...[120, -120].map((s) => [`the service’s by ${s} s`, { tokens: 0, dates: 0, service: s }] as const),
];
/** The machine that signs is another than the one that answers; those far ahead are refused until their time has come. */
const SIGNERS: readonly (readonly [string, Off])[] = [
  ...[5, 25, -5, -90, -120].map(
    (s) => [`of what signs the tokens by ${s} s`, { tokens: s, dates: 0, service: 0 }] as const,
  ),
  ...[5, 90, 120, -5, -25].map((s) => [`of what answers by ${s} s`, { tokens: 0, dates: s, service: 0 }] as const),
];

const base = await forSuite(startService());
const [own, other] = [(await base.tenant('Own')).clients, (await base.tenant('Other')).clients];

/** A service that has just started beside such clocks, and what it writes to its log. */
async function withClocks(
  off: Off,
  work: (service: Service, said: readonly Record<string, unknown>[]) => Promise<void>,
): Promise<void> {
  const said: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void said.push(JSON.parse(line) as Record<string, unknown>) });
  const { identity, postgres } = base;
  await base.admin('delete from app.provider_clock');
  identity.answerWith((_request, response) => {
    response.setHeader('Date', new Date(Date.now() + off.dates * 1000).toUTCString());
    response.end(JSON.stringify({ keys: identity.keys.map(({ jwk }) => jwk) }));
  });
  const clocks = { aheadMs: off.service * 1000 };
  const service = await startService({ log, metrics: {}, clocks, postgres, provider: identity });
  await work(service, said).finally(() => service.close());
}

/** A token as the provider issues it so many seconds from now. */
const issue = (off: Off, later: number, claims: Readonly<Record<string, unknown>>): Promise<string> => {
  const iat = Math.floor(Date.now() / 1000 + later + off.tokens);
  return base.identity.token({ ...claims, iat, nbf: iat, exp: iat + 3600 });
};

/** A client is withdrawn; the role is another; inactive and active again; a password is set. */
const CHANGES: readonly ((client: string) => readonly object[])[] = [
  (client) => [{ client_access: [client] }],
  () => [{ role: 'CLIENT' }],
  () => [{ is_active: false }, { is_active: true }],
  () => ['one', 'two'].map((one) => ({ password: `a long password, ${one}` })),
];

/** Two minutes pass for a user. */
async function twoMinutesLater(sub: string): Promise<void> {
  await base.admin(
    `update public.users
     set access_changed_at = access_changed_at - interval '2 minutes',
         sessions_ended_at = sessions_ended_at - interval '2 minutes'
     where id = $1`,
    [sub],
  );
  await base.admin(`update app.provider_clock set disproved_since = disproved_since - interval '2 minutes'`);
}

async function tryChange(service: Service, off: Off, bodies: readonly object[]): Promise<void> {
  const { subject } = await person(base, 'ADMIN');
  const chief = await issue(off, -1, { sub: subject, role: 'ADMIN' });
  const { subject: sub } = await person(base, 'TAX_SPECIALIST', [own, other]);
  const claims = { sub, role: 'TAX_SPECIALIST', client_access: [own, other] };
  const me = async (token: string) => (await service.ask('GET /api/users/me', { token })).status;
  const logIn = async (token: string) => (await service.ask('POST /api/auth/login', { body: { token } })).status;
  const stored = () => base.admin('select role, client_access, is_active from public.users where id = $1', [sub]);
  const old = await issue(off, -1, claims);
  expect([await logIn(old), await me(old)]).toEqual([200, 200]);

  for (const body of bodies)
    expect((await service.ask(`PUT /api/users/${sub}`, { token: chief, body })).status).toBe(200);
  const changed = await stored();
  expect([await me(old), await logIn(old)]).toEqual([401, 401]);
  expect(await stored()).toEqual(changed);

  // Where the offset is known, one of the next seconds is good; where it is not, one that is issued after two minutes.
  if (off.tokens !== off.dates) await twoMinutesLater(sub);
  const end = performance.now() + 20_000;
  let status = 0;
  do status = await me(await issue(off, 0, claims));
  while (status !== 200 && performance.now() < end);
  expect(status).toBe(200);
}

describe.each([...CLOCKS, ...SIGNERS])('where the clock that is off is %s,', (_what, off) => {
  test('a token from before a change of rights is refused after it, one from after it works, and the log says it', async () => {
    await withClocks(off, async (service, said) => {
      await Promise.all(CHANGES.map((bodies) => tryChange(service, off, bodies(own))));
      // A token may be old, so one that seems to be tells nothing.
      if (off.dates === 0 && off.tokens < 0) return;
      const expected = {
        provider: Math.abs(off.dates) > 0 ? off.dates : off.tokens,
        service: off.service,
      };
      const figures = await figuresAt(service.metricsPort);
      for (const [clock, seconds] of Object.entries(expected)) {
        const ahead = figures.get(`taxclaims_clock_ahead_seconds{clock="${clock}"}`) ?? NaN;
        expect([clock, Math.abs(ahead - seconds) < 3]).toEqual([clock, true]);
        const warnings = said.filter((line) => line['clock'] === clock && line['level'] === 40);
        expect([clock, warnings.length]).toEqual([clock, seconds === 0 ? 0 : 1]);
      }
    });
  });
});

describe('the provider’s clock counts as two minutes ahead', () => {
  const aheadAfter = async (sql: string): Promise<unknown> => {
    await base.admin('delete from app.provider_clock');
    await base.admin(`select app.note_provider_clock('5 s')`);
    await base.admin(sql);
    const [row] = await base.admin(
      `select extract(epoch from app.provider_time('2026-01-01Z') - '2026-01-01Z')::integer as ahead`,
    );
    return row?.['ahead'];
  };
  const set = (columns: string) => aheadAfter(`update app.provider_clock set ${columns}`);

  test.each([
    ['until it was measured', 'ahead = null'],
    ['once that was longer ago than five minutes', `measured_at = clock_timestamp() - interval '301 s'`],
    ['where Postgres’s clock was set back since', `measured_at = clock_timestamp() + interval '1 s'`],
    ['where another server has taken over', `server_started_at = server_started_at - interval '1 day'`],
    ['while a token has shown that it is another', `disproved_at = clock_timestamp() - interval '59 min'`],
    ['where it is further ahead', `ahead = interval '1 hour'`],
  ])('%s', async (_when, columns) => {
    expect(await set(columns)).toBe(120);
  });

  test('and not once it was measured, whatever an older measurement or proof said', async () => {
    expect(await aheadAfter('select')).toBe(5);
    expect(await aheadAfter('select app.note_provider_clock(null)')).toBe(5);
    expect(await aheadAfter(`select app.note_provider_clock('1 s')`)).toBe(5);
    expect(await aheadAfter(`select app.note_provider_clock('9 s')`)).toBe(9);
    expect(await set(`disproved_at = clock_timestamp() - interval '61 min'`)).toBe(5);
    expect(await set(`ahead = '-1 hour'`)).toBe(-120);
    expect(
      await aheadAfter(`
        update app.provider_clock set measured_at = measured_at - interval '121 s';
        select app.note_provider_clock('1 s')`),
    ).toBe(1);
  });

  test('and as the database’s own where no instance has ever measured it', async () => {
    expect(await aheadAfter('delete from app.provider_clock')).toBe(0);
  });

  test('and a token that proves it is not made good by its own proof, nor by another after it', async () => {
    const isAfter = (issued: string, changed: string) =>
      `app.was_issued_after(now() + interval '${issued}', now() + interval '${changed}')`;
    const asked = `select ${isAfter('88 s', '0 s')} as old, ${isAfter('121 s', '120.5 s')} as new,
      ${isAfter('241 s', '0 s')} as much_later`;
    await base.admin('delete from app.provider_clock');
    await base.admin(`select app.note_provider_clock('0 s')`);
    expect(await base.admin(asked)).toEqual([{ old: false, new: false, much_later: true }]);
    for (const later of ['88 s', '90 s']) {
      await base.admin(`select app.disprove_provider_clock(clock_timestamp() + interval '${later}')`);
      expect(await base.admin(asked)).toEqual([{ old: false, new: true, much_later: true }]);
    }
  });

  test('by a proof of a token alone that the measurement does not explain', async () => {
    const prove = (seconds: number) =>
      aheadAfter(`select app.disprove_provider_clock(clock_timestamp() + interval '${String(seconds)} s')`);
    expect([await prove(5.5), await prove(20)]).toEqual([5, 120]);
  });
});
