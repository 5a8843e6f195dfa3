comment on table public.public_holidays is
    'Public holidays from 1990 to 2100, on which no time to go to court ends. Only migrations write this table.';
comment on column public.public_holidays.day is 'Day of the holiday.';
comment on column public.public_holidays.region is
    'FR for a holiday of the whole country (code du travail L3133-1), ALSACE_MOSELLE for one of the departments 57, 67 '
    'and 68 alone (L3134-13).';
comment on column public.public_holidays.name is 'Name of the holiday in French; several if they fall on one day.';
