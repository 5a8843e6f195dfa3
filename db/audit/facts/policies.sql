create view audit.policies with (security_invoker) as
select
    p.oid,
    p.polname as name,
    t.oid as table_oid,
    t.name as table_name,
    case p.polcmd
        when 'r' then 'SELECT'
        when 'a' then 'INSERT'
        when 'w' then 'UPDATE'
        when 'd' then 'DELETE'
        else 'ALL'
    end as command,
    p.polpermissive as permissive,
    p.polroles as role_oids,
    (
        select pg_catalog.string_agg(coalesce(r.rolname, 'PUBLIC'), ', ' order by r.rolname)
        from pg_catalog.unnest(p.polroles) as member (oid)
        left join pg_catalog.pg_roles as r on r.oid = member.oid
    ) as roles,
    audit.expression_text(p.polqual, p.polrelid) as using_expression,
    audit.expression_text(p.polwithcheck, p.polrelid) as check_expression,
    p.polqual as using_tree,
    p.polwithcheck as check_tree
from pg_catalog.pg_policy as p
join audit.house_tables as t on t.oid = p.polrelid;

comment on view audit.policies is 'Policies on tables of this application, with roles and expressions.';
comment on column audit.policies.command is 'Command of the policy (SELECT, INSERT, UPDATE, DELETE or ALL).';
comment on column audit.policies.permissive is
    'True for a permissive policy, which allows rows; false for a restrictive policy, which only excludes rows.';
comment on column audit.policies.role_oids is 'Oids of the roles to which the policy applies; 0 is PUBLIC.';
comment on column audit.policies.roles is 'Names of the roles to which the policy applies.';
comment on column audit.policies.using_expression is
    'USING condition on the rows that are read or changed; null if none.';
comment on column audit.policies.check_expression is 'WITH CHECK condition on new rows; null if none.';
comment on column audit.policies.using_tree is
    'USING condition as a parse tree, in which the audit searches for calls of functions.';
comment on column audit.policies.check_tree is
    'WITH CHECK condition as a parse tree, in which the audit searches for calls of functions.';

create view audit.policies_by_role_and_command with (security_invoker) as
select
    h.oid as role_oid,
    h.name as role,
    c.command,
    p.oid,
    p.name,
    p.table_oid,
    p.table_name,
    p.permissive,
    p.using_expression,
    p.check_expression
from audit.policies as p
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) as c (command)
cross join audit.house_roles as h
where p.command in (c.command, 'ALL')
    and exists (
        select
        from pg_catalog.unnest(p.role_oids) as member (oid)
        where member.oid = 0 or pg_catalog.pg_has_role(h.oid, member.oid, 'USAGE')
    );

comment on view audit.policies_by_role_and_command is
    'Policies that apply to each role and command, including policies for PUBLIC and for roles that the role inherits.';
comment on column audit.policies_by_role_and_command.command is
    'Command to which the policy applies (SELECT, INSERT, UPDATE or DELETE).';
