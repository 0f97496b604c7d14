-- The whole Postgres schema of graphmem; safe to run again.
--
-- Every table that holds a namespace's data, and every index on it, leads with the namespace (GIN and HNSW indexes
-- cannot; they become local when a table is partitioned by namespace). `doc` is an episode's number inside this
-- database: narrow, for postings and vectors; callers only ever see `id`.

create extension if not exists vector;

create table if not exists namespace (
    namespace   text primary key check (namespace ~ '^[a-z0-9_]{1,64}$'),
    text_search regconfig not null default 'english',
    settings    jsonb not null default '{}',
    created_at  timestamptz not null default now(),
    time_zone   text
);
comment on column namespace.time_zone is 'in which its night is reckoned; null is the one of the service';
comment on column namespace.text_search is 'language of keyword search: a text search configuration of Postgres';
comment on column namespace.settings is 'changes to the default profile, by name';

-- The trigrams of each word with a $ at both of its ends; each once, in order.
create or replace function grams_of(words text) returns text[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(distinct substr('$' || word || '$', place, 3)), '{}')
    from unnest(string_to_array(words, ' ')) as word, generate_series(1, length(word)) as place
$$;

-- The trigrams of a path's last part, without `.md`: of each of its words with a $ at both ends, each once, in order.
-- A restored dump computes columns with no search path, so what they call is named in full.
create or replace function slug_grams(path text) returns text[]
language sql immutable parallel safe as $$
    select public.grams_of(trim(regexp_replace(
        regexp_replace(regexp_replace(lower(path), '^.*/', ''), '\.md$', ''), '[^[:alnum:]]+', ' ', 'g')))
$$;

create table if not exists episode (
    namespace   text not null references namespace,
    doc         bigint generated always as identity,
    id          text not null check (id ~ '^[A-Za-z0-9_.:-]{1,128}$'),
    content     text not null check (char_length(content) between 1 and 1000000),
    speaker     text check (char_length(speaker) <= 500),
    session     text check (char_length(session) <= 500),
    project     text check (char_length(project) <= 500),
    origin      text not null check (origin in ('user', 'assistant', 'tool', 'document', 'recalled')),
    type        text not null check (char_length(type) between 1 and 500),
    importance  text not null check (importance in ('low', 'normal', 'high')),
    path        text check (char_length(path) <= 500),
    title       text check (char_length(title) <= 500),
    summary     text check (char_length(summary) <= 10000),
    occurred_at timestamptz not null,
    created_at  timestamptz not null,
    metadata    jsonb not null,
    facts       jsonb not null,
    words       tsvector not null,
    traits      text[],
    digest      uuid not null generated always as (md5(content)::uuid) stored,
    slug_grams  text[] generated always as (slug_grams(path)) stored,
    primary key (namespace, id)
);
comment on column episode.facts is 'facts the caller stated with the episode';
comment on column episode.words is 'lexemes and positions of the first part of the indexed text, for phrases';
comment on column episode.traits is 'what kind of note it is; null where that was never decided';
comment on column episode.digest is 'the same for the same content';
comment on column episode.slug_grams is 'trigrams of the last part of the path, for names spelt wrongly';
create unique index if not exists episode_doc on episode (namespace, doc);
create index if not exists episode_time on episode (namespace, occurred_at, id);
create index if not exists episode_session on episode (namespace, session, occurred_at, id);
create index if not exists episode_project on episode (namespace, project, occurred_at, id);
create index if not exists episode_words on episode using gin (words);
create index if not exists episode_slug on episode using gin (slug_grams) where path is not null;

create table if not exists posting (
    namespace text not null,
    lexeme    text not null,
    doc       bigint not null,
    tf        smallint not null check (tf > 0),
    length    smallint not null check (length > 0)
);
comment on table posting is 'the keyword index: which episode has which lexeme how often';
comment on column posting.length is 'lexemes in the whole episode, 32767 at most';
create unique index if not exists posting_key on posting (namespace, lexeme, doc) include (tf, length);
alter table posting set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists statistic (
    namespace text not null,
    episodes  bigint not null,
    lexemes   bigint not null
);
comment on table statistic is 'deltas; their sum per namespace is the number of episodes and of lexemes, a sweep folds them';
create index if not exists statistic_namespace on statistic (namespace);

