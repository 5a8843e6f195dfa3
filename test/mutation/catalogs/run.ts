import { createTestDatabase } from '../../support/database.ts';
import { MOST } from './grid.ts';
import { shuffledByDay } from '../../support/day.ts';
import { isExcused } from './excused.ts';
import { judgeServerSettings, SERVER_KIND } from './server.ts';
import { type Judge, type Judged, openJudge, SPEAKERS, type Verdict } from './judge.ts';
import { type CatalogMutant, isOfTheServer } from './kinds.ts';

/** A batch of changes to the database, which are all of one kind: those from number `from` to before number `to`. */
interface Portion {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The results for one kind of change to the database, such as a dropped policy, and the number of changes that are not
 * tried yet.
 */
interface Tally {
  readonly verdicts: [CatalogMutant, Verdict][];
  left: number;
}

/**
 * Makes all changes of the given kinds, and requires that the audit reports each change. Two databases work at the same
 * time; only the first of them makes changes that affect the whole server. After `minutes` no new batch begins, so that
 * only a sample of the changes is tried.
 * @returns whether the audit reported all tried changes
 */
export async function runCatalogs(kinds: readonly string[], minutes = Infinity): Promise<boolean> {
  const end = Date.now() + minutes * 60_000;
  const databases = [await createTestDatabase(), await createTestDatabase()] as const;
  const judges = await Promise.all(databases.map((database) => openJudge(database.adminUrl)));
  try {
    const [first, second] = judges as [Judge, Judge];
    const report = new Report();
    const all = await portionsOf(first, kinds, report);
    const portions = minutes === Infinity ? all : shuffledByDay(all);
    const ofTheServer = portions.filter(({ kind }) => isOfTheServer(kind));
    const ofTheDatabase = portions.filter(({ kind }) => !isOfTheServer(kind));
    const work = async (judge: Judge, lists: readonly Portion[][]): Promise<void> => {
      for (const list of lists)
        for (let portion = list.shift(); portion !== undefined; portion = list.shift()) {
          if (Date.now() > end) return;
          const mutants = (await judge.mutantsOf(portion.kind)).slice(portion.from, portion.to);
          report.add(portion.kind, await judge.judge(mutants));
          // If a change was not rolled back, the audit would report it again and again after all later changes.
          await judge.assertMended();
        }
    };
    if (kinds.includes(SERVER_KIND)) report.addAll(SERVER_KIND, await judgeServerSettings(first));
    await Promise.all([work(first, [ofTheServer, ofTheDatabase]), work(second, [ofTheDatabase])]);
    return report.finish();
  } finally {
    for (const judge of judges) await judge.close();
    for (const database of databases) await database.close();
  }
}

async function portionsOf(judge: Judge, kinds: readonly string[], report: Report): Promise<Portion[]> {
  const portions: Portion[] = [];
  for (const kind of kinds.filter((name) => name !== SERVER_KIND)) {
    const { length } = await judge.mutantsOf(kind);
    if (length > 0) report.expect(kind, length);
    for (let from = 0; from < length; from += MOST) {
      portions.push({ kind, from, to: Math.min(from + MOST, length) });
    }
  }
  return portions;
}

/** Once all changes of one kind were tried, prints how many of them were reported, and by what. */
class Report {
  readonly #kinds = new Map<string, Tally>();
  readonly #all: [CatalogMutant, Verdict][] = [];

  expect(kind: string, mutants: number): void {
    this.#kinds.set(kind, { verdicts: [], left: mutants });
  }

  addAll(kind: string, verdicts: Judged): void {
    this.expect(kind, verdicts.size);
    this.add(kind, verdicts);
  }

  add(kind: string, verdicts: Judged): void {
    const tally = this.#kinds.get(kind);
    if (tally === undefined) throw new Error(`nobody expected '${kind}'`);
    tally.verdicts.push(...verdicts);
    tally.left -= verdicts.size;
    if (tally.left > 0) return;
    this.#all.push(...tally.verdicts);
    console.log(`${kind}: ${summary(tally.verdicts)}`);
    for (const [mutant, verdict] of tally.verdicts) if ('survived' in verdict) console.log(line(mutant, verdict));
  }

  /** @returns whether the audit reported every change that the test tried */
  finish(): boolean {
    // Prints the kinds of changes that were not all tried within the time limit.
    for (const [kind, { verdicts, left }] of this.#kinds) {
      if (left === 0 || verdicts.length === 0) continue;
      this.#all.push(...verdicts);
      console.log(`${kind}: ${summary(verdicts)}, ${left} not tried`);
      for (const [mutant, verdict] of verdicts) if ('survived' in verdict) console.log(line(mutant, verdict));
    }
    const left = [...this.#kinds.values()].reduce((sum, kind) => sum + kind.left, 0);
    console.log(`changes of the catalogs: ${summary(this.#all)}, ${left} not tried`);
    // The test fails if Postgres refuses every change of a kind, because then this kind has tested nothing.
    const tried = [...this.#kinds].filter(([, { verdicts }]) => verdicts.length > 0);
    const refused = tried.filter(([, { verdicts }]) => verdicts.every(([, verdict]) => isRefused(verdict)));
    for (const [kind] of refused) console.log(`REFUSED EVERYWHERE  ${kind}`);
    return refused.length === 0 && this.#all.every(([mutant, verdict]) => 'by' in verdict || isExcused(mutant));
  }
}

const isRefused = (verdict: Verdict): boolean => 'by' in verdict && verdict.by === SPEAKERS[3];

function summary(verdicts: readonly [CatalogMutant, Verdict][]): string {
  const countDetectedBy = (by: string): number =>
    verdicts.filter(([, verdict]) => 'by' in verdict && verdict.by === by).length;
  const parts = SPEAKERS.map((by) => `${String(countDetectedBy(by))} by ${by}`);
  const killed = verdicts.filter(([, verdict]) => 'by' in verdict).length;
  return `${String(killed)} of ${String(verdicts.length)} killed, ${parts.join(', ')}`;
}

function line(mutant: CatalogMutant, verdict: Extract<Verdict, { survived: string }>): string {
  const { kind, object } = mutant;
  if (verdict.survived === 'not made') return `NOT MADE  ${kind}: ${object}: ${verdict.message ?? ''}`;
  return `${isExcused(mutant) ? 'excused' : 'SURVIVED'}  ${kind}: ${object}`;
}
