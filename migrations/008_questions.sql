-- What questions need and leave behind: slugs by their trigrams, aliases; answers, accesses, feedback.

-- The trigrams of each word with a $ at both of its ends; each once, in order.
create or replace function grams_of(words text) returns text[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(distinct substr('$' || word || '$', place, 3)), '{}')
    from unnest(string_to_array(words, ' ')) as word, generate_series(1, length(word)) as place
$$;

-- The trigrams of a path's last part, without `.md`: of each of its words with a $ at both ends, each once, in order.
create or replace function slug_grams(path text) returns text[]
language sql immutable parallel safe as $$
    select public.grams_of(trim(regexp_replace(
        regexp_replace(regexp_replace(lower(path), '^.*/', ''), '\.md$', ''), '[^[:alnum:]]+', ' ', 'g')))
$$;

alter table episode add column slug_grams text[] generated always as (slug_grams(path)) stored;
comment on column episode.slug_grams is 'trigrams of the last part of the path, for names spelt wrongly';
create index episode_slug on episode using gin (slug_grams) where path is not null;

create table answer (
    namespace text not null references namespace,
    id        uuid not null,
    memories  text[] not null,
    given_at  timestamptz not null,
    primary key (namespace, id)
);
comment on table answer is 'which memories a search gave together; the older ones are dropped by a sweep';
create index answer_time on answer (namespace, given_at);

create table access (
    namespace text not null references namespace,
    memory    text not null,
    count     bigint not null check (count > 0),
    last_at   timestamptz not null,
    primary key (namespace, memory)
);
comment on table access is 'how often a memory was given in an answer, and when last';
create index access_time on access (namespace, last_at);

create table feedback (
    namespace text not null references namespace,
    id        uuid not null,
    answer    uuid,
    useful    text[] not null,
    useless   text[] not null,
    given_at  timestamptz not null,
    primary key (namespace, id)
);
comment on table feedback is 'what an assistant said it used of what it was given';

create table word_alias (
    namespace  text not null references namespace,
    word       text not null check (char_length(word) between 1 and 100),
    equivalent text not null check (char_length(equivalent) between 1 and 100),
    primary key (namespace, word, equivalent)
);
comment on table word_alias is 'a word that means the same as another in questions, both ways';
