-- Lists every table of pg_catalog from Postgres 15 to 18; a test names a missing one. These functions,
-- audit.catalog_rows and audit.state read pg_catalog, one another and audit.house_roles only: npm run db:audit runs
-- their text from the repository, with db/house-roles.sql in place of that view.
create function audit.catalogs()
    returns table (catalog name, kind text, explanation text)
    language sql immutable set search_path = ''
as $body$
    select c.catalog, c.kind, c.explanation
    from (
        values
            ('pg_aggregate'::name, 'function', 'with its function'),
            ('pg_am', 'access method', 'those that users made'),
            ('pg_amop', 'operator of a family', 'those that users made'),
            ('pg_amproc', 'function of a family', 'those that users made'),
            ('pg_attrdef', 'column', 'with its column'),
            ('pg_attribute', 'column', 'of tables, views and composite types; those of indexes are in pg_index'),
            ('pg_auth_members', 'membership', 'what the roles of the house are members of; their members are logins'),
            ('pg_authid', 'role', 'through pg_roles, without passwords'),
            ('pg_cast', 'cast', 'those that users made'),
            ('pg_class', 'table', 'a kind for each relkind'),
            ('pg_collation', 'collation', 'those in the schemas of the house'),
            ('pg_constraint', 'constraint', 'NOT NULL, which has rows since 18 alone, is with its column while valid'),
            ('pg_conversion', 'conversion', 'those that users made'),
            ('pg_database', 'database', 'this one'),
            ('pg_db_role_setting', 'setting', 'of the house''s roles, of this database, and of everybody'),
            ('pg_default_acl', 'default privileges', 'for the schemas of the house, or for every schema'),
            ('pg_depend', null, 'derived; says what hangs on the house beside what says so itself'),
            ('pg_description', null, 'comments change nothing'),
            ('pg_enum', 'type', 'the labels are with their type'),
            ('pg_event_trigger', 'event trigger', 'all'),
            ('pg_extension', 'extension', 'with a digest of its members, where it is known and not harmless in a schema of its own'),
            ('pg_foreign_data_wrapper', 'foreign data wrapper', 'all'),
            ('pg_foreign_server', 'foreign server', 'all'),
            ('pg_foreign_table', 'foreign table', 'with its row of pg_class'),
            ('pg_index', 'index', 'with its row of pg_class'),
            ('pg_inherits', 'inheritance', 'where the parent or the child touches the house'),
            ('pg_init_privs', null, 'not asked: the rights that initdb gives are declared'),
            ('pg_language', 'language', 'those that users made'),
            ('pg_largeobject', null, 'contents, not structure; nobody but superusers makes any (finding large_objects)'),
            ('pg_largeobject_metadata', null, 'contents, not structure'),
            ('pg_namespace', 'schema', 'those of the house'),
            ('pg_opclass', 'operator class', 'those that users made'),
            ('pg_operator', 'operator', 'those that users made'),
            ('pg_opfamily', 'operator family', 'those that users made'),
            ('pg_parameter_acl', 'parameter grant', 'all'),
            ('pg_partitioned_table', 'table', 'with its row of pg_class'),
            ('pg_policy', 'policy', 'on tables of the house and of Postgres'),
            ('pg_proc', 'function', 'in the schemas of the house, or touching it, or put into those of Postgres'),
            ('pg_publication', 'publication', 'where it sends no table of the house (finding published_table)'),
            ('pg_publication_namespace', 'published schema', 'the same'),
            ('pg_publication_rel', 'published table', 'the same'),
            ('pg_range', 'type', 'with its type'),
            ('pg_replication_origin', null, 'positions of a replication, which pg_subscription names'),
            ('pg_rewrite', 'rule', 'the rule that a view consists of is its body'),
            ('pg_seclabel', 'security label', 'of what belongs to the house'),
            ('pg_sequence', 'sequence', 'with its row of pg_class'),
            ('pg_shdepend', null, 'derived: owners and grantees stand with the objects'),
            ('pg_shdescription', null, 'comments change nothing'),
            ('pg_shseclabel', 'security label', 'of the house''s roles and of this database'),
            ('pg_statistic', null, 'rows of ANALYZE'),
            ('pg_statistic_ext', 'statistics object', 'on tables of the house'),
            ('pg_statistic_ext_data', null, 'rows of ANALYZE'),
            ('pg_subscription', 'subscription', 'all, without the password that its connection may hold'),
            ('pg_subscription_rel', null, 'how far a subscription has come'),
            ('pg_tablespace', null, 'where files lie is the DBA''s'),
            ('pg_transform', 'transform', 'those that users made'),
            ('pg_trigger', 'trigger', 'those of foreign keys too, named by their constraint and function'),
            ('pg_ts_config', 'text search configuration', 'those that users made'),
            ('pg_ts_config_map', 'text search mapping', 'of configurations that users made'),
            ('pg_ts_dict', 'text search dictionary', 'those that users made'),
            ('pg_ts_parser', 'text search parser', 'those that users made'),
            ('pg_ts_template', 'text search template', 'those that users made'),
            ('pg_type', 'type', 'but for row types and arrays, which follow their table or element'),
            ('pg_user_mapping', 'user mapping', 'all, without their options, which hold passwords')
    ) as c (catalog, kind, explanation)
