-- Episodes read by a language model, and what that cost.
create table reading (
    namespace text not null references namespace,
    episode   text not null,
    version   timestamptz not null,
    model     text not null,
    primary key (namespace, episode)
);
comment on table reading is 'which episodes a language model has read, so that none is paid for twice';
comment on column reading.version is 'created_at of the episode as it was read; another one is read anew';

create table usage (
    namespace text not null,
    month     date not null,
    calls     bigint not null,
    tokens    bigint not null,
    primary key (namespace, month)
);
comment on table usage is 'what understanding episodes cost a language model, by calendar month (UTC)';

comment on column entity.summary is 'by a language model, from episodes that named it; dropped when one of those is taken back';
