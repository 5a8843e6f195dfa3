import { expect, test } from '@jest/globals';
import { openBeside } from './beside.ts';
import { runLoop } from './loop.ts';

/* A small part of `npm run test:loop`. */

test('no change is lost, and nothing withdrawn accepted, while the API and the provider are killed', async () => {
  const world = await openBeside();
  try {
    const { figures, violations } = await runLoop(world, { seed: 7, kills: 3, isHurried: true });
    expect(violations).toEqual([]);
    expect(figures).toMatchObject({ kills: 3, 'changes acknowledged': expect.any(Number) });
    expect(figures['changes acknowledged']).toBeGreaterThan(0);
    expect(figures['requests accepted']).toBeGreaterThan(0);
    expect(figures['messages that the provider took']).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
}, 180_000);