$body$;

comment on function audit.catalogs() is
    'Every table of pg_catalog with the kind of its facts in audit.state(), or null, and an explanation.';

-- The columns that audit.state() leaves out. It also leaves out null, false, 0, an empty text and an empty list, unless
-- another ordinary value is listed here.
create function audit.catalog_columns()
    returns table (attribute name, ordinary text, explanation text)
    language sql immutable set search_path = ''
as $body$
    select attribute, c.ordinary, c.explanation
    from (
        values
            ('{oid,umid}'::name[], null::text, 'given anew by a restore'),
            (
                '{adrelid,adnum,aggfnoid,amname,attname,attrelid,conname,connamespace,conrelid,contypid,collname,'
                'collnamespace,enumtypid,ev_class,evtname,extname,fdwname,ftrelid,indexrelid,inhparent,inhrelid,'
                'lanname,mapcfg,mapseqno,maptokentype,member,nspname,objoid,objsubid,classoid,provider,opcname,'
                'opcnamespace,opfname,opfnamespace,oprname,oprnamespace,partrelid,pnnspid,pnpubid,polname,polrelid,'
                'pronamespace,proname,pronargs,proargtypes,prpubid,prrelid,pubname,relname,relnamespace,rngtypid,'
                'roleid,rolname,rulename,seqrelid,srvid,srvname,stxname,stxnamespace,subname,tgrelid,typname,'
                'typnamespace,umserver,umuser,usename}',
                null, 'the object''s name has it'
            ),
            ('{attnum}', null, 'changes with dropped columns'),
            ('{attcacheoff}', null, 'of memory alone, and gone in 18'),
            ('{attlen,attbyval,attalign}', null, 'of the type'),
            ('{atthasdef}', null, 'the default itself is compared'),
            ('{atthasmissing,attmissingval}', null, 'a restore writes the value into the rows'),
            ('{attislocal,conislocal}', 'true', 'but where it is inherited'),
            ('{attisdropped}', null, 'dropped columns are not compared'),
            ('{attacl,datacl,fdwacl,lanacl,nspacl,proacl,relacl,srvacl,typacl}', null, 'facts of kind grant'),
            ('{attndims}', null, 'not enforced, and lost in some ways of restoring'),
            ('{attstattarget,stxstattarget}', null, 'how much ANALYZE looks at is the DBA''s'),
            ('{atttypmod,typtypmod}', '-1', 'no modifier'),
            ('{conindid}', null, 'the index of the same name'),
            ('{confdeltype,confmatchtype,confupdtype}', ' ', 'no foreign key'),
            ('{conenforced}', 'true', 'new in 18'),
            ('{conparentid,tgparentid}', null, 'inheritance says it'),
            ('{convalidated,datallowconn,indimmediate,indislive,indisready,indisvalid}', 'true', 'the ordinary case'),
            ('{collversion,datcollversion}', null, 'of the operating system'),
            ('{datname}', null, 'this database, whatever its name'),
            ('{datconnlimit}', null, 'how many may connect is the DBA''s'),
            ('{datfrozenxid,datminmxid,relallfrozen,relallvisible,relfrozenxid,relminmxid}', null, 'moved by VACUUM'),
            ('{dattablespace,reltablespace}', null, 'where files lie is the DBA''s'),
            ('{enumlabel}', null, 'compared in their order, with the type'),
            ('{enumsortorder}', null, 'compared as their order, with the type'),
            ('{ev_enabled,tgenabled}', 'O', 'fires'),
            ('{ev_qual}', null, 'in the text of the rule'),
            ('{extconfig,extcondition}', null, 'which rows pg_dump dumps'),
            ('{grantor}', null, 'the administrator''s name'),
            ('{indcheckxmin}', null, 'for a moment after CREATE INDEX'),
            ('{indisclustered}', null, 'of CLUSTER'),
            ('{set_option}', 'true', 'new in 16'),
            ('{procost}', '100', 'the default but for functions in C'),
            ('{prokind}', 'f', 'a function'),
            ('{proparallel}', 'u', 'unsafe'),
            ('{relfilenode}', null, 'the name of a file'),
            ('{relchecks}', null, 'said where there are more'),
            ('{relhasindex}', null, 'said where it is false and there are some; VACUUM mends the opposite late'),
            ('{relhasrules,relhassubclass,relhastriggers}', null, 'the same'),
            ('{relispopulated}', 'true', 'but for a materialized view that was never filled'),
            ('{relkind}', null, 'the kind of the fact'),
            ('{relnatts}', null, 'counts dropped columns'),
            ('{relpages,reltuples}', null, 'moved by ANALYZE'),
            ('{relpersistence}', 'p', 'permanent'),
            ('{relreplident}', 'd', 'the primary key'),
            ('{relrewrite}', null, 'for a moment of ALTER TABLE'),
            ('{reltoastrelid}', null, 'where long values lie'),
            ('{reltype}', null, 'its row type, of the same name'),
            ('{rolconfig}', null, 'facts of kind setting'),
            ('{rolconnlimit}', '-1', 'no limit'),
            ('{rolpassword}', null, 'hidden from everybody; without LOGIN it opens nothing'),
            ('{subconninfo}', null, 'holds a password, and nobody but superusers reads it'),
            ('{subdbid}', null, 'this database'),
            ('{subskiplsn,subtwophasestate}', null, 'how far it has come'),
            ('{subpasswordrequired,subrunasowner,suborigin}', null, 'new in 16; an auditor may not read whole rows'),
            ('{subfailover}', null, 'new in 17; an auditor may not read whole rows'),
            ('{tgconstraint}', null, 'the object''s name has it, where it matters'),
            ('{tgconstrindid}', null, 'of the constraint'),
            ('{tgname}', null, 'the object''s name has it, but for those of constraints, which holds an OID'),
            ('{tgnargs}', null, 'the arguments themselves are compared'),
            ('{typarray}', null, 'its array, of the same name'),
            ('{typisdefined}', 'true', 'but for a shell'),
            ('{typrelid}', null, 'the relation of the same name'),
            ('{umoptions}', null, 'hold passwords')
    ) as c (attributes, ordinary, explanation)
    cross join lateral pg_catalog.unnest(c.attributes) as attribute
