import { describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../support/database.ts';
import { DAY } from '../../support/day.ts';
import { isExcused } from './excused.ts';
import { openJudge } from './judge.ts';
import { CATALOG_KINDS, type CatalogMutant, isOfTheServer } from './kinds.ts';
import { forSuite } from '../../support/suite.ts';

/** One in so many, others with another `TEST_DAY`; `npm run test:mutation` tries all. */
const ONE_IN = 220;

const database = await forSuite(createTestDatabase());
const judge = await forSuite(openJudge(database.adminUrl));

describe('the audit', () => {
  test('shows a DBA what somebody changed, whichever object of the house and whatever of it', async () => {
    const all: CatalogMutant[] = [];
    // What all databases share is left alone while other suites work with it.
    for (const kind of CATALOG_KINDS.filter((name) => !isOfTheServer(name))) {
      all.push(...(await judge.mutantsOf(kind)));
    }
    const sample = all.filter((mutant, index) => index % ONE_IN === DAY % ONE_IN && !isExcused(mutant));
    expect(sample.length).toBeGreaterThan(100);
    const verdicts = await judge.judge(sample);
    const unseen = [...verdicts].filter(([, verdict]) => 'survived' in verdict);
    const told = unseen.map(([{ kind, object }, verdict]) => ({ TEST_DAY: DAY, kind, object, verdict }));
    expect(told).toEqual([]);
    await judge.assertMended();
  }, 600_000);
});
