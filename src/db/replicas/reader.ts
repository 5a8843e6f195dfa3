import type { Caller } from '../../identity/caller.ts';
import type { Database } from '../database.ts';
import { DatabaseUnavailable, sqlState } from '../errors.ts';
import type { Admission, RequestContext } from '../request-settings.ts';
import type { Admissions } from './admissions.ts';
import { positionOf } from './log-position.ts';
import type { Replica } from './replica.ts';

/** What became of a read on a replica. */
export type OutcomeOfRead = 'replica' | 'behind' | 'overtaken' | 'refused by a replica';

/** What a replica said is not used: the primary is to be asked. */
class Discarded extends Error {
  override readonly name = 'Discarded';
}

interface Options {
  readonly caller: Caller;
  readonly primary: Database;
  readonly admissions: Admissions;
  readonly replica: Replica;
  readonly count: (outcome: OutcomeOfRead) => void;
  /** Told when the replica could not be reached. */
  readonly onUnreachable: () => void;
}

/** How a replica had not replayed what it was told that it must have. */
const NOT_REPLAYED = 'TX425';

/**
 * Of one request, and so of one caller. The replica is asked by what the primary said of them last, while the primary is
 * asked again; nothing of its answer, and no error of it, leaves here before the two agree. docs/decisions/replicas.md
 * says why.
 */
export function readerOn({ caller, primary, admissions, replica, count, onUnreachable }: Options): Database {
  let asked: Promise<Admission | undefined> | undefined;
  let last: Admission | undefined;
  let isCounted = false;

  async function read<T>(
    context: RequestContext,
    ask: (context: RequestContext) => Promise<T>,
    drop: (answer: T) => void = () => undefined,
  ): Promise<T> {
    if (context.caller !== caller) throw new Error('A reader is of one caller.');
    const guess = last ?? admissions.last(caller);
    const admitting = (asked ??= admissions.ask(caller));
    admitting.catch(() => undefined);
    const told = guess ?? (await admitting);
    if (told === undefined) throw discarded('behind');
    let replayed = '';
    const onReplayed = (position: string): void => {
      replayed = position;
    };
    const answering = ask({ ...context, admission: told, onReplayed });
    try {
      const reading = replica.whileRead(answering);
      reading.catch(() => undefined);
      const said = await admitting;
      if (said === undefined) throw discarded('behind');
      if (said.userId !== told.userId || said.epoch !== told.epoch) throw discarded('overtaken');
      const answer = await reading.catch(refused);
      if (!hasReplayed(replayed, said)) throw discarded('behind');
      last = said;
      if (!isCounted) count('replica');
      isCounted = true;
      return answer;
    } catch (error) {
      answering.then(drop, () => undefined);
      throw error;
    }
  }

  function discarded(outcome: OutcomeOfRead): Discarded {
    count(outcome);
    return new Discarded(`The replica is not read from: ${outcome}.`);
  }

  function refused(error: unknown): never {
    count(sqlState(error) === NOT_REPLAYED ? 'behind' : 'refused by a replica');
    if (error instanceof DatabaseUnavailable) onUnreachable();
    throw error;
  }

  const { database } = replica;
  return {
    ...primary,
    run: (context, statements) => read(context, (told) => database.run(told, statements)),
    walk: (context, statement) =>
      read(
        context,
        (told) => database.walk(told, statement),
        ({ pages }) => {
          pages.destroy();
        },
      ),
  };
}

/** Whether a replica that was so far has all that the caller wrote; of the same epoch, which is another question. */
function hasReplayed(replayed: string, { wroteUntil }: Admission): boolean {
  return replayed !== '' && positionOf(replayed) >= positionOf(wroteUntil);
}