$body$;

comment on function audit.catalog_columns() is
    'Columns of catalogs that audit.state() leaves out: always, or at the ordinary value.';

-- Surroundings: the first deploy takes them as declared. may_be_added: a new one affects speed alone, such as an index.
create function audit.kinds_of_state()
    returns table (kind text, is_surrounding boolean, may_be_added boolean, explanation text)
    language sql immutable set search_path = ''
as $body$
    select k.kind, k.is_surrounding, false as may_be_added, k.explanation
    from (
        values
            ('database', true, 'the owner and the attributes of this database'),
            ('superuser', true, 'each superuser that can log in'),
            ('database setting', true, 'a setting stored for this database, or for every role'),
            ('parameter grant', true, 'who may set a parameter, or alter it for the whole server'),
            ('extension', true, 'an extension and a digest of what it brought'),
            ('event trigger', true, 'runs with any command of its kind'),
            ('foreign data wrapper', true, 'reaches out of the database'),
            ('foreign server', true, 'reaches out of the database'),
            ('user mapping', true, 'with whose account a foreign server is asked'),
            ('subscription', true, 'writes what another server sends')
    ) as k (kind, is_surrounding, explanation)
    union all
    select distinct c.kind, false, c.kind = 'statistics object', 'rows of ' || pg_catalog.string_agg(c.catalog, ', ' order by c.catalog) || ', and theirs'
    from audit.catalogs() as c
    where c.kind not in (
        'database', 'parameter grant', 'extension', 'event trigger', 'foreign data wrapper', 'foreign server',
        'user mapping', 'subscription'
    )
    group by c.kind
    union all
    select o.kind, false, o.kind = 'plain index', o.explanation
    from (
        values
            ('view', 'pg_class'),
            ('materialized view', 'pg_class'),
            ('composite type', 'pg_class'),
            ('plain index', 'pg_class and pg_index: of columns alone, and demands nothing of the rows'),
            ('view body', 'the digest of what a view selects, with its rule'),
            ('function body', 'the digest of what a function does'),
            ('grant', 'the rights of one role to one object, from the access lists'),
            ('row', 'a row that is a rule: who may move what from which status to which'),
            ('built-in', 'a digest of what initdb made, one for each catalog')
    ) as o (kind, explanation)
$body$;

comment on function audit.kinds_of_state() is
    'Kinds of the facts of audit.state(). is_surrounding: the first deploy takes what it finds as declared. may_be_added: one '
    'more is no drift, as it affects speed alone.';
