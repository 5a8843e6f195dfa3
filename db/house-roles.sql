-- This file has the only list of the application's database roles. After a deploy the function app.house_roles()
-- returns the list. The column `purpose` is back (the role owns objects), group (the role contains logins), addition (a
-- second role of logins in a group) or request (requests run as the role). A role has all rights and policies of the
-- role that it extends. taxclaims_admin extends no role, because its policies differ.
select pg_catalog.set_config('deploy.house_roles', pg_catalog.jsonb_agg(pg_catalog.to_jsonb(h) order by h.place)::text, true)
from (
    values
        (1, 'taxclaims_owner', 'back', null),
        (2, 'taxclaims_definer', 'back', null),
        (3, 'taxclaims_housekeeper', 'back', null),
        (4, 'taxclaims_api', 'group', null),
        (5, 'taxclaims_admin', 'request', null),
        (6, 'taxclaims_scoped_admin', 'request', 'taxclaims_account_manager'),
        (7, 'taxclaims_account_manager', 'request', 'taxclaims_tax_specialist'),
        (8, 'taxclaims_tax_specialist', 'request', 'taxclaims_client'),
        (9, 'taxclaims_client', 'request', null),
        (10, 'taxclaims_reporting', 'group', null),
        (11, 'taxclaims_reporting_all', 'addition', null),
        (12, 'taxclaims_reporting_few', 'addition', null),
        (13, 'taxclaims_auditor', 'group', null)
) as h (place, name, purpose, extends);
