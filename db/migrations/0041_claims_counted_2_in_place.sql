-- In place of the index that has fewer columns.
drop index public.reclamations_client_id_idx;
alter index public.reclamations_counted_idx rename to reclamations_client_id_idx;
