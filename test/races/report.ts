import type { Found, Results } from './all-races.ts';
import type { Outcome } from './race.ts';

/** The number of example races that the report of the proof `races` shows for each violated invariant. */
const EXAMPLES = 3;
const LONGEST_BODY = 240;

/** Returns the report of the violations by invariant, the most frequent first; empty without a violation. */
export function report({ found, atRest }: Results): string {
  return [
    ...byFrequency(Map.groupBy(found, ({ invariant }) => invariant)).map(([invariant, all]) =>
      [`${all.length} × violated: ${invariant}`, ...kinds(all)].join('\n'),
    ),
    ...atRest.map(({ invariant, detail }) => `violated: ${invariant}: ${detail}`),
  ].join('\n\n');
}

/** Returns the races in which a request got 503, the most frequent first. */
export function reportUnavailable({ unavailable }: Results): string {
  return byFrequency(Map.groupBy(unavailable, nameOf))
    .map(([name, all]) => `  ${all.length} × ${name} (${holdsOf(all)})`)
    .join('\n');
}

function kinds(all: readonly Found[]): string[] {
  const sorted = byFrequency(Map.groupBy(all, ({ outcome }) => nameOf(outcome)));
  return sorted.map(([name, same], index) => {
    const line = `  ${same.length} × ${name} (${holdsOf(same.map(({ outcome }) => outcome))})`;
    return index < EXAMPLES && same[0] !== undefined ? `${line}\n${example(same[0])}` : line;
  });
}

function byFrequency<T>(groups: Map<string, T[]>): [string, T[]][] {
  return [...groups].toSorted(([, one], [, other]) => other.length - one.length);
}

/** Returns the sorted names of the simultaneous requests in a race. */
function nameOf({ members }: Outcome): string {
  const names = members.map(({ operation }) => operation.name);
  return names.toSorted().join(' | ');
}

function holdsOf(outcomes: readonly Outcome[]): string {
  return byFrequency(Map.groupBy(outcomes, ({ hold }) => hold))
    .map(([hold, all]) => `${hold} ${all.length}`)
    .join(', ');
}

/** Returns the requests of a race with their responses, in the order in which they were sent. */
function example({ outcome: { hold, isManaged, exchanges }, detail }: Found): string {
  const answers = exchanges.map(
    ({ operation, answer }, index) =>
      `      ${index + 1}. ${operation.name}: ${answer.status} ${answer.text.slice(0, LONGEST_BODY)}`,
  );
  return [`      hold ${hold}${isManaged ? ', with provider' : ''}: ${detail}`, ...answers].join('\n');
}
