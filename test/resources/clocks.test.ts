import { describe, expect, test } from '@jest/globals';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));

describe('the identity provider’s clock as measured in the database', () => {
  const aheadAfter = async (sql: string): Promise<unknown> => {
    await admin.query('delete from app.provider_clock');
    await admin.query(`select app.note_provider_clock('5 s')`);
    await admin.query(sql);
    const { rows } = await admin.query<{ ahead: number }>(
      `select extract(epoch from app.provider_time('2026-01-01Z') - '2026-01-01Z')::integer as ahead`,
    );
    return rows[0]?.ahead;
  };
  const set = (columns: string) => aheadAfter(`update app.provider_clock set ${columns}`);

  test.each([
    ['no instance of the service has measured that clock', 'ahead = null'],
    ['the last measurement is older than five minutes', `measured_at = clock_timestamp() - interval '301 s'`],
    ['Postgres’s clock was set back after the measurement', `measured_at = clock_timestamp() + interval '1 s'`],
    ['another Postgres server has taken over', `server_started_at = server_started_at - interval '1 day'`],
    [
      'a token has disproved the measurement within the last hour',
      `disproved_at = clock_timestamp() - interval '59 min'`,
    ],
    ['that clock was measured as an hour ahead', `ahead = interval '1 hour'`],
  ])('the database takes the identity provider’s clock as two minutes ahead if %s', async (_when, columns) => {
    expect(await set(columns)).toBe(120);
  });

  test('the latest measurement of the identity provider’s clock is used, even if a token disproved a measurement more than an hour ago', async () => {
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

  test('the database takes the identity provider’s clock as equal to its own clock if the table app.provider_clock is empty', async () => {
    expect(await aheadAfter('delete from app.provider_clock')).toBe(0);
  });

  test('a token from before a change of rights stays invalid even if it is dated further ahead than the identity provider’s measured clock', async () => {
    const isAfter = (issued: string, changed: string) =>
      `app.was_issued_after(now() + interval '${issued}', now() + interval '${changed}')`;
    const asked = `select ${isAfter('88 s', '0 s')} as old, ${isAfter('121 s', '120.5 s')} as new,
      ${isAfter('241 s', '0 s')} as much_later`;
    await admin.query('delete from app.provider_clock');
    await admin.query(`select app.note_provider_clock('0 s')`);
    expect((await admin.query(asked)).rows).toEqual([{ old: false, new: false, much_later: true }]);
    for (const later of ['88 s', '90 s']) {
      await admin.query(`select app.disprove_provider_clock(clock_timestamp() + interval '${later}')`);
      expect((await admin.query(asked)).rows).toEqual([{ old: false, new: true, much_later: true }]);
    }
  });

  test('a valid token disproves the measured clock of the identity provider only if the token is dated more than a second further ahead', async () => {
    const prove = (seconds: number) =>
      aheadAfter(`select app.disprove_provider_clock(clock_timestamp() + interval '${String(seconds)} s')`);
    expect([await prove(5.5), await prove(20)]).toEqual([5, 120]);
  });
});
