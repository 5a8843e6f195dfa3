-- The audit findings read the lists in this file.

create view audit.secret_columns with (security_invoker) as
select
    s.table_name,
    s.column_name,
    array(
        select h.name
        from app.house_roles() as h
        where h.purpose = any (s.purposes)
            -- The API's login can become any request role, so a column is hidden from taxclaims_api only if it is
            -- hidden from request roles.
            and (h.name <> 'taxclaims_api' or 'request' = any (s.purposes))
        order by h.place
    ) as hidden_from
from (
    values
        ('public.users', 'password_hash', '{group,addition,request}'::text[]),
        ('public.users', 'subject', '{group,addition,request}'),
        ('public.users', 'access_digest', '{group,addition,request}'),
        ('public.users', 'calendar_digest', '{group,addition,request}'),
        ('public.users', 'client_access', '{group,addition}'),
        ('public.identity_changes', 'client_access', '{group,addition}'),
        ('public.documents', 'file_path', '{group,addition}'),
        ('public.notes', 'text', '{group,addition}'),
        ('app.idempotency_keys', 'body', '{group,addition,request}')
) as s (table_name, column_name, purposes);

comment on view audit.secret_columns is
    'Columns that some roles must never read. audit.finding_secret_readable reports roles that can read them.';
comment on column audit.secret_columns.hidden_from is 'Roles that must not read the column.';

create view audit.server_fixes with (security_invoker) as
select
    fixed_in,
    f.hole
from (
    values
        ('CVE-2023-2455 (policies of another user after inlining)', '{150003}'::integer[]),
        ('CVE-2023-39418 (MERGE ignores update and select policies)', '{150004}'),
        ('CVE-2024-10976 (policies of another user below subqueries)', '{150009,160005,170001}'),
        ('CVE-2024-10978 (SET ROLE resets to the wrong role)', '{150009,160005,170001}'),
        ('CVE-2025-8713 (statistics of rows that policies hide)', '{150014,160010,170006}')
) as f (hole, fixes)
cross join lateral pg_catalog.unnest(f.fixes) as fixed_in;

comment on view audit.server_fixes is
    'Minor releases of Postgres that fixed a vulnerability in row-level security. '
    'audit.finding_server_with_known_holes reads this view.';
comment on column audit.server_fixes.fixed_in is 'Number of the release, as in server_version_num: 150004 is 15.4.';
comment on column audit.server_fixes.hole is 'CVE number and effect of the vulnerability.';

