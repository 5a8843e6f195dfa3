import { ELSEWHERE, FOREIGN, type Way } from './way.ts';

const READS_FILE = {
  sql: `select position(convert_to('Firm b', 'UTF8') in elsewhere.peek(pg_relation_filepath(c.oid))) > 0 as firm_b
        from pg_class as c where c.relname = 'clients' and c.relkind = 'r'`,
  seen: '"firm_b":true',
};

/** Functions, operators, casts, triggers and extensions. */
export const CODE: readonly Way[] = [
  {
    finding: 'function_runs_as_owner',
    what: 'a superuser’s function in a schema of its own, which everybody may run',
    object: 'elsewhere.peek()',
    bad: `${ELSEWHERE} create function elsewhere.peek() returns setof uuid language sql security definer
      set search_path = '' begin atomic select id from public.clients; end`,
    reads: { sql: 'select elsewhere.peek()', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'function_runs_as_owner',
    what: 'a function of a role that bypasses the policies, granted to a group',
    object: 'elsewhere.peek()',
    bad: `create schema elsewhere; create role test_strong bypassrls in role pg_read_all_data;
      grant usage, create on schema elsewhere to test_strong; grant usage on schema elsewhere to taxclaims_reporting;
      create function elsewhere.peek() returns setof uuid language sql security definer set search_path = ''
      return (select id from public.clients where id = '${FOREIGN}');
      alter function elsewhere.peek() owner to test_strong;
      revoke execute on function elsewhere.peek() from public; grant execute on function elsewhere.peek() to taxclaims_reporting`,
    reads: { sql: 'select elsewhere.peek()', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'function_runs_as_owner',
    what: 'a table whose trigger runs a superuser’s function that nobody may run',
    object: 'elsewhere.peek()',
    bad: `${ELSEWHERE} create table elsewhere.door (id uuid);
      create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
      $f$ begin new.id := (select id from public.clients where id = '${FOREIGN}'); return new; end $f$;
      revoke execute on function elsewhere.peek() from public;
      create trigger door before insert on elsewhere.door for each row execute function elsewhere.peek();
      grant insert, select on elsewhere.door to taxclaims_reporting`,
    reads: { sql: 'insert into elsewhere.door default values returning id', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'function_runs_as_owner',
    what: 'an aggregate made of a superuser’s function that nobody may run',
    object: 'elsewhere.peek(uuid,integer)',
    bad: `${ELSEWHERE} create function elsewhere.peek(uuid, integer) returns uuid language sql security definer
      set search_path = '' begin atomic select id from public.clients where id = '${FOREIGN}'; end;
      revoke execute on function elsewhere.peek(uuid, integer) from public;
      create aggregate elsewhere.peek_all(integer) (sfunc = elsewhere.peek, stype = uuid)`,
    reads: { sql: 'select elsewhere.peek_all(1)', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'function_unbounded',
    what: 'a function that reads the files of the server under another name',
    object: 'elsewhere.peek(text)',
    bad: `${ELSEWHERE} create function elsewhere.peek(text) returns bytea language internal as 'pg_read_binary_file_all';
      checkpoint`,
    reads: READS_FILE,
    named: true,
  },
  {
    finding: 'function_leakproof',
    what: 'a leakproof function that says what it sees',
    object: 'elsewhere.watch(text)',
    bad: `${ELSEWHERE} create function elsewhere.watch(text) returns boolean language plpgsql leakproof cost 0.0001 as
      $f$ begin raise notice 'saw %', $1; return true; end $f$`,
    reads: { sql: 'select from reporting.clients where elsewhere.watch(company_name)', seen: 'saw Firm b' },
    named: true,
  },
  {
    finding: 'operator_added',
    what: 'an operator that is a better match than the one a policy means',
    object: 'operator public.=(character varying,text)',
    bad: `${ELSEWHERE} create function elsewhere.same(varchar, text) returns boolean language sql return true;
      create operator public.= (leftarg = varchar, rightarg = text, function = elsewhere.same)`,
  },
  {
    finding: 'operator_added',
    what: 'a cast that is applied without being written',
    object: 'cast (text as uuid)',
    bad: 'create cast (text as uuid) with inout as implicit',
  },
  {
    finding: 'operator_added',
    what: 'a cast from a type of one’s own that is applied without being written',
    object: 'cast (elsewhere.kind as uuid)',
    bad: `${ELSEWHERE} create type elsewhere.kind as enum ('a'); create cast (elsewhere.kind as uuid) with inout as implicit`,
  },
  {
    finding: 'event_trigger',
    what: 'a function that runs in the session of whoever changes the schema',
    object: 'watching',
    bad: `${ELSEWHERE} create function elsewhere.watch() returns event_trigger language plpgsql as $f$ begin end $f$;
      create event trigger watching on ddl_command_end execute function elsewhere.watch()`,
  },
  {
    finding: 'trigger_added',
    what: 'a trigger that hands every claim to somebody’s function',
    object: 'trigger copying on public.reclamations',
    bad: `${ELSEWHERE} create function elsewhere.take() returns trigger language plpgsql as $f$ begin return new; end $f$;
      create trigger copying after insert on public.reclamations for each row execute function elsewhere.take()`,
  },
  {
    finding: 'trigger_added',
    what: 'a rule that switches the audit log off',
    object: 'rule silent on public.audit_logs',
    bad: 'create rule silent as on insert to public.audit_logs do instead nothing',
  },
  {
    finding: 'foreign_owner',
    what: 'a function of a stranger’s in a schema of the house, that runs as the stranger',
    object: 'function app.peek()',
    bad: `create role test_stranger; create function app.peek() returns integer language sql security definer
      set search_path = '' return 1; revoke execute on function app.peek() from public;
      alter function app.peek() owner to test_stranger`,
  },
  {
    finding: 'extension_not_known',
    what: 'an extension that shows the pages of tables',
    object: 'pageinspect',
    bad: `${ELSEWHERE} create extension pageinspect schema elsewhere`,
  },
];
