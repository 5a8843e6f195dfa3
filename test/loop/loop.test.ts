import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomFrom } from '../faults/load/random.ts';
import { openBeside } from './beside.ts';
import { startLoad } from './load.ts';
import { runLoop } from './loop.ts';
import type { LoopWorld } from './world.ts';

/* A small part of `npm run proofs -- loop`. */

let world: LoopWorld;
beforeAll(async () => {
  world = await openBeside();
}, 180_000);
afterAll(() => world.close(), 60_000);

test('ADMINs whose tokens are over log in again, and go on changing rights', async () => {
  const tokens = world.admins.map(({ subject }) => `over for ${subject}`);
  const load = startLoad(world, tokens, randomFrom(7), 20);
  await load.end();
  expect(load.acknowledged).not.toEqual([]);
  expect(tokens.filter((token) => token.startsWith('over'))).toEqual([]);
}, 180_000);

test('no change is lost, and nothing withdrawn accepted, while the API and the provider are killed', async () => {
  const { figures, violations } = await runLoop(world, { seed: 7, kills: 3, isHurried: true });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ kills: 3, 'changes acknowledged': expect.any(Number) });
  expect(figures['changes acknowledged']).toBeGreaterThan(0);
  expect(figures['requests accepted']).toBeGreaterThan(0);
  expect(figures['messages that the provider took']).toBeGreaterThan(0);
}, 180_000);
