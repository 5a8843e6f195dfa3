import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createDatabaseBefore } from '../support/release-before.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests that a user’s subject and email have only one spelling, so that no person is stored twice. */

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));

async function store(subject: string | null, email = `${randomUUID()}@b.example`, client = admin): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into public.users (email, password_hash, name, role, subject) values ($1, '!', 'Ada', 'CLIENT', $2) returning id`,
    [email, subject],
  );
  return rows[0]?.id ?? '';
}

const subjectOf = async (id: string, client = admin): Promise<unknown> =>
  (await client.query<{ subject: unknown }>('select subject from public.users where id = $1', [id])).rows[0]?.subject;

const UUID = 'abcdef00-0000-4000-8000-000000000001';
const OTHERWISE: readonly (readonly [string, string])[] = [
  ['a UUID in capitals', UUID.toUpperCase()],
  ['a UUID with one capital', UUID.replace('f', 'F')],
  ['a blank before it', ' somebody'],
  ['a blank after it', 'somebody '],
  ['a line break after it', 'somebody\n'],
  ['an accent', 'zoé'],
  ['the same accent in two characters', 'zoe\u0301'],
  ['a character without width', 'some\u200bbody'],
  ['a blank that is no ASCII', 'some\u00a0body'],
  ['one dot alone', '.'],
  ['two dots alone', '..'],
];

describe('the spelling of a user’s subject', () => {
  test.each(OTHERWISE)('not even a superuser can store a user’s subject with %s', async (_what, subject) => {
    await expect(store(subject)).rejects.toMatchObject({ constraint: 'users_subject_form' });
  });

  test.each([UUID, 'auth0|Ada', 'CN=Ada Lovelace, O=Cabinet', `{${UUID.toUpperCase()}}`, '~', '...', 'x'.repeat(255)])(
    'the database accepts %s as a user’s subject',
    async (subject) => {
      expect(await subjectOf(await store(subject))).toBe(subject);
    },
  );

  test('a deploy removes users’ malformed subjects that an earlier release stored, and keeps all other subjects', async () => {
    const earlier = await createDatabaseBefore('0020');
    const { adminUrl } = earlier;
    await withAdmin(adminUrl, async (client) => {
      const ids: string[] = [];
      for (const [, subject] of OTHERWISE) ids.push(await store(subject, undefined, client));
      const kept = await store('idp|kept', undefined, client);
      await migrate({ adminUrl, log: pino({ level: 'silent' }) });
      for (const id of ids) expect(await subjectOf(id, client)).toBeNull();
      expect(await subjectOf(kept, client)).toBe('idp|kept');
    });
    await earlier.close();
  });
});

describe('the spelling of a user’s email', () => {
  test('two users cannot have emails that differ only in capitals', async () => {
    await store(null, 'info@b.example');
    await expect(store(null, 'INFO@B.example')).rejects.toMatchObject({ constraint: 'users_email_key' });
  });

  test('the comparison of emails does not depend on the language of the database', async () => {
    // In a database with the Turkish language, the lower case of the letter I is not i.
    const { rows } = await admin.query<{ definition: string; turkish: boolean }>(
      `select
           pg_get_indexdef('public.users_email_key'::regclass) as definition,
           lower('INFO' collate "tr-x-icu") = 'info' as turkish`,
    );
    expect(rows).toEqual([{ definition: expect.stringContaining('COLLATE "C"'), turkish: false }]);
  });
});