create table if not exists vector_space (
    space      smallint generated always as identity primary key,
    model      text not null,
    dimensions integer not null check (dimensions between 1 and 4000),
    active     boolean not null,
    created_at timestamptz not null default now(),
    unique (model, dimensions)
);
comment on table vector_space is 'the models whose vectors are kept: the active one, and one that is being made beside it';
create unique index if not exists vector_space_active on vector_space (active) where active;

create table if not exists embedding (
    namespace text not null,
    doc       bigint not null,
    space     smallint not null references vector_space,
    truncated boolean not null,
    vector    halfvec(384) not null,
    primary key (namespace, doc),
    foreign key (namespace, doc) references episode (namespace, doc) on delete cascade
);
comment on table embedding is 'narrow, so that an exact scan reads nothing else';
comment on column embedding.truncated is 'the model saw only the beginning of the text';
create index if not exists embedding_vector on embedding using hnsw (vector halfvec_cosine_ops);

create table if not exists job (
    namespace   text not null,
    id          uuid not null,
    kind        text not null check (kind in ('extract', 'read', 'embed', 'project', 'consolidate')),
    episode     text not null,
    state       text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'dead')),
    attempts    integer not null default 0,
    due_at      timestamptz not null default now(),
    error       text,
    calls       integer not null default 0,
    tokens      integer not null default 0,
    created_at  timestamptz not null default now(),
    finished_at timestamptz,
    primary key (namespace, episode, kind)
);
comment on table job is 'work that follows a write: a row for each episode and kind, its newest';
comment on column job.id is 'what the caller was given; the rows of a batch share one';
comment on column job.episode is 'id of the episode; empty for the whole namespace';
create index if not exists job_id on job (namespace, id);
create index if not exists job_due on job (namespace, due_at) where state in ('waiting', 'running', 'failed');
create index if not exists job_state on job (namespace, state, created_at) where state <> 'done';

create table if not exists mention (
    namespace  text not null references namespace,
    episode    text not null,
    entity     uuid not null,
    name       text not null check (char_length(name) between 1 and 500),
    type       text,
    created_at timestamptz not null,
    named      uuid not null,
    primary key (namespace, episode, named)
);
comment on table mention is 'which episode names which entity, in its own words';
comment on column mention.episode is 'id of the episode; empty when a caller named the entity outside of any';
comment on column mention.entity is 'the entity that the name means, as far as we know now';
comment on column mention.named is 'the entity that follows from the name alone';
create index if not exists mention_entity on mention (namespace, entity, episode);

create table if not exists statement (
    namespace  text not null references namespace,
    id         uuid not null,
    episode    text not null,
    source     uuid not null,
    relation   text not null check (char_length(relation) between 1 and 200),
    target     uuid not null,
    text       text not null check (char_length(text) between 1 and 4000),
    valid_at   timestamptz,
    invalid_at timestamptz,
    ends       boolean not null,
    origin     text not null check (origin in ('stated', 'local', 'model', 'night')),
    fixed_fact uuid,
    fact       uuid,
    created_at timestamptz not null,
    replaced_by uuid,
    named_source uuid not null,
    named_target uuid not null,
    primary key (namespace, id)
);
comment on table statement is 'what was said, when, about a pair; the decisions from which facts follow';
comment on column statement.episode is 'id of the episode; empty when a caller stated it outside of any';
comment on column statement.ends is 'it says that the fact no longer holds, from invalid_at on';
comment on column statement.fixed_fact is 'the fact it belongs to, where that was decided and does not follow';
comment on column statement.fact is 'the fact it supports or ends, as settled';
comment on column statement.replaced_by is 'of one that ends a fact: the fact stated in its place';
comment on column statement.named_source is 'the source that follows from its name alone, as named_target for the target';
create index if not exists statement_pair on statement (namespace, source, relation, target);
create index if not exists statement_episode on statement (namespace, episode);
create index if not exists statement_fact on statement (namespace, fact);
create index if not exists statement_target on statement (namespace, target);
create index if not exists statement_replaced_by on statement (namespace, replaced_by) where replaced_by is not null;
create index if not exists statement_alias on statement (namespace) where relation in ('ALSO_KNOWN_AS', 'ALIAS_OF');

