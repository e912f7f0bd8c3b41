// The shape of every known payload. The schemas are the definition; a test compares both on random
// payloads.

import {
  type Check,
  check,
  content,
  count,
  type Fields,
  flag,
  grade,
  isRecord,
  isText,
  json,
  list,
  mode,
  name,
  nullable,
  number,
  object,
  oneOf,
  optional,
  positive,
  type Shape,
  sha256,
  text,
  timestamp,
  uuid,
} from './payload-checks.js'
import type { PayloadByType } from './schemas.js'

/** The fields that the schema of a type names, so that none can be forgotten here. */
type FieldsOf<Payload> = {
  readonly [Field in keyof Payload as string extends Field ? never : Field]-?: Check
}

const names = list(text)
const copied_from = optional(uuid)
const counts = check('counts by name', (value) => {
  return isRecord(value) && Object.values(value).every((member) => count(member))
})
const anyObject = check('an object', isRecord)
const completionStatus = oneOf('completed', 'timeout', 'aborted', 'failed', 'crashed')
const place = oneOf('store', 'archive', 'trash')

const usage = object({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: optional(count),
  cache_write_tokens: optional(count),
})

const lineage = object({
  session_id: name,
  tip_uuid: nullable(uuid),
  tip_offset: nullable(count),
  transcript_path: text,
})

const claim: FieldsOf<PayloadByType['claim']> = {
  session_id: name,
  runtime_path: name,
  claimed_at: timestamp,
  expires_at: timestamp,
  pid: positive,
  start: nullable(text),
  boot: nullable(text),
  ns: nullable(text),
  host: text,
}

const memory = object({
  content: check('a text of 1 to 100000 characters', (value) => {
    return isText(value) && value !== '' && value.length <= 100_000
  }),
  memoryType: optional(
    oneOf('fact', 'skill', 'preference', 'constraint', 'task', 'episodic', 'correction'),
  ),
  importance: optional(grade),
  confidence: optional(grade),
  entities: optional(names),
})

