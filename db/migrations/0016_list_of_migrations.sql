-- What was applied here, and as which text: no migration twice, and none that was edited since.

alter table app.migrations
    add column digest character varying(64),
    add constraint migrations_name_key unique (name);