create table if not exists entity (
    namespace  text not null references namespace,
    id         uuid not null,
    name       text not null,
    type       text,
    summary    text not null default '',
    created_at timestamptz not null,
    vector     halfvec,
    space      smallint,
    primary key (namespace, id)
);
comment on column entity.vector is 'of its name; made by a job, soon after';
comment on column entity.space is 'the model that made the vector; none where a job is to make one';
comment on table entity is 'follows from its mentions: the name and type most of them give it';
comment on column entity.summary is 'by a language model, from episodes that named it; dropped when one of those is taken back';
create index if not exists entity_name on entity (namespace, lower(name), id);
create index if not exists entity_without_vector on entity (namespace, id) where space is null;

create table if not exists entity_link (
    namespace text not null references namespace,
    alias     uuid not null,
    entity    uuid not null,
    reason    text not null check (reason in ('said', 'merged')),
    cause     uuid not null,
    primary key (namespace, alias, entity, cause)
);
comment on table entity_link is 'two entities, as their names have them, that are said or decided to be one; meanings follow';
comment on column entity_link.cause is 'the fact that says it, or the change that decided it';

create table if not exists meaning (
    namespace text not null references namespace,
    named     uuid not null,
    entity    uuid not null,
    primary key (namespace, named)
);
comment on table meaning is 'an entity that follows from a name and means another';
create index if not exists meaning_entity on meaning (namespace, entity);

create table if not exists fact (
    namespace         text not null references namespace,
    id                uuid not null,
    source            uuid not null,
    relation          text not null,
    target            uuid not null,
    fact              text not null,
    valid_at          timestamptz,
    invalid_at        timestamptz,
    stated_invalid_at timestamptz,
    created_at        timestamptz not null,
    expired_at        timestamptz,
    confirmed_at      timestamptz not null,
    origin            text not null,
    retired_by        uuid,
    vector            halfvec,
    space             smallint,
    primary key (namespace, id)
);
comment on table fact is 'follows from the statements about a pair; the two clocks: valid/invalid in the world, created/expired to us';
comment on column fact.stated_invalid_at is 'the end it was first stated with';
comment on column fact.retired_by is 'the fact that took its place';
comment on column fact.vector is 'of its words, or of the episode it was first said in where it was found by rules';
comment on column fact.space is 'the model that made the vector; none where a job is to make one';
create index if not exists fact_source on fact (namespace, source, relation);
create index if not exists fact_target on fact (namespace, target);
create index if not exists fact_relation on fact (namespace, relation, id);
create index if not exists fact_created on fact (namespace, created_at, id);
create index if not exists fact_without_vector on fact (namespace, id) where space is null;
create index if not exists fact_retired_by on fact (namespace, retired_by) where retired_by is not null;

create table if not exists reading (
    namespace text not null references namespace,
    episode   text not null,
    version   timestamptz not null,
    model     text not null,
    primary key (namespace, episode)
);
comment on table reading is 'which episodes a language model has read, so that none is paid for twice';
comment on column reading.version is 'created_at of the episode as it was read; another one is read anew';

create table if not exists usage (
    namespace text not null,
    month     date not null,
    calls     bigint not null,
    tokens    bigint not null,
    primary key (namespace, month)
);
comment on table usage is 'what understanding episodes cost a language model, by calendar month (UTC)';

create table if not exists handed_out (
    namespace text not null,
    line      bigint not null,
    handed_at timestamptz not null default now(),
    primary key (namespace, line)
);
comment on table handed_out is 'fingerprints of lines that contexts lately held, which are not read again when they come back';

create table if not exists unprojected (
    namespace text not null,
    kind      text not null check (kind in ('episode', 'entity', 'fact', 'synapse', 'community')),
    id        text not null,
    mark      bigint generated always as identity,
    primary key (namespace, kind, id)
);
comment on table unprojected is 'what the graph does not show yet as the ledger has it';

