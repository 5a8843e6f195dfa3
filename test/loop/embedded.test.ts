import { expect, test } from '@jest/globals';
import { openEmbedded } from './embedded.ts';

test('the loop lets nobody be kept out for the logins that have failed before', async () => {
  const world = await openEmbedded();
  try {
    const [person] = world.people;
    if (person === undefined) throw new Error('nobody is there');
    const become = (active: boolean): Promise<unknown> =>
      world.admin('update public.users set is_active = $2 where id = $1', [person.id, active]);
    await become(false);
    for (let login = 0; login < 12; login += 1) expect(await world.logIn(person)).toBeUndefined();
    await become(true);
    expect(await world.logIn(person)).toEqual(expect.any(String));
    expect(world.turnedAway).toBe(0);
  } finally {
    await world.close();
  }
}, 180_000);
