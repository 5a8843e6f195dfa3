import type { Logger } from 'pino';
import { isOfTheSystem } from '../../system-error.ts';
import { REFUSALS_AT_ONCE } from '../../limits.ts';
import type { Recorder } from './recorder.ts';
import { fromLine } from './refusal.ts';
import type { KeptRefusal } from './refusal.ts';
import type { Spool } from './spool.ts';

/**
 * Moves the oldest file of the spool into the database. Gives how many refusals it held; undefined where nothing waits.
 * The file goes only when all of it is stored or set aside: to do it again after a crash stores nothing twice.
 */
export async function drainOldest(
  spool: Spool,
  recorder: Recorder,
  log: Logger,
): Promise<number | undefined> {
  const file = await spool.oldest();
  if (file === undefined) return undefined;
  try {
    const content = await file.read();
    if (content === undefined) {
      log.error('refusals that were kept on disk are gone: somebody has removed their file');
      return 0;
    }
    const { lines, torn } = content;
    if (torn !== '')
      log.warn({ bytes: torn.length }, 'a crash has cut off a refusal that was never answered');
    const { refusals, damaged } = parse(lines);
    const refused: KeptRefusal[] = [];
    for (let next = 0; next < refusals.length; next += REFUSALS_AT_ONCE) {
      refused.push(...(await recorder.recordEach(refusals.slice(next, next + REFUSALS_AT_ONCE))));
    }
    if (damaged.length + refused.length > 0) {
      await spool.setAside([...damaged, ...refused.map((refusal) => JSON.stringify(refusal))]);
      const details = {
        damaged: damaged.length,
        refused: refused.map(({ id, requestId }) => ({ id, requestId })),
      };
      log.error(
        details,
        'refusals that the database does not take were set aside in DATA_DIR/refusals/set-aside',
      );
    }
    await file.remove();
    return refusals.length - refused.length;
  } catch (error) {
    if (isOfTheSystem(error)) file.postpone();
    throw error;
  }
}

function parse(lines: readonly string[]): { refusals: KeptRefusal[]; damaged: string[] } {
  const refusals: KeptRefusal[] = [];
  const damaged: string[] = [];
  for (const line of lines) {
    const refusal = fromLine(line);
    if (refusal === undefined) damaged.push(line);
    else refusals.push(refusal);
  }
  return { refusals, damaged };
}
