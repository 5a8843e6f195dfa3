/*
 * The check that must see it, and nothing else made it | what is wrong. Run by the superuser, in a transaction that is
 * rolled back, with no trigger and no foreign key in the way; a session goes by the service's name and stays open meanwhile.
 */

-- what was acknowledged is there once | a site is lost
delete from public.sites where id = (select record from requests where serial = :CREATED_SITE);
-- nothing is stored twice | a site is there twice
insert into public.sites (client_id, site_name)
select client_id, site_name from public.sites join requests on record = id where serial = :CREATED_SITE;
-- nothing is stored that was not sent | a site that nobody sent
insert into public.sites (client_id, site_name) select id, 'nobody’s' from public.clients limit 1;
-- what was refused or wrong is not stored | a site that was refused
update attempts set status = 403 where serial = :CREATED_SITE;
-- what was deleted is gone | a deleted site is back
insert into public.sites (id, client_id, site_name)
select record, c.id, 'back' from requests, public.clients as c
where kind = 'delete' and "table" = 'sites' and is_acknowledged limit 1;
-- a record is as the last acknowledged change left it, or one without an answer after it | a site with another address
update public.sites set address = 'elsewhere'
where id = (select record from requests where serial = :CHANGED_SITE);
-- a record is as the last acknowledged change left it, or one without an answer after it | a claim with another status
update public.reclamations set status = 'WITHDRAWN'
where id = (select record from requests where serial = :MOVED_CLAIM);
-- each acknowledged move of a claim is in its history, and no other | a move is not in the history
delete from public.reclamation_history
where reclamation_id = (select record from requests where serial = :MOVED_CLAIM);
-- the numbers of invoices have no gap | an invoice with a number is lost
delete from public.factures where number in (select min(number) from public.factures);
-- a key is answered in the same way each time | a key that was answered a second time otherwise
update attempts set answer = 'another' where (serial, attempt) = (
    select serial, max(attempt) from attempts where keyed and answer is not null
    group by serial having count(*) > 1 limit 1);
-- a request with a key is answered in the end | a request with a key was 503 to the last
update attempts set status = 503 where serial = (select serial from attempts where keyed limit 1);
-- each refusal has one record | the record of a refusal is lost
delete from public.audit_logs where request_id = :REFUSAL;
-- each record of a refusal is of one that was refused, or had no answer | a record of a refusal that was none
update attempts set status = 200 where "requestId" = :REFUSAL;
-- no refusal has two records | a refusal that is recorded twice
insert into public.audit_logs (action, resource_type, success, user_agent, request_id, actor)
select action, resource_type, success, user_agent, request_id, actor
from public.audit_logs where request_id = :REFUSAL;
-- a refusal is dated when it was | a refusal of an hour before
update public.audit_logs set created_at = created_at - interval '1 hour' where request_id = :REFUSAL;
-- each acknowledged write has one record of success | the record of a creation is lost
delete from public.audit_logs
where success and resource_id = (select record from requests where serial = :CREATED_SITE);
-- each record of success is of a request that succeeded, or had no answer | a record of success of what failed
update attempts set status = 400 where serial = :CREATED_SITE;
-- an answer is one that was to be expected, or 503 | an answer that nobody expects
update attempts set expected = false where :ANY;
-- an answer is whole and the right one | an answer with another record
update attempts set defect = 'another site' where :ANY;
-- no answer holds anything of another tenant | an answer with foreign bytes
update attempts set "foreign" = '["Garage"]' where :ANY;
-- a 503 says when to come again | a 503 that says no time
update attempts set status = 503, "retryAfter" = false where :ANY;
-- nobody waits without end | a request that hung
update attempts set lost = 'hung' where :ANY;
-- what the fault must leave alone is answered | a 503 that should not be
insert into spared values ('read clients');
update attempts set status = 503 where operation = 'read clients';
-- each document has its content, and each content its document or its end | a content is lost
delete from contents where path in (
select file_path from public.documents where id not in (select f.id from fixture as f) limit 1);
-- each document has its content, and each content its document or its end | a content without a document
insert into contents values ('aa/nobody’s', 1);
-- each content has the bytes that were uploaded | a content with other bytes of the same length
update contents set digest = 'another' where path in (
select file_path from public.documents where id not in (select f.id from fixture as f) limit 1);
-- no upload is left half-written | an upload that was broken off and lies there still
insert into contents values ('.partial/upload', 0);
-- no connection is left in a transaction | a session that has not ended its transaction
--> session
begin; select 1;
-- no lock is left | a lock of a session
--> session
select pg_advisory_lock(1);
-- a table that nobody writes is as it was | a parcel that nobody sent
insert into public.cadastres (site_id, commune_code, section, number)
select id, '75056', 'AB', '0001' from public.sites limit 1;

-- each acknowledged change of rights is noted for the provider | a change of rights that was acknowledged and is lost
delete from public.identity_changes where request_id::text = :GRANT;
-- the rights of a user are those that were noted last | rights that changed without a note
update public.users set role = case role when 'CLIENT' then 'TAX_SPECIALIST' else 'CLIENT' end
where id = (select id from members limit 1);
-- each noted change of rights is delivered | a change that waits for ever
update public.identity_changes set delivered_at = null where request_id::text = :GRANT;
-- the provider is told no rights that a user never had | rights that the provider was told and nobody set
update told set rights = 'ADMIN active' where n = 0;
-- the provider is told rights in their order | two changes that arrive in the other order
insert into told select n + 1000, subject, rights, at from told where n = (
    select min(t.n) from told as t where exists (select from told as l where l.subject = t.subject and l.n > t.n and l.rights <> t.rights));
-- the provider has the present rights of each user in the end | a change that the provider was never told
delete from told where n in (select max(n) from told group by subject);
-- the provider is told the same rights once, unless something failed | rights that the provider was told twice
insert into told select n + 1000, subject, rights, at from told where n = (select max(n) from told);
-- no withdrawn right is accepted | a stale right that is accepted
update attempts set status = 200, at = at + 3600000 where serial = (
    select u.serial from attempts as u
    join states as s on s.id = u.record and s.rights = u.marker
    where u.kind = 'use' and exists (
        select from states as l join attempts as a on a."requestId" = l.request_id and a.status = 200
        where l.id = s.id and l.index > s.index) limit 1);
-- each user who is due a mail gets it | a mail that never arrives
delete from mails where recipient = :JOINER;
-- a mail comes once, and once more for each attempt without an answer | a mail that comes twice
insert into mails select * from mails where recipient = :JOINER;
-- each mail is of a user and a day | a mail to another user
insert into mails select 'nobody@joiners.example', mail from mails where recipient = :JOINER;
