create or replace view reporting.calendar with (security_invoker) as
select
    d.day::date as day,
    extract(year from d.day)::integer as year,
    extract(quarter from d.day)::integer as quarter,
    extract(month from d.day)::integer as month,
    pg_catalog.date_trunc('month', d.day)::date as first_of_month,
    extract(isoyear from d.day)::integer as iso_year,
    extract(week from d.day)::integer as iso_week,
    extract(isodow from d.day)::integer as iso_weekday,
    extract(isodow from d.day) >= 6 as is_weekend
from pg_catalog.generate_series(
    timestamp '2000-01-01',
    timestamp '2099-12-31',
    interval '1 day'
) as d (day);

comment on view reporting.calendar is
    'One row for each day from 2000 to 2099. Join a date to the column day. '
    'Join a timestamp by (created_at at time zone ''Europe/Paris'')::date = day.';
comment on column reporting.calendar.iso_week is 'Week number of ISO 8601 in the year iso_year.';
comment on column reporting.calendar.iso_weekday is 'Day of the week, from 1 (Monday) to 7 (Sunday).';
grant select on reporting.calendar to taxclaims_reporting;
comment on column reporting.calendar.day is 'The day.';
comment on column reporting.calendar.year is 'Calendar year of the day.';
comment on column reporting.calendar.quarter is 'Quarter of the year, 1 to 4.';
comment on column reporting.calendar.month is 'Month of the year, 1 to 12.';
comment on column reporting.calendar.first_of_month is 'First day of the month, for queries that group by month.';
comment on column reporting.calendar.iso_year is
    'Year to which iso_week belongs. Around 1 January, iso_year can differ from year.';
comment on column reporting.calendar.is_weekend is
    'True on Saturday and Sunday. The view does not know public holidays.';