create table if not exists touched (
    namespace text not null,
    kind      text not null check (kind in ('episode', 'entity', 'fact')),
    id        text not null,
    mark      bigint generated always as identity,
    primary key (namespace, kind, id)
);
comment on table touched is 'in which order things last changed, for the night to look at what it has not seen';
create index if not exists touched_mark on touched (namespace, mark);

create table if not exists consolidation (
    namespace     text not null,
    id            uuid not null,
    steps         text[] not null,
    dry_run       boolean not null,
    state         text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
    scheduled_for timestamptz,
    progress      jsonb not null default '{}',
    counts        jsonb not null default '{}',
    error         text,
    created_at    timestamptz not null,
    started_at    timestamptz,
    finished_at   timestamptz,
    primary key (namespace, id)
);
comment on table consolidation is 'runs of the night; a dry run only plans';
comment on column consolidation.created_at is 'also the present of the whole run, however often it is taken up again';
comment on column consolidation.scheduled_for is 'the night it is for; null where somebody asked for it';
create unique index if not exists consolidation_scheduled on consolidation (namespace, scheduled_for)
    where scheduled_for is not null;
create index if not exists consolidation_open on consolidation (namespace, created_at, id)
    where state in ('waiting', 'running');

create table if not exists change (
    namespace  text not null references namespace,
    id         uuid not null,
    number     bigint generated always as identity,
    run        uuid not null,
    step       text not null,
    kind       text not null,
    decides    uuid not null,
    sure       boolean not null,
    subjects   text[] not null,
    evidence   text[] not null,
    touches    text[] not null,
    reason     text not null,
    edits      jsonb not null,
    state      text not null check (
        state in ('planned', 'proposed', 'applied', 'accepted', 'rejected', 'undone', 'outdated')
    ),
    created_at timestamptz not null,
    decided_at timestamptz,
    primary key (namespace, id)
);
comment on table change is 'the journal of the night: what each run did, proposes or plans, why, and how it was before';
comment on column change.decides is 'the same for each time the same is decided of the same subjects';
comment on column change.touches is 'what it reads or writes; a later change that touches one of these builds on it';
comment on column change.edits is 'rows of decision tables: table, key, before and after, null where there is none';
create index if not exists change_number on change (namespace, number);
create index if not exists change_run on change (namespace, run, number);
create index if not exists change_state on change (namespace, state, number) where state <> 'applied';
create index if not exists change_decides on change (namespace, decides);
create index if not exists change_touches on change using gin (touches);

create table if not exists watermark (
    namespace text not null references namespace,
    step      text not null,
    place     jsonb not null,
    primary key (namespace, step)
);
comment on table watermark is 'how far each step of the night has looked';

create table if not exists tier (
    namespace text not null references namespace,
    fact      uuid not null,
    tier      text not null check (tier in ('repeated', 'identity')),
    sessions  integer not null check (sessions > 0),
    primary key (namespace, fact)
);
comment on table tier is 'what the night decided a fact to be worth, by the sessions it was said in; none is said once';

create table if not exists answer (
    namespace text not null references namespace,
    id        uuid not null,
    memories  text[] not null,
    given_at  timestamptz not null,
    primary key (namespace, id)
);
comment on table answer is 'which memories a search gave together; the older ones are dropped by a sweep';
create index if not exists answer_time on answer (namespace, given_at);

create table if not exists access (
    namespace text not null references namespace,
    memory    text not null,
    count     bigint not null check (count > 0),
    last_at   timestamptz not null,
    primary key (namespace, memory)
);
comment on table access is 'how often a memory was given in an answer, and when last';
create index if not exists access_time on access (namespace, last_at);

create table if not exists feedback (
    namespace text not null references namespace,
    id        uuid not null,
    answer    uuid,
    useful    text[] not null,
    useless   text[] not null,
    given_at  timestamptz not null,
    primary key (namespace, id)
);
comment on table feedback is 'what an assistant said it used of what it was given';

