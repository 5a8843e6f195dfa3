import type pg from 'pg';

/**
 * Gives the audit log as many monthly partitions as after `months` months of use. The first partition, for all earlier
 * records, ends before them.
 */
export async function makePastMonths(admin: pg.Client, months: number): Promise<void> {
  const begins = `date_trunc('month', now() at time zone 'UTC')`;
  await admin.query(`
    set role taxclaims_housekeeper;
    do $months$
    begin
        alter table audit_log.months detach partition audit_log.earlier;
        execute format(
            'alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to (%L)',
            (${begins} - make_interval(months => ${String(months)})) at time zone 'UTC'
        );
        perform audit_log.make_months(null);
        perform audit_log.close_month('audit_log.earlier');
    end
    $months$;
    reset role`);
}
