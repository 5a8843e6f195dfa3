comment on table app.present_epoch is
    'One row: the epoch of this primary. Unlogged, hence empty after a crash and after a promotion.';

comment on column app.present_epoch.is_only is 'Always true, so that there is one row.';
comment on column app.present_epoch.epoch_id is 'The row of app.primary_epochs.';