create view audit.exceptions with (security_invoker) as
select *
from (
    values
        ('policy_constant_true', '%\_admin on public.% to taxclaims_admin',
            'an ADMIN whose token lists no client may access every client; only the API can become this role'),
        ('policy_constant_true', '%\_select\_reporting\_all on public.% to taxclaims\_reporting\_all',
            'only reporting.grant_all_clients gives a login this role, which has no grant of its own'),
        ('policy_constant_true', '%\_select\_definer on public.% to taxclaims_definer',
            'definer functions look up ids and links of any client; their owner may read only the granted columns'),
        ('policy_constant_true', 'users\_update\_definer on public.users to taxclaims_definer',
            'a login finds its user by email and an assignment by id; WITH CHECK limits which user may be changed'),
        ('policy_constant_true', 'reclamation\_transitions\_select\_request\_roles on public.reclamation_transitions to %',
            'the allowed status changes of a claim belong to no client and are not secret'),
        ('policy_constant_true', 'invoice\_transitions\_select\_request\_roles on public.invoice_transitions to %',
            'the allowed status changes of an invoice belong to no client and are not secret'),
        ('policy_constant_true', 'communes\_select\_request\_roles on public.communes to %',
            'the INSEE codes of communes are public'),
        ('policy_constant_true', 'communes\_select\_reporting on public.communes to taxclaims_reporting',
            'reporting.communes shows the INSEE codes of communes, which are public'),
        ('policy_constant_true', 'public\_holidays\_select\_everybody on public.public_holidays to %',
            'the public holidays are no secret'),
        ('policy_constant_true', 'grants\_select\_auditor on reporting.grants to taxclaims_auditor',
            'auditors must see which login reads which client; the table has no business data'),
        ('policy_constant_true', 'grants\_%\_owner on reporting.grants to taxclaims_owner',
            'the DBA, a member of the owner, grants clients to logins; the table has no business data'),
        ('policy_constant_true', 'applied\_% on audit.applied to taxclaims\_%',
            'the table has the declared state of the database and no business data'),
        ('policy_constant_true', 'acceptances\_select\_% on audit.acceptances to taxclaims\_%',
            'auditors and the DBA read which findings were accepted and why; the table has no business data'),
        ('policy_constant_true', 'archives\_select\_% on audit.archives to taxclaims\_%',
            'auditors and the DBA read who archived which months; the table has no business data'),
        ('policy_constant_true', 'audit\_logs\_select\_housekeeper on public.audit_logs to taxclaims_housekeeper',
            'npm run audit:archive reads whole months as this role, which only the administrator can become'),
        ('policy_constant_true', 'refusals\_at\_month\_end\_% on app.refusals_at_month_end to taxclaims\_%',
            'ids of refusals, so that each refusal is stored once; only functions use them'),
        ('policy_constant_true', 'migrations\_all\_owner on app.migrations to taxclaims_owner',
            'only the owner uses the list of migrations'),
        ('policy_constant_true', 'audit\_days\_%\_housekeeper on app.audit_days to taxclaims_housekeeper',
            'numbers of audit records per day, which belong to no tenant; only functions use them'),
        ('policy_constant_true', '%\_select\_audit on % to taxclaims\_auditor, taxclaims\_owner',
            'rows that are rules and belong to no tenant: audit.drift compares them with the repository'),
        ('table_without_policies', 'app.deploy\_lock',
            'the table has no column and no row: a deploy locks it, so that only one deploy runs'),
        ('policy_constant_true', 'content\_removals\_%\_definer on app.content_removals to taxclaims_definer',
            'paths of files without a document belong to no client; only the functions of the document store use them'),
        ('policy_constant_true', 'created\_clients\_%\_definer on app.created_clients to taxclaims_definer',
            'a login reads the rows of its own subject; a change of a user''s list of clients deletes that user''s rows'),
        ('policy_constant_true', 'lost\_clients\_%\_definer on app.lost_clients to taxclaims_definer',
            'ids of users and of clients that they lost; the service removes the assignments of all users'),
        ('policy_ignores_row', 'lost\_clients\_insert\_definer on app.lost_clients to taxclaims_definer',
            'only a trigger of users writes these rows: the condition is that a trigger runs'),
        ('policy_constant_true', 'lost\_clients\_select\_admin on app.lost_clients to taxclaims_admin',
            'as on public.reclamations: an ADMIN whose token lists no client may access every client'),
        ('policy_constant_true', 'lost\_clients\_select\_reporting\_all on app.lost_clients to taxclaims_reporting_all',
            'reporting.grant_all_clients gives a login these rows'),
        ('policy_constant_true', 'provider\_clock\_%\_definer on app.provider_clock to taxclaims_definer',
            'one row without personal data; only the functions that use the provider''s clock read it'),
        ('policy_constant_true', 'reminders\_%\_definer on app.reminders to taxclaims_definer',
            'the delivery of mails handles all users, in functions that return no row to a request'),
        ('policy_ignores_row', 'administrator\_guard\_update\_definer on app.administrator_guard to taxclaims_definer',
            'one row without data, which only a trigger of users writes: the condition is that a trigger runs'),
        ('policy_ignores_row', 'password\_attempts\_delete\_definer on app.password_attempts to taxclaims_definer',
            'only a trigger of users deletes these rows: the condition is that a trigger runs'),
        ('policy_ignores_row', 'partners\_insert\_tenant on public.partners to taxclaims_account_manager',
            'a new partner has no client yet; the user who creates it must have one'),
        ('policy_ignores_row', 'reclamation\_history\_insert\_definer on public.reclamation_history to taxclaims_definer',
            'only a trigger of claims writes these rows: the condition is that a trigger runs'),
        ('policy_constant_true', 'document\_links\_select\_definer on app.document_links to taxclaims_definer',
            'a download looks up one row by its digest, before its user is known'),
        ('policy_column_without_index', 'app.document\_links.expires\_at',
            'the table has few rows, and no query searches by this column'),
        ('policy_constant_true', 'client\_documents\_select\_admin on app.client_documents to taxclaims_admin',
            'as on public.documents: an ADMIN whose token lists no client may access every client'),
        ('policy_constant_true', 'client\_documents\_select\_definer on app.client_documents to taxclaims_definer',
            'app.impossible_rows compares each copy with its document and returns only the number of differences'),
        ('policy_constant_true', 'client\_documents\_select\_reporting\_all on app.client_documents to taxclaims_reporting_all',
            'reporting.grant_all_clients gives a login these rows'),
        ('only_restrictive', 'select of % by taxclaims\_reporting\_few',
            'these policies make the planner use an index; the permissive policies are those of the group that each such login is in'),
        ('policy_ignores_row', 'client\_documents\_%\_definer on app.client_documents to taxclaims_definer',
            'only a trigger of documents writes these rows: the condition is that a trigger runs'),
        ('policy_constant_true', 'claim\_words\_select\_definer on app.claim_words to taxclaims_definer',
            'app.found_claims returns only ids of claims of the request''s clients'),
        ('policy_ignores_row', 'claim\_words\_%\_definer on app.claim_words to taxclaims_definer',
            'only a trigger of claims writes these rows: the condition is that a trigger runs'),
        ('policy_ignores_row', 'invoice\_counters\_%\_definer on public.invoice_counters to taxclaims_definer',
            'only a trigger of invoices writes these rows: the condition is that a trigger runs'),
        ('policy_constant_true', 'identity\_changes\_update\_definer on public.identity_changes to taxclaims_definer',
            'the delivery updates changes of any user, in functions that return no row to a request'),
        ('policy_constant_true', 'identity\_management\_%\_definer on app.identity_management to taxclaims_definer',
            'one row without data of a tenant'),
        ('several_permissive', 'select of public.users by taxclaims\_account\_manager',
            'one policy is for the caller, one for users who share a client; the table is small, so the `or` costs little'),
        ('several_permissive', 'select of public.users by taxclaims\_scoped\_admin',
            'the role inherits both policies from the account manager'),
        ('setting_read_per_row', 'users\_%\_definer on public.users',
            'a login writes one row, so app.setting is read once'),
        ('policy_column_without_index', 'public.users.client\_access',
            'the table is small, and lists of users are requested rarely'),
        ('policy_column_without_index', 'public.identity\_changes.client\_access', 'the table is small, because changes are deleted after 90 days'),
        ('policy_column_without_index', 'public.identity\_changes.role',
            'the table is small, and the column only narrows the rows found by client_access'),
        ('policy_column_without_index', 'audit.archives.removed\_at', 'the table has one row per month'),
        ('policy_column_without_index', 'reporting.grants.login\_oid',
            'the column only narrows the rows of one login, which the primary key finds'),
        ('policy_column_without_index', 'public.audit\_logs.changed',
            'app.redact_user finds the records by the user; the column only prevents changes of other records'),
        ('policy_column_without_index', 'public.reclamation\_history.actor',
            'app.forget_person finds the rows by changed_by; the column is only in WITH CHECK'),
        ('policy_column_without_index', 'public.notes.internal', 'the column only narrows the rows found by client_id'),
        ('policy_column_without_index', 'public.users.role',
            'the table is small, and the column only narrows the rows found by client_access'),
        ('definer_within_reach', 'app.users\_who\_see(uuid)',
            'only audit.who_can_see uses it, to list for an auditor the users who can see one client'),
        ('definer_within_reach', 'app.list_user_client_access()',
            'only reporting.assignments uses it, for the clients granted to session_user'),
        ('definer_within_reach', 'app.audit\_months()',
            'only audit.months uses it; it returns numbers of audit records and no record'),
        ('definer_within_reach', 'app.impossible\_rows()',
            'only audit.findings uses it; it returns numbers of rows and no row'),
        ('definer_within_reach', 'app.is\_grant\_recorded(name,uuid)',
            'only audit.findings uses it; it returns whether a grant has its audit record'),
        ('definer_within_reach', 'app.email\_of(uuid,text)',
            'only audit.denials and audit.changes use it, to name the user to an auditor')
) as e (finding, object, reason);

comment on view audit.exceptions is
    'Audit findings that are intended in every deployment, with reasons. audit.findings leaves out what this view '
    'lists.';
comment on column audit.exceptions.object is 'Object of the audit finding, as a LIKE pattern.';
