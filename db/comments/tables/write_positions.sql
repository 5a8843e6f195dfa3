comment on table app.write_positions is
    'How far each caller has written in the present epoch. Unlogged, hence empty after a crash and after a promotion.';

comment on column app.write_positions.subject is 'Of the token with which it was written.';
comment on column app.write_positions.position is
    'Of the write-ahead log, behind the caller''s last write: a replica that has not replayed it does not answer them.';