create table if not exists archived (
    namespace   text not null references namespace,
    doc         bigint not null,
    archived_at timestamptz not null,
    primary key (namespace, doc)
);
comment on table archived is 'episodes that faded: out of ordinary searches until they are used again';

create table if not exists near_duplicate (
    namespace text not null references namespace,
    doc       bigint not null,
    front     bigint not null check (front <> doc),
    likeness  real not null check (likeness between 0 and 1),
    primary key (namespace, doc)
);
comment on table near_duplicate is 'episodes that say what another says, which is shown in their place: their front';
create index if not exists near_duplicate_front on near_duplicate (namespace, front);

create table if not exists signature (
    namespace text not null references namespace,
    doc       bigint not null,
    bands     bigint[] not null,
    primary key (namespace, doc)
);
comment on table signature is 'what tells texts apart: two that say nearly the same share a band; follows from the text';
create index if not exists signature_bands on signature using gin (bands);

create table if not exists synapse (
    namespace text not null references namespace,
    one       text collate "C" not null,
    other     text collate "C" not null check (one < other),
    weight    double precision not null check (weight > 0 and weight <= 1),
    at        timestamptz not null,
    primary key (namespace, one, other)
);
comment on table synapse is 'how strongly two are tied by being recalled together: entity/<uuid> or episode/<id>';
comment on column synapse.weight is 'as it was at that time; it fades from then on';
create index if not exists synapse_other on synapse (namespace, other);

create table if not exists community (
    namespace  text not null references namespace,
    id         uuid not null,
    name       text not null,
    created_at timestamptz not null,
    vector     halfvec,
    primary key (namespace, id)
);
comment on table community is 'entities that belong together by the facts between them';

create table if not exists community_member (
    namespace text not null references namespace,
    entity    uuid not null,
    community uuid not null,
    primary key (namespace, entity)
);
create index if not exists community_member_community on community_member (namespace, community, entity);

create table if not exists summary (
    namespace  text not null references namespace,
    subject    uuid not null,
    kind       text not null check (kind in ('entity', 'community')),
    text       text not null,
    facts      uuid[] not null check (cardinality(facts) > 0),
    made_by    text not null check (made_by in ('facts', 'model')),
    created_at timestamptz not null,
    primary key (namespace, subject)
);
comment on table summary is 'what the night wrote of entities and communities; shown only while all its facts hold';
comment on column summary.facts is 'what it rests on';
create index if not exists summary_facts on summary using gin (facts);

create table if not exists retention (
    namespace text primary key references namespace,
    days      integer not null check (days between 1 and 36500)
);
comment on table retention is 'after how many days the archived episodes of a namespace are forgotten; without a row never';

create table if not exists word_alias (
    namespace  text not null references namespace,
    word       text not null check (char_length(word) between 1 and 100),
    equivalent text not null check (char_length(equivalent) between 1 and 100),
    primary key (namespace, word, equivalent)
);
comment on table word_alias is 'a word that means the same as another in questions, both ways';

create table if not exists api_key (
    id           text primary key,
    hash         bytea not null,
    name         text not null,
    role         text not null check (role in ('reader', 'writer', 'admin')),
    namespaces   text[] not null check (cardinality(namespaces) > 0),
    created_at   timestamptz not null default now(),
    last_used_at timestamptz
);
comment on column api_key.hash is 'SHA-256 of the key; the key itself is shown once and never kept';
comment on column api_key.namespaces is 'the namespaces it reaches; * is all';

create table if not exists schema_version (
    version    integer primary key,
    applied_at timestamptz not null default now()
);

