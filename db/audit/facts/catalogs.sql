-- audit.catalogs lists every table of pg_catalog in Postgres 15 to 18; a test fails if a table is missing. npm run
-- db:audit takes audit.state and the functions it calls from the repository, not from the database. audit.state and the
-- functions it calls may read only pg_catalog, audit.house_roles and audit.rule_rows.
create function audit.catalogs()
    returns table (catalog name, kind text, explanation text)
    language sql immutable set search_path = ''
as $body$
    select c.catalog, c.kind, c.explanation
    from (
        values
            ('pg_aggregate'::name, 'function', 'compared with its function'),
            ('pg_am', 'access method', 'those that users made'),
            ('pg_amop', 'operator of a family', 'those that users made'),
            ('pg_amproc', 'function of a family', 'those that users made'),
            ('pg_attrdef', 'column', 'with its column'),
            ('pg_attribute', 'column', 'columns of tables, views and composite types; pg_index has those of indexes'),
            ('pg_auth_members', 'membership', 'the roles of which the application''s roles are members; their own members are logins'),
            ('pg_authid', 'role', 'through pg_roles, without passwords'),
            ('pg_cast', 'cast', 'those that users made'),
            ('pg_class', 'table', 'one kind of fact for each relkind'),
            ('pg_collation', 'collation', 'those in the application''s schemas'),
            ('pg_constraint', 'constraint', 'NOT NULL has rows only since Postgres 18; a valid one is compared with its column'),
            ('pg_conversion', 'conversion', 'those that users made'),
            ('pg_database', 'database', 'this database'),
            ('pg_db_role_setting', 'setting', 'settings of the application''s roles, of this database, and of all roles'),
            ('pg_default_acl', 'default privileges', 'those for the application''s schemas, or for every schema'),
            ('pg_depend', null, 'derived; used to find objects that depend on the application'),
            ('pg_description', null, 'comments have no effect'),
            ('pg_enum', 'type', 'labels are compared with their type'),
            ('pg_event_trigger', 'event trigger', 'all'),
            ('pg_extension', 'extension', 'known extensions with a digest of their members, except harmless ones in a schema of their own'),
            ('pg_foreign_data_wrapper', 'foreign data wrapper', 'all'),
            ('pg_foreign_server', 'foreign server', 'all'),
            ('pg_foreign_table', 'foreign table', 'with its row of pg_class'),
            ('pg_index', 'index', 'with its row of pg_class'),
            ('pg_inherits', 'inheritance', 'if the parent or the child is a table of the application'),
            ('pg_init_privs', null, 'not read, because the rights that initdb gives are declared'),
            ('pg_language', 'language', 'those that users made'),
            ('pg_largeobject', null, 'data, not structure; only superusers may create large objects (finding server_function_open)'),
            ('pg_largeobject_metadata', null, 'data, not structure'),
            ('pg_namespace', 'schema', 'the application''s schemas'),
            ('pg_opclass', 'operator class', 'those that users made'),
            ('pg_operator', 'operator', 'those that users made'),
            ('pg_opfamily', 'operator family', 'those that users made'),
            ('pg_parameter_acl', 'parameter grant', 'all'),
            ('pg_partitioned_table', 'table', 'with its row of pg_class'),
            ('pg_policy', 'policy', 'policies on tables of the application and of Postgres'),
            ('pg_proc', 'function', 'functions in the application''s schemas, dependent on it, or added to schemas of Postgres'),
            ('pg_publication', 'publication', 'publications without tables of the application (finding published_table has the others)'),
            ('pg_publication_namespace', 'published schema', 'the same'),
            ('pg_publication_rel', 'published table', 'the same'),
            ('pg_range', 'type', 'with its type'),
            ('pg_replication_origin', null, 'positions of a replication; pg_subscription names it'),
            ('pg_rewrite', 'rule', 'the rule of a view is the fact view body'),
            ('pg_seclabel', 'security label', 'labels of the application''s objects'),
            ('pg_sequence', 'sequence', 'with its row of pg_class'),
            ('pg_shdepend', null, 'derived; owners and grantees are compared with the objects'),
            ('pg_shdescription', null, 'comments change nothing'),
            ('pg_shseclabel', 'security label', 'labels of the application''s roles and of this database'),
            ('pg_statistic', null, 'rows of ANALYZE'),
            ('pg_statistic_ext', 'statistics object', 'statistics of expressions on tables of the application'),
            ('pg_statistic_ext_data', null, 'rows of ANALYZE'),
            ('pg_subscription', 'subscription', 'all, without the connection string, which may contain a password'),
            ('pg_subscription_rel', null, 'progress of a subscription'),
            ('pg_tablespace', null, 'the DBA chooses where files are stored'),
            ('pg_transform', 'transform', 'those that users made'),
            ('pg_trigger', 'trigger', 'triggers, including those of foreign keys, which are named by constraint and function'),
            ('pg_ts_config', 'text search configuration', 'those that users made'),
            ('pg_ts_config_map', 'text search mapping', 'of configurations that users made'),
            ('pg_ts_dict', 'text search dictionary', 'those that users made'),
            ('pg_ts_parser', 'text search parser', 'those that users made'),
            ('pg_ts_template', 'text search template', 'those that users made'),
            ('pg_type', 'type', 'types, except row types and arrays, which belong to their table or element'),
            ('pg_user_mapping', 'user mapping', 'all, without their options, which contain passwords')
    ) as c (catalog, kind, explanation)
