-- The amount of a claim at its submission, which users may change afterwards. Claims that were sent before stay without it,
-- because no row has their amount of that day.
alter table public.reclamations add column submitted_amount numeric(10, 2);
