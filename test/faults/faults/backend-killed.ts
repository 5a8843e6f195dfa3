import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'backend-killed',
  what: 'kill -9 of one of Postgres’s sessions: the server throws all of them out and recovers',
  must: 'the service finds it again by itself',
  holdMs: 0,
  async begin({ admin, database }) {
    const [{ pid } = {}] = await admin(
      `select pid from pg_stat_activity where datname = $1 and application_name like 'taxclaims-api%' limit 1`,
      [database],
    );
    process.kill(Number(pid), 'SIGKILL');
    return nothing;
  },
};
