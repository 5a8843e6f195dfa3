import type { Breakage } from './breakage.ts';

export const operatorsCastsTypes: readonly Breakage[] = [
  {
    title: 'a cast from text to lists of UUIDs that adds ACME',
    lets: 'app.client_access(), whose text has not changed, gives ACME to everybody whose list is cast',
    make: `create function app.as_list(listed text) returns uuid[] language plpgsql immutable as $$
           begin return (string_to_array(btrim(listed, '{}'), ',')::uuid[]) || 'c1000000-0000-4000-8000-000000000001'::uuid; end $$;
           grant execute on function app.as_list(text) to public;
           create cast (text as uuid[]) with function app.as_list(text)`,
  },
  {
    title: 'a cast from text to UUID that is one user’s',
    lets: 'every request is Ada’s, in the records and for the policies that ask who asks',
    make: `create function public.as_id(said text) returns uuid language plpgsql immutable as $$
           begin return 'e1000000-0000-4000-8000-000000000001'; end $$;
           grant execute on function public.as_id(text) to public;
           create cast (text as uuid) with function public.as_id(text)`,
  },
  {
    title: 'a cast from text to addresses that is always local',
    lets: 'audit records say that everything came from the server itself',
    make: `create schema tools;
           create function tools.local(text) returns inet language plpgsql immutable as $$ begin return '127.0.0.1'; end $$;
           grant usage on schema tools to public; grant execute on function tools.local(text) to public;
           create cast (text as inet) with function tools.local(text)`,
  },
  {
    title: 'an implicit cast from UUID to text',
    lets: 'comparisons that were refused are done as texts, and ids fit where names belong',
    make: 'create cast (uuid as text) with inout as implicit',
  },
  {
    title: 'pg_cast: text becomes a number of itself',
    lets: 'statements that compare texts with numbers mean something else',
    make: `update pg_cast set castcontext = 'i' where castsource = 'bigint'::regtype and casttarget = 'integer'::regtype`,
  },
  {
    title: 'lower() for varchar in pg_catalog, which cuts at the plus sign',
    lets: 'whoever has tom+x@… verified logs in as tom@…: the house’s own pg_catalog.lower(email) means this one',
    make: `create function pg_catalog.lower(email character varying) returns text language sql immutable strict
             return pg_catalog.split_part(pg_catalog.lower(email::text), '+', 1);
           grant execute on function pg_catalog.lower(character varying) to public`,
  },
  {
    title: 'an equality of UUIDs and texts in pg_catalog',
    lets: 'a comparison that was an error is true',
    make: `create function pg_catalog.always(uuid, text) returns boolean language sql immutable return true;
           create operator pg_catalog.= (leftarg = uuid, rightarg = text, function = pg_catalog.always)`,
  },
  {
    title: 'an equality in schema public, for names of roles',
    lets: 'whoever has public on the path compares names of roles with texts by another function',
    make: `create function public.same(text, name) returns boolean language sql immutable return true;
           create operator public.= (leftarg = text, rightarg = name, function = public.same)`,
    by: 'owner',
  },
  {
    title: 'the key of emails compares by another class',
    lets: 'every email may be stored twice; the index is unique and valid all the same',
    make: `create function app.never(text, text) returns integer language sql immutable return 1;
           create operator class app.never_ops for type text using btree as
             operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 app.never(text, text);
           drop index public.users_email_key;
           create unique index users_email_key on public.users (lower(email) app.never_ops)`,
  },
  {
    title: 'an operator of Postgres’s own by hand: different UUIDs are equal',
    lets: 'statements of the API that look for one id find every row of the tenant',
    make: `update pg_operator set oprcode = 'pg_catalog.uuid_ge'::regproc where oid = 'pg_catalog.=(uuid,uuid)'::regoperator`,
  },
  {
    title: 'the estimate of an operator is a function of the login’s schema',
    lets: 'planning a query hands values of the statistics to that function',
    make: `create operator reporting.=== (leftarg = text, rightarg = text, function = texteq, restrict = eqsel);
           grant usage on schema reporting to public`,
  },
  {
    title: 'a domain over text whose check tells what it sees',
    lets: 'each subject that is stored is sent to whoever listens',
    make: `create function app.heard(said text) returns boolean language plpgsql immutable as $$
           begin perform pg_notify('heard', said); return true; end $$;
           grant execute on function app.heard(text) to public;
           create domain app.subject as text check (app.heard(value));
           alter table app.created_clients alter column subject type app.subject`,
  },
  {
    title: 'a type of a table’s column by hand',
    lets: 'lists of the audit log’s texts are read as another type',
    make: `update pg_attribute set atttypmod = 7 where attrelid = 'public.audit_logs'::regclass and attname = 'action'`,
  },
  {
    title: 'the array_remove of UUIDs in pg_catalog',
    lets: 'app.client_access() adds ACME where it takes nulls away',
    make: `create function pg_catalog.array_remove(listed uuid[], one unknown) returns uuid[] language internal immutable as 'array_remove'`,
  },
  {
    title: 'an aggregate of another meaning in pg_catalog: bool_or over nothing',
    lets: 'app.partner_within_reach says yes of partners of other tenants',
    make: `create or replace function pg_catalog.yes(boolean, boolean) returns boolean language sql immutable return true;
           create or replace aggregate pg_catalog.bool_or(boolean)
             (sfunc = pg_catalog.yes, stype = boolean, initcond = 'true')`,
  },
];
