import { describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../support/database.ts';
import { openJudge } from './judge.ts';
import type { CatalogMutant } from './kinds.ts';
import { forSuite } from '../../support/suite.ts';

const mutant = (object: string, sql: string): CatalogMutant => ({ kind: 'made up', object, covers: '', sql });

const database = await forSuite(createTestDatabase());
const judge = await forSuite(openJudge(database.adminUrl));

describe('how npm run proofs -- mutation finds out whether the view audit.drift reports a change of the database', () => {
  test('npm run proofs -- mutation tells for each database change whether audit.drift reports the change, misses it, or Postgres refuses it', async () => {
    const detectable = (await judge.mutantsOf('policy dropped')).slice(0, 12);
    const undetectable = [
      mutant('a comment', `comment on table public.clients is 'made up'`),
      mutant('a row', `insert into reporting.grants select null, null where false`),
      mutant('a number of rows', `update pg_catalog.pg_class set reltuples = 7 where oid = 'public.sites'::regclass`),
    ];
    const unmade = mutant('a mistake', 'drop table public.made_up');
    const verdicts = await judge.judge([...detectable.slice(0, 6), ...undetectable, unmade, ...detectable.slice(6)]);
    for (const one of detectable) expect(verdicts.get(one)).toEqual({ by: 'drift' });
    for (const one of undetectable) expect(verdicts.get(one)).toEqual({ survived: 'unseen' });
    expect(verdicts.get(unmade)).toEqual({
      survived: 'not made',
      message: 'table "made_up" does not exist',
    });
    await judge.assertMended();
  });

  test('npm run proofs -- mutation counts a change as unreported even if audit.drift reports another change of the same object', async () => {
    const grants = (await judge.mutantsOf('right to a column revoked')).slice(0, 12);
    const comments = Array.from({ length: 3 }, (_, index) =>
      mutant(`comment ${String(index)}`, `comment on table public.clients is 'comment ${String(index)}'`),
    );
    const verdicts = await judge.judge([...grants.slice(0, 6), ...comments, ...grants.slice(6)]);
    expect(comments.filter((one) => !('survived' in (verdicts.get(one) ?? {})))).toEqual([]);
    expect(grants.filter((one) => !('by' in (verdicts.get(one) ?? {})))).toEqual([]);
  });

  test('npm run proofs -- mutation fails if a change of the database was committed instead of rolled back', async () => {
    const left = mutant('what it commits', `create table public.left_over (); commit; begin`);
    await judge.judge([left]);
    await expect(judge.assertMended()).rejects.toThrow(/not mended: .*left_over/);
    await judge.admin.query('drop table public.left_over');
    await judge.assertMended();
  });
});
