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
import type { Round, Variant } from './variants.ts';
import { openWorld } from './world.ts';
import type { World } from './world.ts';

/** Callers use up what they have: after so many requests they get it anew. */
const CALLERS_LAST = 60;

/** A round's worlds, open. */
export interface Opened {
  readonly round: Round;
  readonly worlds: readonly World[];
  readonly identity: TestIdentity;
  readonly logins: Logins;
  /** The same callers with the same records in every world. */
  callers(): Promise<Callers>;
  close(): Promise<void>;
}

export async function openRound(round: Round, identity: TestIdentity, logins: Logins): Promise<Opened> {
  const worlds: World[] = [];
  for (const { name } of round.variants) worlds.push(await openWorld(name, identity, logins));
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
      });
      return callers;
    },
    close: async () => {
      for (const world of worlds) await world.close();
    },
  };
}

/** The login of a BI tool, which has the callers' clients. */
export async function granted({ worlds, logins }: Opened, { names }: Callers): Promise<void> {
  for (const world of worlds) {
    await world.admin(grantSql(logins.reporting, [names.clients, names.second]));
    await world.admin('vacuum analyze');
  }
}

/** Every so many of the statements, from the first. */
export async function compareStatements(opened: Opened, every: number, sum: Compared): Promise<void> {
  const [first] = opened.worlds;
  if (first === undefined) return;
  const columns = await columnsOf(first);
  const all = [...statements(columns), ...(await leaks(opened.worlds, columns))];
  for (const step of all.filter((_, index) => index % every === 0)) await compare(opened.worlds, step, sum);
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
