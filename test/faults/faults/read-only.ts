import type { Fault } from '../fault.ts';

const THROW_OUT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = $1 and application_name like 'taxclaims%'`;

export const fault: Fault = {
  name: 'read-only',
  what: 'alter database … set default_transaction_read_only, for every new session',
  must: 'writes are 503 and not refused, and the service writes again when it may',
  holdMs: 2_000,
  async begin({ admin, database }) {
    await admin(`alter database ${database} set default_transaction_read_only = on`);
    await admin(THROW_OUT, [database]);
    return async () => {
      await admin(`begin read write; alter database ${database} reset default_transaction_read_only; commit`);
      await admin(THROW_OUT, [database]);
    };
  },
};
