import type { Fault } from '../fault.ts';
import type { World } from '../world.ts';

/** Of the login that the service has. */
const THROW_OUT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = $1 and application_name like 'taxclaims%'`;

async function limit({ admin }: World, connections: number): Promise<void> {
  const { login } = JSON.parse(process.env['TAXCLAIMS_TEST_RUN'] ?? '{}') as { login: { name: string } };
  await admin(`alter role ${login.name} connection limit ${connections}`);
}

export const fault: Fault = {
  name: 'connections-exhausted',
  what: 'the sessions of the service are ended, and the server takes one of its connections and no other',
  must: 'the service makes do with it, and has all again when it may',
  holdMs: 2_500,
  async begin(world) {
    await limit(world, 1);
    await world.admin(THROW_OUT, [world.database]);
    return () => limit(world, -1);
  },
};
