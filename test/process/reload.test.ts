import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childrenOf } from '../support/freeze.ts';
import { until } from '../support/upload.ts';
import { areGone, load, MANY_SITES, openCrewWorld } from './crew.ts';
import type { Crew, CrewWorld } from './crew.ts';

/* Several workers that are replaced on SIGHUP, and what may happen meanwhile. */

const REPLACED = /"msg":"all workers are replaced"/;
const GO_ON = /"msg":"a new worker cannot serve: those before it go on"/;
const SERVES = /"msg":"a worker serves"/;

let world: CrewWorld;

beforeAll(async () => {
  world = await openCrewWorld();
});
afterAll(() => world.close());

/** Tells the workers to be replaced; gives what waits until the log has said something once more since. */
function reload(crew: Crew): (pattern: RegExp, times?: number) => Promise<void> {
  const { length } = crew.started.out;
  const before = (pattern: RegExp): number =>
    [...crew.started.out.slice(0, length).matchAll(new RegExp(pattern, 'g'))].length;
  crew.started.signal('SIGHUP');
  return (pattern, times = 1) => crew.says(pattern, before(pattern) + times);
}

/** The pid of a worker that is only just starting. */
async function successorOf(crew: Crew): Promise<number> {
  const serving = new Set(crew.workers());
  let found: number | undefined;
  await until(async () => {
    found = (await childrenOf(crew.started.pid)).find((pid) => !serving.has(pid));
    return found !== undefined;
  });
  return found ?? 0;
}

describe('workers that are told to be replaced', () => {
  let crew: Crew;
  let contents: string;

  beforeAll(async () => {
    contents = join(world.folder, 'contents');
    crew = await world.begin({ DOCUMENT_STORE: contents });
  });
  afterAll(() => crew.end());

  test('are, one after the other, and no request is dropped, on new connections or on old ones', async () => {
    const before = crew.workers();
    const onOld = load(new Agent({ keepAlive: true, maxSockets: 6 }), crew.read);
    const onNew = load(undefined, crew.read);
    await until(() => onOld.outcomes.length > 20);
    await reload(crew)(REPLACED);
    const { length } = onOld.outcomes;
    await until(() => onOld.outcomes.length > length + 50);
    await Promise.all([onOld.stop(), onNew.stop()]);
    for (const { outcomes } of [onOld, onNew]) {
      expect(outcomes.length).toBeGreaterThan(50);
      expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
    }
    expect([await areGone(before), (await crew.present()).length]).toEqual([true, 2]);
  });

  test('finish what they have: an upload, a file that is read, and a connection on which nothing is under way', async () => {
    const before = await crew.present();
    const busy = [];
    for (const pid of before) busy.push(await crew.busy(pid));
    const said = reload(crew);
    for (const [index, one] of busy.entries()) {
      // Its successor serves, and it has begun to end.
      await said(SERVES, index + 1);
      expect(await one.idleBroken).toBe(false);
      expect(await one.finish()).toEqual({ upload: '201', file: `${MANY_SITES} sites` });
    }
    await said(REPLACED);
    expect([await areGone(before), (await crew.present()).length]).toEqual([true, 2]);
  });

  test('go on, and say why, where their successor cannot serve', async () => {
    const before = await crew.present();
    await rm(contents, { recursive: true });
    await writeFile(contents, 'no folder');
    await reload(crew)(GO_ON);
    expect(crew.started.out).toMatch(
      /"reason":"[^"]*DOCUMENT_STORE cannot be written to: [^"]*","msg":"a new worker/,
    );
    expect(await crew.present()).toEqual(before);
    expect(await Promise.all(Array.from({ length: 10 }, () => crew.read()))).toEqual(Array(10).fill('200'));
    await rm(contents);
    await reload(crew)(REPLACED);
    expect([await areGone(before), (await crew.present()).length]).toEqual([true, 2]);
  });

  test('go on where their successor is killed before it serves', async () => {
    const before = await crew.present();
    const said = reload(crew);
    process.kill(await successorOf(crew), 'SIGKILL');
    await said(GO_ON);
    expect([await crew.present(), await crew.read()]).toEqual([before, '200']);
  });

  test('are as many as before, and all of them new, where one of the old ones dies meanwhile', async () => {
    const before = await crew.present();
    const reads = load(undefined, crew.read);
    const said = reload(crew);
    const successor = await successorOf(crew);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await said(REPLACED);
    await reads.stop();
    expect(await areGone(before)).toBe(true);
    expect((await crew.present()).length).toBe(2);
    expect(crew.workers()).toContain(successor);
    expect(await childrenOf(crew.started.pid)).toHaveLength(2);
    // Each of the six callers had one request with it at most.
    expect(reads.outcomes.filter((outcome) => outcome !== '200').length).toBeLessThanOrEqual(6);
    expect(await crew.read()).toBe('200');
  });
});

test('workers go on where their successor hangs before it serves, and it is ended', async () => {
  const program = join(import.meta.dirname, '..', 'support', 'impatient-crew.ts');
  const crew = await world.begin({}, program);
  try {
    const said = reload(crew);
    const successor = await successorOf(crew);
    process.kill(successor, 'SIGSTOP');
    await said(GO_ON);
    expect(crew.started.out).toMatch(
      /"reason":"it did not serve in time","msg":"a worker hangs, and is ended/,
    );
    expect(await areGone([successor])).toBe(true);
    expect([(await crew.present()).length, await crew.read()]).toEqual([2, '200']);
  } finally {
    await crew.end();
  }
});

test('a worker does not serve under a process of another release, which would not understand it, and says so', async () => {
  const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  // As cluster starts one.
  const worker = fork(main, { env: { ...world.environment(), NODE_UNIQUE_ID: '1' }, silent: true });
  worker.send({ kind: 'start', ground: { apiUrl: undefined, demonstration: [], provider: undefined } });
  const [said] = (await once(worker, 'message')) as [unknown];
  worker.kill('SIGKILL');
  expect(said).toEqual({
    kind: 'failed',
    reason: expect.stringMatching(/^the process that has started it is of another release: restart/),
  });
});