-- The documents of a namespace that pass the filters of a question; one place for them, so that every leg agrees.
create or replace function docs_passing(wanted_namespace text, filters jsonb) returns setof bigint
language sql stable as $$
    select doc
    from episode
    where namespace = wanted_namespace
      and (filters -> 'sessions' is null or session in (select jsonb_array_elements_text(filters -> 'sessions')))
      and (filters -> 'project' is null or project = filters ->> 'project')
      and (filters -> 'origins' is null or origin in (select jsonb_array_elements_text(filters -> 'origins')))
      and (filters -> 'types' is null or type in (select jsonb_array_elements_text(filters -> 'types')))
      and (filters -> 'since' is null or occurred_at >= (filters ->> 'since')::timestamptz)
      and (filters -> 'until' is null or occurred_at < (filters ->> 'until')::timestamptz)
      and (filters -> 'valid_as_of' is null or occurred_at <= (filters ->> 'valid_as_of')::timestamptz)
      and (filters -> 'known_as_of' is null or created_at <= (filters ->> 'known_as_of')::timestamptz)
$$;

-- The documents of a namespace that a question does not return: those it excludes, those that faded unless it asks for
-- them, and those whose front it may return in their place; one place for them, so that every leg agrees.
create or replace function docs_hidden(wanted_namespace text, excluded text[], filters jsonb, narrow boolean)
returns setof bigint
language sql stable as $$
    select doc from episode where namespace = wanted_namespace and id = any(excluded)
    union all
    select doc from archived where namespace = wanted_namespace and filters -> 'archived' is null
    union all
    select near_duplicate.doc
    from near_duplicate
    where near_duplicate.namespace = wanted_namespace and filters -> 'duplicates' is null
      and (not narrow or front in (select passing from docs_passing(wanted_namespace, filters) as passing))
      and (filters -> 'archived' is not null or front not in (
          select archived.doc from archived where archived.namespace = wanted_namespace
      ))
$$;

-- What the night wrote of an entity or a community; nothing when a fact that it rests on no longer holds.
create or replace function summary_of(wanted_namespace text, wanted uuid) returns text
language sql stable as $$
    select summary.text
    from summary
    where summary.namespace = wanted_namespace and subject = wanted and not exists (
        select from unnest(summary.facts) as rests(fact)
            left join fact on fact.namespace = wanted_namespace and fact.id = rests.fact
        where fact.id is null or fact.expired_at is not null
    )
$$;

-- The text search configuration of a namespace; English where none was chosen.
create or replace function text_search_of(wanted_namespace text) returns regconfig
language sql stable as $$
    select coalesce((select text_search from namespace where namespace = wanted_namespace), 'english'::regconfig)
$$;

-- The two clocks: when a fact ends, to those who know what was known at a time. Until its end was learned it is the
-- end it was first stated with.
create or replace function end_known(known fact, known_as_of timestamptz) returns timestamptz
language sql immutable as $$
    select case
        when known.expired_at is null or known.expired_at <= known_as_of then known.invalid_at
        else known.stated_invalid_at
    end
$$;

-- The two clocks: whether a fact is shown to one who asks what held at a time, or, without that time, what is believed;
-- a start in the future hides nothing then. Every read of facts goes through here.
create or replace function fact_shown(known fact, valid_as_of timestamptz, known_as_of timestamptz) returns boolean
language sql immutable as $$
    select known.created_at <= known_as_of and case
        when valid_as_of is null then coalesce(end_known(known, known_as_of) > known_as_of, true)
        else coalesce(known.valid_at <= valid_as_of, true)
            and coalesce(valid_as_of < end_known(known, known_as_of), true)
    end
$$;

create table if not exists evaluation (
    namespace    text not null,
    id           uuid not null,
    state        text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
    way          jsonb not null,
    cases        jsonb check ((cases is null) = (finished_at is not null)),
    asked        integer not null default 0 check (asked between 0 and "of"),
    "of"         integer not null,
    attempts     integer not null default 0,
    lease        uuid,
    leased_until timestamptz,
    report       jsonb,
    error        text,
    created_at   timestamptz not null default now(),
    finished_at  timestamptz,
    primary key (namespace, id)
);
comment on table evaluation is 'known questions asked again, and what the answers are worth';
comment on column evaluation.way is 'how they are asked: profile, tuning, kinds, and whether parts are left out in turn';
comment on column evaluation.cases is 'the questions with their gold; gone once it is finished';
comment on column evaluation.lease is 'of the worker that is at it; another may take over after leased_until';
create index if not exists evaluation_due on evaluation (namespace, created_at, id) where finished_at is null;
