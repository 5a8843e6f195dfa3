import type { Logger } from 'pino';
import type { Figures } from '../metrics/of-all.ts';
import type { Member } from './crew.ts';

/** Keeps as many workers serving as there are to be. */
export interface Supervisor {
  /** Resolves with the address once all of them serve; rejects where one cannot. */
  readonly serving: Promise<string>;
  /** Replaces each by a new one, one after the other; while there is none that serves, none is ended. */
  reload(): Promise<void>;
  figures(): Promise<readonly Figures[]>;
  close(withinMs: number): Promise<void>;
}

/** What has served no longer than that has ended quickly; so many in a row, and there is no hope. */
const QUICK_MS = 10_000;
const MOST_QUICK_BESIDE_EACH = 4;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;
/** How long one that is replaced has for what it has taken. */
const REPLACED_MS = 9_000;

export function supervise({
  count,
  start,
  log,
  hopeless,
}: {
  readonly count: number;
  readonly start: () => Member;
  readonly log: Logger;
  /** Called once, where they end as soon as they are started. */
  readonly hopeless: (error: Error) => void;
}): Supervisor {
  const members = new Set<Member>();
  /** Those that are to take the place of another, and have not yet. */
  const spares = new Set<Member>();
  let quick = 0;
  let closing = false;
  const isClosing = (): boolean => closing;
  let hasServed = false;
  let reloading: Promise<void> | undefined;
  let pause: NodeJS.Timeout | undefined;

  const present = (): Member[] => [...members].filter((member) => !member.isTold && !spares.has(member));

  function begin(): Member {
    const member = start();
    members.add(member);
    member.serving.then(
      () => {
        log.info({ worker: member.number, workerPid: member.pid }, 'a worker serves');
      },
      () => undefined,
    );
    void member.ended.then((how) => {
      members.delete(member);
      const isSpare = spares.delete(member);
      if (closing || member.isTold || isSpare || !hasServed) return;
      replace(member, how);
    });
    return member;
  }

  function replace({ number, servedMs }: Member, how: string): void {
    quick = servedMs < QUICK_MS ? quick + 1 : 1;
    log.error({ worker: number, reason: how }, 'a worker has ended, and is replaced');
    if (quick > count + MOST_QUICK_BESIDE_EACH) {
      closing = true;
      hopeless(new Error(`the workers end as soon as they are started, the last one so: ${how}`));
      return;
    }
    const pauseMs = quick < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (quick - 2), LAST_PAUSE_MS);
    pause ??= setTimeout(() => {
      pause = undefined;
      while (!closing && present().length < count) begin();
    }, pauseMs);
  }

  async function replaceEach(): Promise<void> {
    log.info('the workers are replaced, one after the other');
    for (const old of present()) {
      if (isClosing() || !members.has(old)) continue;
      const successor = begin();
      spares.add(successor);
      try {
        await successor.serving;
      } catch (error) {
        if (!isClosing())
          log.error({ reason: String(error) }, 'a new worker cannot serve: those before it go on');
        return;
      }
      spares.delete(successor);
      // One that has died meanwhile may have been replaced already.
      if (present().length > count) await (members.has(old) ? old : successor).end(REPLACED_MS);
    }
    if (!isClosing()) log.info('all workers are replaced');
  }

  const first = Array.from({ length: count }, begin);
  return {
    serving: Promise.all(first.map(({ serving }) => serving)).then(([url = '']) => {
      hasServed = true;
      return url;
    }),
    reload: () =>
      (reloading ??= replaceEach().finally(() => {
        reloading = undefined;
      })),
    async figures() {
      const all = await Promise.all(present().map((member) => member.figures()));
      return all.filter((figures) => figures !== undefined);
    },
    async close(withinMs) {
      closing = true;
      clearTimeout(pause);
      await Promise.all([...members].map((member) => member.end(withinMs)));
    },
  };
}
