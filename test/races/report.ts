import type { Found, Results } from './all-races.ts';
import type { Outcome } from './race.ts';

/** For each violated rule, the report of `npm run proofs -- races` shows this number of examples. */
const EXAMPLES = 3;
const LONGEST_BODY = 240;

/**
 * Returns a report of the violations by rule, with the most frequent rule at the top. The report is empty if no rule is
 * violated.
 */
export function report({ found, atRest }: Results): string {
  return [
    ...byFrequency(Map.groupBy(found, ({ invariant }) => invariant)).map(([invariant, all]) =>
      [`${all.length} × violated: ${invariant}`, ...kinds(all)].join('\n'),
    ),
    ...atRest.map(({ invariant, detail }) => `violated: ${invariant}: ${detail}`),
  ].join('\n\n');
}

/** Returns the groups of simultaneous requests in which one got 503, the most frequent at the top. */
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

function nameOf({ members }: Outcome): string {
  const names = members.map(({ operation }) => operation.name);
  return names.toSorted().join(' | ');
}

function holdsOf(outcomes: readonly Outcome[]): string {
  return byFrequency(Map.groupBy(outcomes, ({ hold }) => hold))
    .map(([hold, all]) => `${hold} ${all.length}`)
    .join(', ');
}

function example({ outcome: { hold, isManaged, exchanges }, detail }: Found): string {
  const answers = exchanges.map(
    ({ operation, answer }, index) =>
      `      ${index + 1}. ${operation.name}: ${answer.status} ${answer.text.slice(0, LONGEST_BODY)}`,
  );
  return [`      hold ${hold}${isManaged ? ', with provider' : ''}: ${detail}`, ...answers].join('\n');
}