const SHAPES: { readonly [Type in keyof PayloadByType]: FieldsOf<PayloadByType[Type]> } = {
  session_header: {
    format: positive,
    session_id: name,
    start_ts: timestamp,
    resumed_from: nullable(lineage),
    lib: object({ name: text, version: text, capture: oneOf('native', 'hooks', 'import') }),
    forked_from: optional(object({ session_id: name, at_uuid: uuid, base: count })),
    kind: optional(oneOf('interactive', 'headless', 'subagent')),
    tool_policy: optional(oneOf('synthesize', 'retry', 'drop')),
    parent_session_key: optional(text),
    parent_inferred: optional(flag),
    previous_session_key: optional(text),
    harness: optional(text),
    harness_agent_id: optional(text),
    agent_id: optional(text),
    agent_label: optional(text),
    project: optional(text),
    project_normalized: optional(text),
    cwd: optional(text),
  },
  session_resumed: {
    at_ts: timestamp,
    source: oneOf('resume', 'compact', 'startup'),
    gap_ms: count,
  },
  user: { content, prompt_id: optional(text), source: optional(text), copied_from },
  assistant: {
    content,
    model: optional(text),
    usage: optional(usage),
    stop_reason: optional(nullable(text)),
    message_id: optional(text),
    partial: optional(flag),
    supersedes: optional(uuid),
    copied_from,
  },
  tool_call: {
    tool_call_id: name,
    name: text,
    input: json,
    idempotent: optional(flag),
    copied_from,
  },
  tool_result: {
    tool_call_id: name,
    content: json,
    is_error: flag,
    name: optional(text),
    synthetic: optional(flag),
    attempt: optional(count),
    copied_from,
  },
  system: { content, copied_from },
  summary: {
    text,
    tokens: optional(count),
    model: optional(text),
    structured: optional(json),
  },
  compaction_boundary: {
    headUuid: nullable(uuid),
    anchorUuid: uuid,
    tailUuid: nullable(uuid),
    summary_event_uuid: uuid,
    trigger: oneOf('manual', 'auto', 'overflow', 'external'),
    strategy: oneOf('checkpoint', 'primary', 'fallback', 'emergency', 'external'),
    epoch: positive,
    offsets: object({
      self: count,
      head: nullable(count),
      tail: nullable(count),
      summary: nullable(count),
    }),
    tokens_before: count,
    messages_summarized: count,
    needs_summary_retry: flag,
    coveredFromUuid: optional(uuid),
    coveredToUuid: optional(uuid),
    keptUuids: optional(list(uuid)),
    kept: optional(
      list(
        check('a uuid and its offset', (value) => {
          return Array.isArray(value) && value.length === 2 && uuid(value[0]) && count(value[1])
        }),
        256,
      ),
    ),
    tokens_after: optional(count),
    keep_percent: optional(number),
    checkpoint_id: optional(text),
    details: optional(object({ read_files: names, modified_files: names })),
    custom_instructions: optional(text),
  },
  rewind: {
    target_uuid: uuid,
    from_uuid: uuid,
    truncate_after: optional(uuid),
    reason: optional(text),
    copied_from,
  },
  subagent_spawn: {
    task_id: name,
    sidechain_path: text,
    agent_type: optional(text),
    spec_sha256: optional(sha256),
    tool_call_id: optional(text),
  },
  subagent_result: {
    task_id: name,
    completion_status: completionStatus,
    summary: text,
    sidechain_path: text,
    bytes: nullable(count),
    errors: names,
    truncated: optional(flag),
    tokens: optional(count),
    tool_call_id: optional(text),
  },
  summary_revision: {
    summary_event_uuid: uuid,
    boundary_uuid: uuid,
    text,
    attempt: count,
    final: flag,
    model: optional(text),
  },
  message_edit: { target_uuid: uuid, payload: nullable(anyObject) },
  memory_query: { text, recalled: optional(names), boundary_uuid: optional(nullable(uuid)) },
  remember: { text, memoryType: optional(text), importance: optional(grade) },
  checkpoint_ref: { checkpoint_id: text, trigger: text, sha256, shard: optional(text) },
  extract_cursor: {
    offset: count,
    last_uuid: nullable(uuid),
    delivered_chars: count,
    source: optional(text),
    check: optional(text),
  },
  recovery_injected: {
    checkpoint_id: text,
    boundary_uuid: nullable(uuid),
    source: text,
    chars: count,
    sources: optional(names),
    withdrawn: optional(flag),
  },
  session_meta: {
    title: optional(text),
    title_source: optional(oneOf('user', 'auto')),
    tags: optional(names),
    bypassed: optional(flag),
  },
  file_checkpoint: {
    hash: sha256,
    files: list(
      object({
        path: text,
        sha256: nullable(sha256),
        existed: flag,
        mode: optional(mode),
        bytes: optional(count),
        skipped: optional(text),
      }),
    ),
    at_uuid: nullable(uuid),
    project_root: optional(text),
    reason: optional(text),
  },
  imported: {
    format: name,
    path: text,
    bytes: count,
    sha256,
    lines: count,
    events: count,
    tip_uuid: nullable(uuid),
    dropped: counts,
    repaired: counts,
    kept_source: optional(text),
    source: optional(text),
    sources: optional(count),
    uninterpreted: optional(counts),
  },
  turn_end: {
    prompt_id: optional(text),
    stop_reason: optional(nullable(text)),
    error: optional(text),
  },
  session_terminator: {
    end_ts: timestamp,
    reason: text,
    last_uuid: nullable(uuid),
    events: optional(nullable(count)),
    bytes: count,
  },
  sidechain_header: {
    format: positive,
    task_id: name,
    parent_session_id: name,
    parent_uuid: nullable(uuid),
    depth: count,
    start_ts: timestamp,
    parent_task_id: optional(text),
    agent_type: optional(text),
    tool_call_id: optional(text),
  },
  sidechain_terminator: {
    end_ts: timestamp,
    completion_status: completionStatus,
    summary: text,
    summary_chars: count,
    bytes: count,
    truncated: optional(flag),
    tokens: optional(count),
    reason: optional(text),
  },
  checkpoint: {
    id: name,
    session_key: name,
    created_at: timestamp,
    project_normalized: nullable(text),
    trigger: oneOf('periodic', 'pre_compaction', 'agent', 'explicit', 'session_end'),
    agent_id: text,
    harness: text,
    project: nullable(text),
    prompt_count: count,
    total_prompt_count: count,
    digest: text,
    cause: optional(text),
    memory_queries: optional(list(text, 20)),
    recent_remembers: optional(list(text, 10)),
    prompt_snippets: optional(list(text, 10)),
    transcript_offset: optional(nullable(count)),
    last_uuid: optional(nullable(uuid)),
    cycle: optional(nullable(uuid)),
    rolling: optional(object({ total_prompt_count: count, percent: nullable(number) })),
    structured: optional(
      object({
        summary: optional(text),
        topics: optional(names),
        keyDecisions: optional(names),
        openQuestions: optional(names),
        nextSteps: optional(names),
        tokensAtCheckpoint: optional(count),
        messageCount: optional(count),
        model: optional(text),
      }),
    ),
    session_summary: optional(text),
    memories: optional(list(memory, 50)),
    agent_run_id: optional(text),
    idempotency_keys: optional(list(object({ key: name, hash: name }))),
    truncated: optional(flag),
  },
  checkpoint_tombstone: { target_id: name, reason: text },
  relocation: { from_normalized: name, to_normalized: name, from: text, to: text },
  retention: {
    command: name,
    path: text,
    records_dropped: count,
    bytes_dropped: count,
    bytes_kept: count,
  },
  session_moved: {
    command: oneOf('archive', 'trash', 'restore', 'prune'),
    session_id: name,
    from: place,
    to: nullable(place),
    files: count,
    bytes: count,
    last_activity: nullable(timestamp),
    reason: text,
  },
  claim,
  claim_renewal: claim,
  claim_release: { session_id: name },
  claim_bypass: { session_id: name, enabled: flag, expires_at: timestamp },
}

/** By record type. */
export const PAYLOAD_SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries(SHAPES).map(([type, fields]: [string, Fields]) => {
    const required = Object.keys(fields).filter((field) => fields[field]!.isOptional !== true)
    return [type, { checks: new Map(Object.entries(fields)), required }]
  }),
)
