-- What the findings take as given. Each line is a decision with its reason.

create view audit.secrets with (security_invoker) as
select
    s.table_name,
    s.column_name,
    array(
        select h.name
        from app.house_roles() as h
        where h.purpose = any (s.purposes)
            -- The API's login can become each request role.
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

comment on view audit.secrets is 'Columns that some roles must never read. For finding secret_readable.';
comment on column audit.secrets.hidden_from is 'Roles that must not read the column.';

create view audit.server_fixes with (security_invoker) as
select
    fixed_in,
    f.hole
from (
    values
        ('CVE-2023-2455 (policies of another user after inlining)', '{150003}'::integer[]),
        ('CVE-2023-39418 (MERGE looks past update and select policies)', '{150004}'),
        ('CVE-2024-10976 (policies of another user below subqueries)', '{150009,160005,170001}'),
        ('CVE-2024-10978 (set role takes back to the wrong role)', '{150009,160005,170001}'),
        ('CVE-2025-8713 (statistics of rows that policies hide)', '{150014,160010,170006}')
) as f (hole, fixes)
cross join lateral pg_catalog.unnest(f.fixes) as fixed_in;

comment on view audit.server_fixes is
    'Minor releases that closed a hole in row-level security. For finding server_with_known_holes.';
comment on column audit.server_fixes.fixed_in is 'Number as in server_version_num: 150004 is 15.4.';
comment on column audit.server_fixes.hole is 'CVE number and effect.';

create view audit.exceptions with (security_invoker) as
select *
from (
    values
        ('policy_constant_true', '%\_admin on public.% to taxclaims_admin',
            'an ADMIN whose token names no client has the whole system; only the API becomes this role'),
        ('policy_constant_true', '%\_select\_reporting\_all on public.% to taxclaims\_reporting\_all',
            'a login that has all clients, by reporting.grant_all_clients alone; the role holds no right by itself'),
        ('policy_constant_true', '%\_select\_definer on public.% to taxclaims_definer',
            'the few definer functions look up ids and links of any client, by the columns granted to their owner alone'),
        ('policy_constant_true', 'users\_update\_definer on public.users to taxclaims_definer',
            'a login finds its user by email, an assignment by id; the check holds whose row each may change'),
        ('policy_constant_true', 'reclamation\_transitions\_select\_requests on public.reclamation_transitions to %',
            'the allowed moves of a claim belong to no client and are no secret'),
        ('policy_constant_true', 'invoice\_transitions\_select\_requests on public.invoice_transitions to %',
            'the allowed moves of an invoice belong to no client and are no secret'),
        ('policy_constant_true', 'grants\_select\_auditor on reporting.grants to taxclaims_auditor',
            'who was given which client is what an auditor is for; it holds no business row'),
        ('policy_constant_true', 'grants\_%\_owner on reporting.grants to taxclaims_owner',
            'the DBA, a member of the owner, says which login reads which client; the table holds no business row'),
        ('policy_constant_true', 'applied\_% on audit.applied to taxclaims\_%',
            'the record of what was applied holds rights, and no business row'),
        ('policy_constant_true', 'acceptances\_select\_% on audit.acceptances to taxclaims\_%',
            'what was accepted, and why, is for auditors and the DBA to read; it holds no business row'),
        ('policy_constant_true', 'archives\_select\_% on audit.archives to taxclaims\_%',
            'which months were archived, and by whom, is for auditors and the DBA to read; it holds no business row'),
        ('policy_constant_true', 'audit\_logs\_select\_housekeeper on public.audit_logs to taxclaims_housekeeper',
            'npm run audit:archive reads whole months as this role, which no login becomes but the administrator''s'),
        ('policy_constant_true', 'refusals\_at\_month\_end\_% on app.refusals_at_month_end to taxclaims\_%',
            'ids of refusals, kept so that each is written once; only functions of the house touch them'),
        ('policy_constant_true', 'migrations\_all\_owner on app.migrations to taxclaims_owner',
            'the list of migrations is the owner''s own'),
        ('policy_constant_true', 'audit\_days\_%\_housekeeper on app.audit_days to taxclaims_housekeeper',
            'how many records each day had, of no tenant; only functions of the house touch them'),
        ('policy_constant_true', '%\_select\_audit on % to taxclaims\_auditor, taxclaims\_owner',
            'rules that are rows, of no tenant: audit.drift holds them against the repository'),
        ('table_without_policies', 'app.deploy\_lock',
            'it has no column and no row: a deploy holds it, so that one at a time works'),
        ('policy_constant_true', 'content\_removals\_%\_definer on app.content_removals to taxclaims_definer',
            'paths of contents without a document are nobody''s; only the functions of the document store touch them'),
        ('policy_constant_true', 'created\_clients\_%\_definer on app.created_clients to taxclaims_definer',
            'a login reads those of its own subject, and whoever writes a user''s list takes away those of that user'),
        ('policy_constant_true', 'provider\_clock\_%\_definer on app.provider_clock to taxclaims_definer',
            'one row that names nobody, reached by the functions that measure the provider''s clock and date by it'),
        ('policy_constant_true', 'reminders\_%\_definer on app.reminders to taxclaims_definer',
            'the delivery works on all users, by functions that give no request a row'),
        ('policy_ignores_row', 'administrator\_guard\_update\_definer on app.administrator_guard to taxclaims_definer',
            'one row that says nothing, written by the users'' own trigger alone: the condition is that a trigger is at work'),
        ('policy_ignores_row', 'password\_attempts\_delete\_definer on app.password_attempts to taxclaims_definer',
            'forgotten by the users'' own trigger alone: the condition is that a trigger is at work'),
        ('policy_ignores_row', 'partners\_insert\_tenant on public.partners to taxclaims_account_manager',
            'a new partner belongs to nobody yet; whoever makes it must have a client'),
        ('policy_ignores_row', 'reclamation\_history\_insert\_definer on public.reclamation_history to taxclaims_definer',
            'written by the claim''s own trigger alone: the condition is that a trigger is at work'),
        ('policy_constant_true', 'document\_links\_select\_definer on app.document_links to taxclaims_definer',
            'a download asks for the one row of a digest, before it is known whose it is'),
        ('policy_column_without_index', 'app.document\_links.expires\_at',
            'it has the addresses of some minutes, and none is found by its end'),
        ('policy_constant_true', 'client\_documents\_select\_admin on app.client_documents to taxclaims_admin',
            'as on public.documents: an ADMIN whose token names no client has the whole system'),
        ('policy_constant_true', 'client\_documents\_select\_definer on app.client_documents to taxclaims_definer',
            'app.impossible_rows compares each copy with its document, and gives how many differ'),
        ('policy_constant_true', 'client\_documents\_select\_reporting\_all on app.client_documents to taxclaims_reporting_all',
            'what a login is given by reporting.grant_all_clients'),
        ('only_restrictive', 'select of % by taxclaims\_reporting\_few',
            'it says how a login''s rows are found, and narrows the policies of its group, which every such login is in'),
        ('policy_ignores_row', 'client\_documents\_%\_definer on app.client_documents to taxclaims_definer',
            'written by the documents'' own trigger alone: the condition is that a trigger is at work'),
        ('policy_constant_true', 'claim\_words\_select\_definer on app.claim_words to taxclaims_definer',
            'app.found_claims gives ids of the clients of the request alone'),
        ('policy_ignores_row', 'claim\_words\_%\_definer on app.claim_words to taxclaims_definer',
            'written by the claims'' own trigger alone: the condition is that a trigger is at work'),
        ('policy_ignores_row', 'invoice\_counters\_%\_definer on public.invoice_counters to taxclaims_definer',
            'counted by the invoice''s own trigger alone: the condition is that a trigger is at work'),
        ('policy_constant_true', 'identity\_changes\_update\_definer on public.identity_changes to taxclaims_definer',
            'the delivery settles changes of any user, by functions that give no request a row'),
        ('policy_constant_true', 'identity\_management\_%\_definer on app.identity_management to taxclaims_definer',
            'one row, which says of no tenant anything'),
        ('several_permissive', 'select of public.users by taxclaims\_account\_manager',
            'who shares a client beside oneself, which every role inherits: users are few, and no hot path'),
        ('several_permissive', 'select of public.users by taxclaims\_scoped\_admin',
            'the same, inherited from the account manager'),
        ('setting_read_per_row', 'users\_%\_definer on public.users',
            'a login writes one row, and app.setting is read once for it'),
        ('policy_column_without_index', 'public.users.client\_access',
            'users are few, and no list of theirs is a hot path'),
        ('policy_column_without_index', 'public.identity\_changes.client\_access', 'changes are few, and go after 90 days'),
        ('policy_column_without_index', 'public.identity\_changes.role',
            'changes are few, and the column narrows what client_access has found'),
        ('policy_column_without_index', 'audit.archives.removed\_at', 'it has a row a month'),
        ('policy_column_without_index', 'reporting.grants.login\_oid',
            'it narrows the rows of one login, with whose name the key begins'),
        ('policy_column_without_index', 'public.documents.sha256',
            'app.keep_digest finds the row by its id, and the column keeps it from changing a digest'),
        ('policy_column_without_index', 'public.audit\_logs.changed',
            'app.redact_user finds the records by the user, and the column keeps it from changing others'),
        ('policy_column_without_index', 'public.reclamation\_history.actor',
            'app.forget_person finds the moves by changed_by, and the check says what the column is then'),
        ('policy_column_without_index', 'public.notes.internal', 'it narrows the rows that client_id has found'),
        ('policy_column_without_index', 'public.users.role',
            'users are few, and the column narrows what client_access has found'),
        ('definer_within_reach', 'app.users\_who\_see(uuid)',
            'audit.who_can_see is its only use: it tells an auditor who sees the one client that was named'),
        ('definer_within_reach', 'app.assignments()',
            'reporting.assignments is its only use: it gives the clients of the login that asks, by the name it logged in with'),
        ('definer_within_reach', 'app.audit\_months()',
            'audit.months is its only use: how many records of the audit log there are, and none of them'),
        ('definer_within_reach', 'app.impossible\_rows()',
            'audit.findings is its only use: how many rows no request can have made, and none of them'),
        ('definer_within_reach', 'app.is\_grant\_recorded(name,uuid)',
            'audit.findings is its only use: whether a grant that an auditor reads has its record'),
        ('definer_within_reach', 'app.email\_of(uuid,text)',
            'audit.denials and audit.changes use it: it tells who was refused or changed a record, and the schema is closed to auditors')
) as e (finding, object, reason);

comment on view audit.exceptions is
    'Findings that are intended in every deployment, with reasons. audit.findings leaves them out.';
comment on column audit.exceptions.object is 'Object of the finding, as a LIKE pattern.';