$body$;

comment on function audit.catalogs() is
    'Every table of pg_catalog, the kind of its facts in audit.state() (null if none), and an explanation.';

-- audit.state() leaves out the columns in audit.catalog_columns. In all columns audit.state() leaves out null, false,
-- 0, empty text and empty lists.
create function audit.catalog_columns()
    returns table (attribute name, ordinary text, explanation text)
    language sql immutable set search_path = ''
as $body$
    select attribute, c.ordinary, c.explanation
    from (
        values
            ('{oid,umid}'::name[], null::text, 'a restore assigns new values'),
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
            ('{attnum}', null, 'differs after dropped columns'),
            ('{attcompression,attoptions,procost,prorows}', null, 'the DBA chooses how a column is stored, and what the planner expects'),
            ('{attcacheoff}', null, 'exists only in memory, and no longer in Postgres 18'),
            ('{attlen,attbyval,attalign}', null, 'follows from the type'),
            ('{atthasdef}', null, 'the default itself is compared'),
            ('{atthasmissing,attmissingval}', null, 'a restore writes the value into the rows'),
            ('{attislocal,conislocal}', 'true', 'true except for inherited objects'),
            ('{attisdropped}', null, 'dropped columns are not compared'),
            ('{attacl,datacl,fdwacl,lanacl,nspacl,proacl,relacl,srvacl,typacl}', null, 'facts of kind grant'),
            ('{attndims}', null, 'not enforced, and some restores lose the value'),
            ('{attstattarget,stxstattarget}', null, 'the DBA chooses how much ANALYZE reads'),
            ('{atttypmod,typtypmod}', '-1', 'no modifier'),
            ('{conindid}', null, 'the index of the same name'),
            ('{confdeltype,confmatchtype,confupdtype}', ' ', 'no foreign key'),
            ('{conenforced}', 'true', 'new in 18'),
            ('{conparentid,tgparentid}', null, 'compared as inheritance'),
            ('{convalidated,datallowconn,indimmediate,indislive,indisready,indisvalid}', 'true', 'the ordinary case'),
            ('{collversion,datcollversion}', null, 'of the operating system'),
            ('{datname}', null, 'this database, whatever its name'),
            ('{datconnlimit}', null, 'the DBA chooses how many sessions may connect'),
            ('{datfrozenxid,datminmxid,relallfrozen,relallvisible,relfrozenxid,relminmxid}', null, 'moved by VACUUM'),
            ('{dattablespace,reltablespace}', null, 'the DBA chooses where files are stored'),
            ('{enumlabel}', null, 'compared in their order, with the type'),
            ('{enumsortorder}', null, 'compared as their order, with the type'),
            ('{ev_enabled,tgenabled}', 'O', 'fires'),
            ('{ev_qual}', null, 'part of the text of the rule'),
            ('{extconfig,extcondition}', null, 'which rows pg_dump dumps'),
            ('{grantor}', null, 'the administrator''s name'),
            ('{indcheckxmin}', null, 'set only for a moment after CREATE INDEX'),
            ('{indisclustered}', null, 'set by CLUSTER'),
            ('{set_option}', 'true', 'new in 16'),
            ('{prokind}', 'f', 'a function'),
            ('{proparallel}', 'u', 'unsafe'),
            ('{relfilenode}', null, 'the name of a file'),
            ('{relchecks}', null, 'said where there are more'),
            ('{relhasindex}', null, 'said where it is false and there are some; VACUUM mends the opposite late'),
            ('{relhasrules,relhassubclass,relhastriggers}', null, 'the same'),
            ('{relispopulated}', 'true', 'true except for a materialized view that was never filled'),
            ('{relkind}', null, 'the kind of the fact'),
            ('{relnatts}', null, 'counts dropped columns'),
            ('{relpages,reltuples}', null, 'moved by ANALYZE'),
            ('{relpersistence}', 'p', 'permanent'),
            ('{relreplident}', 'd', 'the primary key'),
            ('{relrewrite}', null, 'set only during ALTER TABLE'),
            ('{reltoastrelid}', null, 'the table that stores long values'),
            ('{reltype}', null, 'its row type, of the same name'),
            ('{rolconfig}', null, 'facts of kind setting'),
            ('{rolconnlimit}', '-1', 'no limit'),
            ('{rolpassword}', null, 'hidden from everybody, and without effect on a role without LOGIN'),
            ('{subconninfo}', null, 'contains a password, and only superusers may read it'),
            ('{subdbid}', null, 'this database'),
            ('{subskiplsn,subtwophasestate}', null, 'progress of the subscription'),
            ('{subpasswordrequired,subrunasowner,suborigin}', null, 'new in 16; an auditor may not read whole rows'),
            ('{subfailover}', null, 'new in 17; an auditor may not read whole rows'),
            ('{tgconstraint}', null, 'the object''s name has it, where it matters'),
            ('{tgconstrindid}', null, 'follows from the constraint'),
            ('{tgname}', null, 'the object''s name has it, but for those of constraints, which holds an OID'),
            ('{tgnargs}', null, 'the arguments themselves are compared'),
            ('{typarray}', null, 'the array type, of the same name'),
            ('{typisdefined}', 'true', 'true except for a shell type'),
            ('{typrelid}', null, 'the relation of the same name'),
            ('{umoptions}', null, 'contain passwords')
    ) as c (attributes, ordinary, explanation)
    cross join lateral pg_catalog.unnest(c.attributes) as attribute
