import { words } from '../../support/words.ts';

/** Gives the same reason to several Postgres catalogs, or catalog columns, that the test never changes. */
const because = (reason: string, names: string): [string, string][] => words(names).map((name) => [name, reason]);

/**
 * Columns of Postgres catalogs that `npm run proofs -- mutation` never changes for an object of the service, each with
 * the reason.
 */
export const UNCHANGED_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...because(
    'identifies the object: another value means another object, which other changes cover',
    `pg_class.oid pg_proc.oid pg_type.oid pg_attrdef.oid pg_constraint.oid pg_rewrite.oid pg_trigger.oid pg_namespace.oid
     pg_database.oid pg_authid.oid pg_auth_members.oid pg_extension.oid pg_policy.oid pg_default_acl.oid
     pg_attribute.attrelid pg_attribute.attnum pg_attrdef.adrelid pg_attrdef.adnum pg_constraint.contype
     pg_constraint.conrelid pg_constraint.contypid pg_index.indexrelid pg_index.indrelid pg_rewrite.ev_class
     pg_trigger.tgrelid pg_auth_members.roleid pg_auth_members.member pg_sequence.seqrelid pg_default_acl.defaclrole
     pg_default_acl.defaclnamespace pg_default_acl.defaclobjtype pg_class.relkind pg_class.relisshared pg_type.typtype
     pg_type.typrelid`,
  ),
  ...because(
    'a function with other arguments or another result is another function',
    `pg_proc.provariadic pg_proc.prokind pg_proc.proretset pg_proc.pronargs pg_proc.prorettype pg_proc.proargtypes
     pg_proc.proallargtypes pg_proc.proargmodes`,
  ),
  ...because('only functions in C have a value, and this project has no function in C', 'pg_proc.probin'),
  ...because(
    'a changed default, condition or check has a new row',
    'pg_attrdef.adbin pg_constraint.conbin pg_rewrite.ev_qual',
  ),
  ...because(
    'follows from a column that a kind of change covers',
    `pg_attribute.attlen pg_attribute.attbyval pg_attribute.attalign pg_class.relhasindex pg_class.reltype
     pg_class.relispopulated pg_class.relrewrite pg_constraint.conindid pg_constraint.conparentid pg_trigger.tgparentid
     pg_trigger.tgconstrindid pg_index.indnatts pg_index.indnkeyatts pg_index.indcheckxmin pg_database.dathasloginevt`,
  ),
  ...because(
    'describes the content, number, place or age of rows, which db/audit/declared does not declare',
    `pg_attribute.atthasmissing pg_attribute.attmissingval pg_class.relallvisible pg_class.relallfrozen
     pg_class.relminmxid pg_class.reltablespace pg_database.datfrozenxid pg_database.datminmxid pg_database.dattablespace
     pg_database.datname`,
  ),
  ...because(
    'is the same for the types of all rows and arrays, and this project has no other type',
    `pg_type.typisdefined pg_type.typstorage pg_type.typoutput pg_type.typreceive pg_type.typsend pg_type.typcategory
     pg_type.typispreferred pg_type.typdelim pg_type.typlen pg_type.typbyval pg_type.typsubscript pg_type.typelem
     pg_type.typarray pg_type.typmodin pg_type.typmodout pg_type.typanalyze pg_type.typalign pg_type.typnotnull
     pg_type.typbasetype pg_type.typtypmod pg_type.typndims pg_type.typcollation pg_type.typdefaultbin pg_type.typdefault`,
  ),
  ...because('Postgres does not enforce the number of dimensions', 'pg_attribute.attndims'),
  ...because('Postgres uses this column only in memory', 'pg_attribute.attcacheoff'),
  ...because('only foreign tables have a value, and this project has no foreign table', 'pg_attribute.attfdwoptions'),
  ...because(
    'only exclusion constraints have a value, and this project has no exclusion constraint',
    'pg_constraint.conexclop',
  ),
  ...because(
    'comes from the server and its operating system when the database is created',
    `pg_database.datlocprovider pg_database.datlocale pg_database.daticulocale pg_database.daticurules
     pg_database.datcollversion`,
  ),
  ...because('names the administrator who granted a membership, whom nothing declares', 'pg_auth_members.grantor'),
  ...because(
    'only pg_dump reads this column',
    'pg_extension.extrelocatable pg_extension.extconfig pg_extension.extcondition',
  ),
]);

/** Postgres catalogs in which `npm run proofs -- mutation` never writes a row, each with the reason. */
export const UNCHANGED_CATALOGS: ReadonlyMap<string, string> = new Map([
  ...because('holds what ANALYZE counted', 'pg_statistic pg_statistic_ext_data'),
  ...because('lists folders of the server, which no transaction creates', 'pg_tablespace'),
  ...because('comments change nothing', 'pg_shdescription'),
  ...because('holds the progress of a subscription', 'pg_subscription_rel'),
]);
