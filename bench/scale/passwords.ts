import { hashPassword } from '../../src/identity/password.ts';
import { median } from '../measure.ts';
import { processorTime } from '../processor-time.ts';

/** Returns the milliseconds of processor time for one password hash, which each login with a password costs. */
export async function hashMilliseconds(rounds: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = processorTime([process.pid]);
    await hashPassword('correct horse battery staple');
    if (round > 0) taken.push(processorTime([process.pid]) - before);
  }
  return median(taken);
}
