/*
 * Each heading names the check that must report the damage, and the damage itself. The superuser runs the SQL in a
 * transaction that is rolled back, without triggers and foreign keys. A session has the application name of the service
 * and stays open during the check.
 */

-- each acknowledged creation is stored once | a lost site
delete from public.sites where id = (select record from requests where serial = :CREATED_SITE);
-- no creation is stored twice | a site that is stored twice
insert into public.sites (client_id, site_name)
select client_id, site_name from public.sites join requests on record = id where serial = :CREATED_SITE;
-- each stored row was sent by a request | a site that no request created
insert into public.sites (client_id, site_name) select id, 'nobody’s' from public.clients limit 1;
-- no refused or invalid creation is stored | a site whose creation was refused
update attempts set status = 403 where serial = :CREATED_SITE;
-- no deleted record is stored | a deleted site that is stored again
insert into public.sites (id, client_id, site_name)
select record, c.id, 'back' from requests, public.clients as c
where kind = 'delete' and "table" = 'sites' and is_acknowledged limit 1;
-- each record has the values of the last acknowledged change, or of a later change without an answer | a site with another address than the last acknowledged one
update public.sites set address = 'elsewhere'
where id = (select record from requests where serial = :CHANGED_SITE);
-- each record has the values of the last acknowledged change, or of a later change without an answer | a claim with another status than the last acknowledged one
update public.reclamations set status = 'WITHDRAWN'
where id = (select record from requests where serial = :MOVED_CLAIM);
-- the history of a claim has each acknowledged move, and no other | a change of a claim’s status that is missing in the claim’s history
delete from public.reclamation_history
where reclamation_id = (select record from requests where serial = :MOVED_CLAIM);
-- the invoice numbers have no gap | an issued invoice that is missing in the database
delete from public.factures where number in (select min(number) from public.factures);
-- each Idempotency-Key gets the same answer each time | an Idempotency-Key whose second answer differs from the first
update attempts set answer = 'another' where (serial, attempt) = (
    select serial, max(attempt) from attempts where keyed and answer is not null
    group by serial having count(*) > 1 limit 1);
-- each request with an Idempotency-Key is answered in the end | a request with an Idempotency-Key whose last answer is 503
update attempts set status = 503 where serial = (select serial from attempts where keyed limit 1);
-- each refused request has a refusal record | a lost refusal record
delete from public.audit_logs where request_id = :REFUSAL;
-- each refusal record belongs to a request that was refused or got no answer | a refusal record of a request that was not refused
update attempts set status = 200 where "requestId" = :REFUSAL;
-- no refused request has two refusal records | a refusal with two records
insert into public.audit_logs (action, resource_type, success, user_agent, request_id, actor)
select action, resource_type, success, user_agent, request_id, actor
from public.audit_logs where request_id = :REFUSAL;
-- each refusal record has the date of the refusal | a refusal record that is dated an hour too early
update public.audit_logs set created_at = created_at - interval '1 hour' where request_id = :REFUSAL;
-- each acknowledged write has one success record | a lost audit record of a creation
delete from public.audit_logs
where success and resource_id = (select record from requests where serial = :CREATED_SITE);
-- each success record belongs to a request that succeeded or got no answer | a success record of a request that failed
update attempts set status = 400 where serial = :CREATED_SITE;
-- each answer has an expected status or 503, or 429 with Retry-After if the fault may fail the request | an answer with an unexpected status
update attempts set expected = false where :ANY;
-- each answer has an expected status or 503, or 429 with Retry-After if the fault may fail the request | a 429 answer without the header Retry-After
update attempts set expected = false, status = 429, "retryAfter" = false where :ANY;
-- each answer has an expected status or 503, or 429 with Retry-After if the fault may fail the request | a 429 answer to a request that must succeed during the failure
insert into spared values ('read clients');
update attempts set expected = false, status = 429, "retryAfter" = true where operation = 'read clients';
-- each answer is complete and right | an answer with another record than the requested one
update attempts set defect = 'another site' where :ANY;
-- no answer contains anything of another tenant | an answer with a text of another tenant
update attempts set "foreign" = '["Garage"]' where :ANY;
-- each 503 has a Retry-After | a 503 answer without the header Retry-After
update attempts set status = 503, "retryAfter" = false where :ANY;
-- no request waits endlessly | a request that waited too long for an answer
update attempts set lost = 'hung' where :ANY;
-- each request that the fault must not fail is answered | a 503 answer to a request that must succeed during the failure
insert into spared values ('read clients');
update attempts set status = 503 where operation = 'read clients';
-- each document has its content, and each content has a document or a planned removal | a document whose content is missing
delete from contents where path in (
select file_path from public.documents where id not in (select f.id from fixture as f) limit 1);
-- each document has its content, and each content has a document or a planned removal | a stored content that belongs to no document
insert into contents values ('aa/nobody’s', 1);
-- each content has the uploaded bytes | a document whose content has other bytes of the same length
update contents set digest = 'another' where path in (
select file_path from public.documents where id not in (select f.id from fixture as f) limit 1);
-- no unfinished upload is left | an unfinished upload that is still stored
insert into contents values ('.partial/upload', 0);
-- no database session is left in a transaction | a session that is still in a transaction
--> session
begin; select 1;
-- no lock is left in the database | a lock that a session still holds
--> session
select pg_advisory_lock(1);
-- a table that no request writes is unchanged | a parcel that no request created
insert into public.cadastres (site_id, commune_code, section, number)
select id, '75056', 'AB', '0001' from public.sites limit 1;

-- each acknowledged change of rights is queued for the provider | an acknowledged change of rights that is not queued for the identity provider
delete from public.identity_changes where request_id::text = :GRANT;
-- each user has the rights of the last queued change | stored rights of a user that differ from the last change in the queue for the identity provider
update public.users set role = case role when 'CLIENT' then 'TAX_SPECIALIST' else 'CLIENT' end
where id = (select id from members limit 1);
-- each queued change of rights is delivered | a change of rights that the service never sends to the identity provider
update public.identity_changes set delivered_at = null where request_id::text = :GRANT;
-- the provider receives no rights that a user never had | rights at the identity provider that the user never had
update told set rights = 'ADMIN active' where n = 0;
-- the provider receives each user’s rights in their order | two changes of rights that reach the identity provider in the wrong order
insert into told select n + 1000, subject, rights, at from told where n = (
    select min(t.n) from told as t where exists (select from told as l where l.subject = t.subject and l.n > t.n and l.rights <> t.rights));
-- the provider has each user’s present rights at the end | a change of rights that the identity provider never received
delete from told where n in (select max(n) from told group by subject);
-- the provider receives each change of rights once, unless something failed | a change of rights that the identity provider received twice
insert into told select n + 1000, subject, rights, at from told where n = (select max(n) from told);
-- the service accepts no withdrawn right | a withdrawn right that the service still accepts
update attempts set status = 200, at = at + 3600000 where serial = (
    select u.serial from attempts as u
    join states as s on s.id = u.record and s.rights = u.marker
    where u.kind = 'use' and exists (
        select from states as l join attempts as a on a."requestId" = l.request_id and a.status = 200
        where l.id = s.id and l.index > s.index) limit 1);
-- each user with a due reminder gets a mail | a due reminder that never arrives
delete from mails where recipient = :JOINER;
-- each reminder arrives once, and once more for each attempt without an answer | a reminder that arrives twice
insert into mails select * from mails where recipient = :JOINER;
-- each mail is a reminder of one user and one day | a reminder that arrives at another user's address
insert into mails select 'nobody@joiners.example', mail from mails where recipient = :JOINER;
