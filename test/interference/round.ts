import type { TestIdentity } from '../support/identity.ts';
import { newCallers } from './callers.ts';
import type { Callers } from './callers.ts';
import { compare } from './compare.ts';
import type { Compared } from './compare.ts';
import { leaks } from './leaks.ts';
import { grantSql } from './logins.ts';
import type { Logins } from './logins.ts';
import type { Act } from './requests.ts';
import { columnsOf, statements } from './statements.ts';
import type { Statement } from './step.ts';
import type { Round, Variant } from './variants.ts';
import { openWorld } from './world.ts';
import type { World } from './world.ts';

/**
 * After this number of requests the test creates new callers with new records, because requests change and delete
 * records.
 */
const CALLERS_LAST = 60;

/** The databases that are compared. All of them get the same requests and SQL. */
export interface Opened {
  readonly round: Round;
  readonly worlds: readonly World[];
  readonly identity: TestIdentity;
  readonly logins: Logins;
  /** Creates new callers. Every compared database gets the same users with the same records. */
  callers(): Promise<Callers>;
  /** Grants the callers’ clients to the database login of a BI tool. */
  granted(callers: Callers): Promise<void>;
  close(): Promise<void>;
}

export async function openRound(round: Round, identity: TestIdentity, logins: Logins): Promise<Opened> {
  const worlds = await Promise.all(round.variants.map(({ name }) => openWorld(name, identity, logins)));
  const inEach = (work: (world: World, variant: Variant) => Promise<void>): Promise<unknown> =>
    Promise.all(worlds.map((world, index) => work(world, round.variants[index] ?? round.variants[0])));
  await inEach(async (world, { firms }) => {
    for (const firm of firms) await world.found(firm);
    await world.admin('vacuum analyze');
  });
  let made = 0;
  return {
    ...{ round, worlds, identity, logins },
    callers: async () => {
      made += 1;
      const callers = await newCallers(identity, String(made));
      await inEach(async (world, { beside, shares }) => {
        await world.found(callers.firm);
        if (beside !== undefined) await world.found(beside(callers.firm));
        if (shares !== undefined) await world.admin(shares(callers.names));
        world.reading.forget();
      });
      return callers;
    },
    granted: async ({ names }) => {
      await inEach(async (world) => {
        await world.admin(grantSql(logins.reporting, [names.clients, names.second]));
      });
    },
    close: async () => {
      for (const world of worlds) await world.close();
    },
  };
}

/**
 * Builds SQL about the given reporting views. Of all statements it returns every `oneIn`th. Some statements have values
 * of other tenants, which are read from the compared databases.
 */
export async function statementsOf(
  { worlds }: Opened,
  { views = /./, oneIn = 1 }: { readonly views?: RegExp; readonly oneIn?: number } = {},
): Promise<Statement[]> {
  const [first] = worlds;
  if (first === undefined) return [];
  const columns = (await columnsOf(first)).filter(({ view }) => views.test(view));
  const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => index % oneIn === 0);
  return [...some(statements(columns)), ...(await leaks(worlds, some(columns)))];
}

/** Creates new callers, grants their clients to the BI login, and updates Postgres’s statistics. */
export async function ready(opened: Opened): Promise<void> {
  await opened.granted(await opened.callers());
  for (const world of opened.worlds) await world.admin('vacuum analyze');
}

export async function compareStatements({ worlds }: Opened, all: readonly Statement[], sum: Compared): Promise<void> {
  for (const step of all) await compare(worlds, step, sum);
}

export async function compareActs(opened: Opened, acts: readonly Act[], sum: Compared): Promise<void> {
  let callers: Callers | undefined;
  let left = 0;
  for (const act of acts) {
    if (callers === undefined || left <= 0) {
      callers = await opened.callers();
      left = CALLERS_LAST;
    }
    for (const step of act.requests(callers, opened.round.foreign)) {
      await compare(opened.worlds, step, sum);
      left -= 1;
    }
  }
}
