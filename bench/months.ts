import type pg from 'pg';

/**
 * Makes the audit log `months` months old: the partition for all earlier records ends that much earlier, and a monthly
 * partition follows for each month.
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
