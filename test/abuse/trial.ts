import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { damagesBetween, stateOf } from './aftermath.ts';
import type { Area, Attack, AttackResponse } from './attack.ts';
import type { Probed } from './prober.ts';
import type { World } from './world.ts';

/** The result of all attacks of one kind, for example of those on links or on tokens. */
export interface Outcome {
  readonly area: string;
  readonly attacks: number;
  readonly seconds: number;
  readonly fallen: readonly string[];
  readonly foreignBytes: number;
  readonly serverErrors: number;
  readonly worstHealthMs: number;
  readonly slowestMs: number;
  readonly damages: readonly string[];
  readonly figures: readonly string[];
}

interface Tried {
  readonly attack: Attack;
  readonly response: AttackResponse;
  readonly leaked: readonly string[];
  readonly ms: number;
}

const AT_LAST_MS = 30_000;
const SHOWN = 300;

export async function tryArea(world: World, area: Area, prober: ChildProcess): Promise<Outcome> {
  const begun = performance.now();
  const attacks = await area.attacks(world);
  const before = await stateOf(world);
  await reportOf(prober);
  const tried: Tried[] = [];
  for (const attack of attacks) tried.push(await tryOne(world, attack));
  const { worstHealthMs, faults, asked } = await reportOf(prober);
  const refusals = tried.flatMap(({ response }) => response.refusals);
  const damages = await damagesBetween(world, before, refusals, area.mayGrowMb);
  if (asked === 0) damages.push('the process of test/abuse/prober.ts sent no request during the attacks');
  return {
    ...{ area: area.name, attacks: attacks.length, worstHealthMs },
    seconds: Math.round((performance.now() - begun) / 1_000),
    fallen: tried.filter(hasFallen).map(describe),
    foreignBytes: tried.filter(({ leaked }) => leaked.length > 0).length,
    serverErrors: tried.filter(({ response }) => /\b5\d\d\b/.test(response.result)).length,
    slowestMs: Math.max(...tried.map(({ ms }) => ms)),
    damages: [...damages, ...faults],
    figures: tried.flatMap(({ response }) => response.figure ?? []),
  };
}

async function tryOne(world: World, attack: Attack): Promise<Tried> {
  const begun = performance.now();
  const late = new Promise<AttackResponse>((resolve) => {
    setTimeout(() => {
      resolve({ result: 'no answer', text: '', refusals: [] });
    }, attack.maxMs ?? AT_LAST_MS).unref();
  });
  const failed = (error: unknown): AttackResponse => ({
    result: `failed: ${String(error)}`,
    text: '',
    refusals: [],
  });
  const response = await Promise.race([attack.attempt().catch(failed), late]);
  const { said = '' } = attack;
  const isLeaked = (mark: string): boolean => response.text.includes(mark) && !said.includes(mark);
  const leaked = attack.known === undefined ? world.foreignMarks.filter(isLeaked) : [];
  return { attack, response, leaked, ms: performance.now() - begun };
}

function hasFallen({ attack, response, leaked }: Tried): boolean {
  return leaked.length > 0 || !attack.must.includes(response.result);
}

function describe({ attack: { tries, source, must }, response: { result, text }, leaked }: Tried): string {
  const leakedText = leaked.length > 0 ? `told ${leaked.slice(0, 3).join(', ')}: ` : '';
  return `${tries} (${source}): ${result} instead of ${must.join(' or ')}; ${leakedText}${text.slice(-SHOWN)}`;
}

async function reportOf(prober: ChildProcess): Promise<Probed> {
  prober.send('report');
  const [probed] = (await once(prober, 'message')) as [Probed];
  return probed;
}
