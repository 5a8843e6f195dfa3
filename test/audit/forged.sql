/* What a superuser wrote to the catalogs | what says so all the same | the object that it names. */

-- a right to read the server’s files, which the server says is from the start | finding catalog_right | pg_read_file(text)
grant execute on function pg_read_file(text) to public;
update pg_init_privs set initprivs = (select proacl from pg_proc where oid = 'pg_read_file(text)'::regprocedure)
where objoid = 'pg_read_file(text)'::regprocedure;
-- a right to read the server’s files, which the server says is from the start | drift grant | function pg_read_file(text) to PUBLIC
grant execute on function pg_read_file(text) to public;
update pg_init_privs set initprivs = (select proacl from pg_proc where oid = 'pg_read_file(text)'::regprocedure)
where objoid = 'pg_read_file(text)'::regprocedure;
-- a right that a function has by an empty list, without a word of it | finding catalog_right | pg_ls_dir(text)
update pg_proc set proacl = null where oid = 'pg_ls_dir(text)'::regprocedure;
delete from pg_init_privs where objoid = 'pg_ls_dir(text)'::regprocedure;
-- samples of every column for a role, which the server says is from the start | finding catalog_right | pg_catalog.pg_statistic
grant select on pg_statistic to taxclaims_reporting;
update pg_init_privs set initprivs = (select relacl from pg_class where oid = 'pg_statistic'::regclass)
where objoid = 'pg_statistic'::regclass;
-- a function of Postgres under another name, put into an extension | finding function_unbounded | aside.peek(text)
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
alter extension pg_trgm add function aside.peek(text);
-- an extension that somebody put something into | drift extension | pg_trgm
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.more() returns integer language sql security definer return 1;
alter extension pg_trgm add function aside.more();
-- an operator for types of Postgres’s own, put into an extension | finding operator_added | operator aside.=(character varying,text)
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.same(varchar, text) returns boolean language sql return true;
create operator aside.= (leftarg = varchar, rightarg = text, function = aside.same);
insert into pg_depend select 'pg_operator'::regclass, o.oid, 0, 'pg_extension'::regclass, e.oid, 0, 'e'
from pg_operator as o, pg_extension as e where o.oprnamespace = 'aside'::regnamespace and o.oprname = '=' and e.extname = 'pg_trgm';
-- a view that reads as its owner, put into an extension | drift schema | aside
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to taxclaims_reporting;
alter extension pg_trgm add view aside.leak;
-- a policy that is said to be a part of an extension | drift policy | evil on public.sites
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create policy evil on public.sites to taxclaims_reporting using (true);
insert into pg_depend select 'pg_policy'::regclass, p.oid, 0, 'pg_proc'::regclass, 'aside.similarity(text,text)'::regprocedure, 0, 'i'
from pg_policy as p where p.polname = 'evil';
-- an extension that was never made, with a function of its name | finding function_unbounded | aside.peek(text)
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
insert into pg_extension select 4711, 'hstore', 10, 'aside'::regnamespace, true, '1.8', null, null;
insert into pg_depend values ('pg_proc'::regclass, 'aside.peek(text)'::regprocedure, 0, 'pg_extension'::regclass, 4711, 0, 'e');
-- a policy of which pg_depend knows nothing | drift policy | evil on public.sites
create policy evil on public.sites to taxclaims_reporting using (true);
delete from pg_depend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
-- a trigger of which pg_depend knows nothing | drift trigger | evil on public.sites
create trigger evil before update on public.sites for each row execute function suppress_redundant_updates_trigger();
delete from pg_depend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
-- a trigger that says it is Postgres’s own | finding trigger_added | trigger evil on public.sites
create function public.copy() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger evil after insert on public.sites for each row execute function public.copy();
update pg_trigger set tgisinternal = true where tgname = 'evil';
-- a table among the house’s of which pg_depend knows nothing | drift table | public.evil
create table public.evil (id integer);
delete from pg_depend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
delete from pg_shdepend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
-- a view elsewhere of which pg_depend knows nothing | finding view_without_invoker | aside.leak
create schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to public;
delete from pg_depend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
delete from pg_shdepend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
-- a view elsewhere of which pg_depend knows nothing | drift schema | aside
create schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to public;
delete from pg_depend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
delete from pg_shdepend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
-- a function elsewhere that runs as the definer, of which pg_shdepend knows nothing | drift function | aside.reach()
create schema aside; create function aside.reach() returns integer language sql security definer return 1;
    alter function aside.reach() owner to taxclaims_definer;
delete from pg_depend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
delete from pg_shdepend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
-- a function that has a number of Postgres’s own | finding function_runs_as_owner | aside.peek()
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek() returns setof uuid language sql security definer
  set search_path = '' begin atomic select id from public.clients; end;
update pg_proc set oid = 9999 where oid = 'aside.peek()'::regprocedure;
