import { ask } from '../support/http.ts';
import type { Question } from '../support/http.ts';

/*
 * This process sends requests to /health and to a list of clients while a test attacks the service. It thereby notices
 * if the service stops or makes other callers wait.
 */

/**
 * The results of this process’s own requests during the attacks: how many it sent, which of them failed, and the
 * longest waiting time.
 */
export interface Probed {
  readonly asked: number;
  readonly worstHealthMs: number;
  readonly faults: readonly string[];
}

/** A request of this process counts as unanswered after this time, in milliseconds. */
const AT_LAST_MS = 15_000;
const PAUSE_MS = 20;
/**
 * How often /health is asked before its refusal is a fault: it answers 503 if Postgres takes longer than
 * HEALTH_CHECK_TIMEOUT_MS, which a busy machine alone can cause once.
 */
const HEALTH_ATTEMPTS = 3;

const [port = '', token = '', mark = ''] = process.argv.slice(2);
const nothing = { asked: 0, worstHealthMs: 0, faults: [] as string[] };
let probed = { ...nothing };

process.on('message', () => {
  process.send?.(probed satisfies Probed);
  probed = { ...nothing, faults: [] };
});
process.once('disconnect', () => process.exit());

async function timed(
  line: string,
  question: Question,
  isWell: (text: string) => boolean,
  attempts = 1,
): Promise<number> {
  const begun = performance.now();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => {
      reject(new Error('no answer'));
    }, AT_LAST_MS).unref();
  });
  try {
    const { status, text } = await Promise.race([ask(Number(port), line, question), late]);
    if (status === 503 && attempts > 1) return await timed(line, question, isWell, attempts - 1);
    if (status !== 200 || !isWell(text)) probed.faults.push(`${line}: ${status} ${text.slice(0, 200)}`);
  } catch (error) {
    probed.faults.push(`${line}: ${String(error)}`);
  }
  return performance.now() - begun;
}

for (;;) {
  const healthMs = await timed('GET /health', {}, () => true, HEALTH_ATTEMPTS);
  await timed('GET /api/clients', { token }, (text) => text.includes(mark));
  probed.asked += 2;
  probed.worstHealthMs = Math.max(probed.worstHealthMs, healthMs);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
