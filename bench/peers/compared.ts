import { median, short } from '../measure.ts';
import type { Sample } from './peer.ts';

/** The columns that `compared` fills. */
export const COMPARED = [
  ...['rate', 'p50 ms', 'as a ratio', 'p99 ms', 'as a ratio', 'Node µs', 'as a ratio'],
  ...['Postgres µs', 'as a ratio'],
];

/** What one has done beside the first: medians, and medians of the ratios of turns that followed each other. */
export function compared(taken: readonly Sample[], first: readonly Sample[]): string[] {
  const ratio = (of: (sample: Sample) => number | undefined): string =>
    short(
      median(taken.map((sample, round) => Number(of(sample)) / Number(first[round] && of(first[round])))),
    );
  const both = (of: (sample: Sample) => number | undefined): string[] => [
    short(median(taken.map((sample) => Number(of(sample))))),
    ratio(of),
  ];
  return [
    ratio((sample) => sample.requestsPerSecond),
    ...both((sample) => sample.p50),
    ...both((sample) => sample.p99),
    ...both((sample) => sample.nodeMicroseconds),
    ...both((sample) => sample.postgresMicroseconds),
  ];
}