$body$;

comment on function audit.catalog_columns() is
    'Catalog columns that audit.state() leaves out if `ordinary` is null or is the value of the column.';

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
            ('extension', true, 'an extension and a digest of its objects'),
            ('event trigger', true, 'runs after every command of its kind'),
            ('foreign data wrapper', true, 'connects to outside the database'),
            ('foreign server', true, 'connects to outside the database'),
            ('user mapping', true, 'the account that is used at a foreign server'),
            ('subscription', true, 'writes rows that another server sends'),
            ('earlier role', true, 'on a bought Postgres: a role with its attributes'),
            ('earlier membership', true, 'on a bought Postgres: a role in another role'),
            ('earlier right', true, 'on a bought Postgres: a right to this database'),
            ('earlier setting', true, 'on a bought Postgres: a setting stored for a role'),
            ('earlier extension', true, 'on a bought Postgres: an extension and its owner'),
            ('earlier default privileges', true, 'on a bought Postgres: default privileges of other roles'),
            ('earlier publication', true, 'on a bought Postgres: a publication without tables of the application'),
            ('earlier published table', true, 'on a bought Postgres: a table of such a publication'),
            ('earlier published schema', true, 'on a bought Postgres: a schema of such a publication')
    ) as k (kind, is_surrounding, explanation)
    union all
    select distinct c.kind, false, false, 'rows of ' || pg_catalog.string_agg(c.catalog, ', ' order by c.catalog) || ', and theirs'
    from audit.catalogs() as c
    where c.kind not in (
        'database', 'parameter grant', 'extension', 'event trigger', 'foreign data wrapper', 'foreign server',
        'user mapping', 'subscription'
    )
    group by c.kind
    union all
    select o.kind, false, o.kind in ('plain index', 'plain statistics'), o.explanation
    from (
        values
            ('view', 'pg_class'),
            ('materialized view', 'pg_class'),
            ('composite type', 'pg_class'),
            ('plain index', 'pg_class and pg_index: an index on columns only, without a constraint'),
            ('plain statistics', 'pg_statistic_ext: statistics of columns only'),
            ('view body', 'the digest of a view''s query'),
            ('function body', 'the digest of a function''s body'),
            ('grant', 'the rights of one role to one object, from the access lists'),
            ('row', 'a row that is a rule: which role may change which status'),
            ('built-in', 'one digest per catalog of the rows that initdb made')
    ) as o (kind, explanation)
$body$;

comment on function audit.kinds_of_state() is
    'Kinds of the facts that audit.state() returns. is_surrounding is true for kinds whose existing objects the first '
    'deploy accepts. may_be_added is true for kinds whose new objects audit.drift does not report, because such '
    'objects affect only speed.';
