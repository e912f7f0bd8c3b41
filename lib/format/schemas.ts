// The shape of every record type, as zod schemas: published, used by `verify`, and the source of
// the payload types. An entry point of its own, because importing zod costs more than the rest of the
// library together: the log engine never loads this file, it only borrows its types.
//
// Objects are loose: fields this version does not know are kept and ignored.

import * as z from 'zod'
import { FORMAT_VERSION, UUID_CHARS_MAX } from './limits.js'

const uuid = z.string().min(1).max(UUID_CHARS_MAX)
const timestamp = z.iso.datetime()
const count = z.int().min(0)
const byteOffset = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const json = z.unknown()

/** A string, or the provider's blocks, verbatim. */
const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])

/** Of an event that was appended again: the uuid of the original. */
const copiedFrom = uuid.optional()

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count.optional(),
  cache_write_tokens: count.optional(),
  raw: json.optional(),
})

const lineage = z.looseObject({
  session_id: z.string().min(1),
  tip_uuid: uuid.nullable(),
  tip_offset: byteOffset.nullable(),
  transcript_path: z.string(),
})

/** Which runtime records a session, and for which process; a renewal repeats all of it. */
const claim = z.looseObject({
  session_id: z.string().min(1),
  runtime_path: z.string().min(1),
  claimed_at: timestamp,
  expires_at: timestamp,
  pid: z.int().min(1),
  start: z.string().nullable(),
  boot: z.string().nullable(),
  ns: z.string().nullable(),
  host: z.string(),
})

const completionStatus = z.enum(['completed', 'timeout', 'aborted', 'failed', 'crashed'])

/** What a summarizer made of a session so far. */
const checkpointState = z.looseObject({
  summary: z.string().optional(),
  topics: z.array(z.string()).optional(),
  keyDecisions: z.array(z.string()).optional(),
  openQuestions: z.array(z.string()).optional(),
  nextSteps: z.array(z.string()).optional(),
  tokensAtCheckpoint: count.optional(),
  messageCount: count.optional(),
  model: z.string().optional(),
})

const memory = z.looseObject({
  content: z.string().min(1).max(100_000),
  memoryType: z
    .enum(['fact', 'skill', 'preference', 'constraint', 'task', 'episodic', 'correction'])
    .optional(),
  importance: z.int().min(1).max(5).optional(),
  confidence: z.int().min(1).max(5).optional(),
  entities: z.array(z.string()).optional(),
})

/** What a part of a checkpoint is called, so that storing it again is recognised, and its hash. */
const idempotencyKey = z.looseObject({ key: z.string().min(1), hash: z.string().min(1) })

/** One schema per record type: the payload, required fields first. */
export const payloadSchemas = {
  session_header: z.looseObject({
    format: z.int().min(1),
    session_id: z.string().min(1),
    start_ts: timestamp,
    resumed_from: lineage.nullable(),
    lib: z.looseObject({
      name: z.string(),
      version: z.string(),
      capture: z.enum(['native', 'hooks', 'import']),
    }),
    forked_from: z
      .looseObject({ session_id: z.string().min(1), at_uuid: uuid, base: byteOffset })
      .optional(),
    kind: z.enum(['interactive', 'headless', 'subagent']).optional(),
    tool_policy: z.enum(['synthesize', 'retry', 'drop']).optional(),
    parent_session_key: z.string().optional(),
    /** The parent was not named: it follows from the shape of the session's key. */
    parent_inferred: z.boolean().optional(),
    previous_session_key: z.string().optional(),
    harness: z.string().optional(),
    harness_agent_id: z.string().optional(),
    agent_id: z.string().optional(),
    agent_label: z.string().optional(),
    project: z.string().optional(),
    project_normalized: z.string().optional(),
    cwd: z.string().optional(),
  }),
  session_resumed: z.looseObject({
    at_ts: timestamp,
    source: z.enum(['resume', 'compact', 'startup']),
    gap_ms: count,
  }),
  user: z.looseObject({
    content,
    prompt_id: z.string().optional(),
    source: z.string().optional(),
    copied_from: copiedFrom,
  }),
  assistant: z.looseObject({
    content,
    model: z.string().optional(),
    usage: usage.optional(),
    stop_reason: z.string().nullable().optional(),
    message_id: z.string().optional(),
    partial: z.boolean().optional(),
    supersedes: uuid.optional(),
    copied_from: copiedFrom,
  }),
  tool_call: z.looseObject({
    tool_call_id: z.string().min(1),
    name: z.string(),
    input: json,
    idempotent: z.boolean().optional(),
    copied_from: copiedFrom,
  }),
  tool_result: z.looseObject({
    tool_call_id: z.string().min(1),
    content: json,
    is_error: z.boolean(),
    name: z.string().optional(),
    synthetic: z.boolean().optional(),
    attempt: count.optional(),
    copied_from: copiedFrom,
  }),
  system: z.looseObject({ content, copied_from: copiedFrom }),
  summary: z.looseObject({
    text: z.string(),
    tokens: count.optional(),
    model: z.string().optional(),
    structured: json.optional(),
  }),
  compaction_boundary: z.looseObject({
    headUuid: uuid.nullable(),
    anchorUuid: uuid,
    tailUuid: uuid.nullable(),
    summary_event_uuid: uuid,
    trigger: z.enum(['manual', 'auto', 'overflow', 'external']),
    strategy: z.enum(['checkpoint', 'primary', 'fallback', 'emergency', 'external']),
    epoch: z.int().min(1),
    offsets: z.looseObject({
      self: byteOffset,
      head: byteOffset.nullable(),
      tail: byteOffset.nullable(),
      summary: byteOffset.nullable(),
    }),
    tokens_before: count,
    messages_summarized: count,
    needs_summary_retry: z.boolean(),
    coveredFromUuid: uuid.optional(),
    coveredToUuid: uuid.optional(),
    keptUuids: z.array(uuid).optional(),
    kept: z
      .array(z.tuple([uuid, byteOffset]))
      .max(256)
      .optional(),
    tokens_after: count.optional(),
    keep_percent: z.number().optional(),
    checkpoint_id: z.string().optional(),
    details: z
      .looseObject({ read_files: z.array(z.string()), modified_files: z.array(z.string()) })
      .optional(),
    custom_instructions: z.string().optional(),
  }),
  rewind: z.looseObject({
    target_uuid: uuid,
    from_uuid: uuid,
    truncate_after: uuid.optional(),
    reason: z.string().optional(),
    copied_from: copiedFrom,
  }),
  subagent_spawn: z.looseObject({
    task_id: z.string().min(1),
    sidechain_path: z.string(),
    agent_type: z.string().optional(),
    spec_sha256: sha256.optional(),
    tool_call_id: z.string().optional(),
  }),
  subagent_result: z.looseObject({
    task_id: z.string().min(1),
    completion_status: completionStatus,
    summary: z.string(),
    sidechain_path: z.string(),
    bytes: count.nullable(),
    errors: z.array(z.string()),
    truncated: z.boolean().optional(),
    tokens: count.optional(),
    tool_call_id: z.string().optional(),
  }),
  summary_revision: z.looseObject({
    summary_event_uuid: uuid,
    boundary_uuid: uuid,
    text: z.string(),
    attempt: count,
    final: z.boolean(),
    model: z.string().optional(),
  }),
  message_edit: z.looseObject({
    target_uuid: uuid,
    payload: z.record(z.string(), z.unknown()).nullable(),
  }),
  memory_query: z.looseObject({
    text: z.string(),
    /** Keys of the memories that were returned. */
    recalled: z.array(z.string()).optional(),
    /** The last compaction before it: what was recalled is in the context until the next one. */
    boundary_uuid: uuid.nullable().optional(),
  }),
  remember: z.looseObject({
    text: z.string(),
    memoryType: z.string().optional(),
    importance: z.int().min(1).max(5).optional(),
  }),
  checkpoint_ref: z.looseObject({
    checkpoint_id: z.string(),
    trigger: z.string(),
    sha256,
    shard: z.string().optional(),
  }),
  extract_cursor: z.looseObject({
    offset: byteOffset,
    last_uuid: uuid.nullable(),
    delivered_chars: count,
    source: z.string().optional(),
    check: z.string().optional(),
  }),
  recovery_injected: z.looseObject({
    checkpoint_id: z.string(),
    boundary_uuid: uuid.nullable(),
    source: z.string(),
    chars: count,
    /**
     * What else the text was made of: ids of checkpoints and memories, uuids of the newest events of
     * transcripts.
     */
    sources: z.array(z.string()).optional(),
    /** The harness did not read it, so it is not in the context. */
    withdrawn: z.boolean().optional(),
  }),
  session_meta: z.looseObject({
    title: z.string().optional(),
    title_source: z.enum(['user', 'auto']).optional(),
    tags: z.array(z.string()).optional(),
    bypassed: z.boolean().optional(),
  }),
  file_checkpoint: z.looseObject({
    hash: sha256,
    files: z.array(
      z.looseObject({
        path: z.string(),
        sha256: sha256.nullable(),
        existed: z.boolean(),
        mode: z.int().min(0).max(0o777).optional(),
        bytes: count.optional(),
        skipped: z.string().optional(),
      }),
    ),
    at_uuid: uuid.nullable(),
    project_root: z.string().optional(),
    reason: z.string().optional(),
  }),
  imported: z.looseObject({
    format: z.string().min(1),
    path: z.string(),
    bytes: count,
    sha256,
    lines: count,
    events: count,
    tip_uuid: uuid.nullable(),
    dropped: z.record(z.string(), count),
    repaired: z.record(z.string(), count),
    kept_source: z.string().optional(),
    source: z.string().optional(),
    sources: count.optional(),
    uninterpreted: z.record(z.string(), count).optional(),
  }),
  turn_end: z.looseObject({
    prompt_id: z.string().optional(),
    stop_reason: z.string().nullable().optional(),
    error: z.string().optional(),
  }),
  session_terminator: z.looseObject({
    end_ts: timestamp,
    reason: z.string(),
    last_uuid: uuid.nullable(),
    events: count.nullable().optional(),
    bytes: count,
  }),
  sidechain_header: z.looseObject({
    format: z.int().min(1),
    task_id: z.string().min(1),
    parent_session_id: z.string().min(1),
    parent_uuid: uuid.nullable(),
    depth: count,
    start_ts: timestamp,
    parent_task_id: z.string().optional(),
    agent_type: z.string().optional(),
    tool_call_id: z.string().optional(),
  }),
  sidechain_terminator: z.looseObject({
    end_ts: timestamp,
    completion_status: completionStatus,
    summary: z.string(),
    summary_chars: count,
    bytes: count,
    truncated: z.boolean().optional(),
    tokens: count.optional(),
    reason: z.string().optional(),
  }),
  // The first five are what an index reads, by their place in the line: see checkpoint-mould.ts.
  checkpoint: z.looseObject({
    id: z.string().min(1),
    session_key: z.string().min(1),
    created_at: timestamp,
    project_normalized: z.string().nullable(),
    trigger: z.enum(['periodic', 'pre_compaction', 'agent', 'explicit', 'session_end']),
    agent_id: z.string(),
    harness: z.string(),
    project: z.string().nullable(),
    prompt_count: count,
    total_prompt_count: count,
    digest: z.string(),
    cause: z.string().optional(),
    memory_queries: z.array(z.string()).max(20).optional(),
    recent_remembers: z.array(z.string()).max(10).optional(),
    prompt_snippets: z.array(z.string()).max(10).optional(),
    transcript_offset: byteOffset.nullable().optional(),
    last_uuid: uuid.nullable().optional(),
    cycle: uuid.nullable().optional(),
    rolling: z
      .looseObject({ total_prompt_count: count, percent: z.number().nullable() })
      .optional(),
    structured: checkpointState.optional(),
    session_summary: z.string().optional(),
    memories: z.array(memory).max(50).optional(),
    agent_run_id: z.string().optional(),
    idempotency_keys: z.array(idempotencyKey).optional(),
    truncated: z.boolean().optional(),
  }),
  checkpoint_tombstone: z.looseObject({ target_id: z.string().min(1), reason: z.string() }),
  relocation: z.looseObject({
    from_normalized: z.string().min(1),
    to_normalized: z.string().min(1),
    from: z.string(),
    to: z.string(),
  }),
  retention: z.looseObject({
    command: z.string().min(1),
    path: z.string(),
    records_dropped: count,
    bytes_dropped: count,
    bytes_kept: count,
  }),
  session_moved: z.looseObject({
    command: z.enum(['archive', 'trash', 'restore', 'prune']),
    session_id: z.string().min(1),
    from: z.enum(['store', 'archive', 'trash']),
    to: z.enum(['store', 'archive', 'trash']).nullable(),
    files: count,
    bytes: count,
    last_activity: timestamp.nullable(),
    reason: z.string(),
  }),
  claim,
  claim_renewal: claim,
  claim_release: z.looseObject({ session_id: z.string().min(1) }),
  claim_bypass: z.looseObject({
    session_id: z.string().min(1),
    enabled: z.boolean(),
    expires_at: timestamp,
  }),
} as const

export type PayloadByType = {
  readonly [Type in keyof typeof payloadSchemas]: Readonly<z.infer<(typeof payloadSchemas)[Type]>>
}

const CRC = z.string().regex(/^[0-9a-f]{8}$/)

function envelope<Type extends z.ZodType, Payload extends z.ZodType>(type: Type, payload: Payload) {
  return z.looseObject({
    type,
    ts: timestamp,
    uuid,
    prev_uuid: uuid.nullable(),
    payload,
    crc: CRC.optional(),
  })
}

/** Any line of a log, whatever its type. */
export const eventSchema = envelope(
  z.string().regex(/^[a-z][a-z0-9_.:-]{0,63}$/),
  z.record(z.string(), z.unknown()),
)

/** One line of `history.jsonl`: bare, without an envelope. */
export const historyLineSchema = z.looseObject({
  ts: timestamp,
  prompt: z.string(),
  session_id: z.string().nullable(),
  project: z.string().optional(),
  event_uuid: uuid.optional(),
  crc: CRC.optional(),
})

/** The schema of a whole line of a known type; `undefined` for a type of another program. */
export function lineSchemaOf(type: string): z.ZodType | undefined {
  if (!Object.hasOwn(payloadSchemas, type)) return undefined
  const payload = payloadSchemas[type as keyof typeof payloadSchemas]
  return envelope(z.literal(type), payload)
}

/** The whole format as one JSON Schema (2020-12), as it is published beside the package. */
export function formatJsonSchema(): object {
  const lines = Object.entries(payloadSchemas).map(([type, payload]) => [
    type,
    z.toJSONSchema(envelope(z.literal(type), payload)),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `jsonl-session format ${FORMAT_VERSION}`,
    description: 'One definition per record type; `event` holds for every line of a log.',
    $defs: {
      ...Object.fromEntries(lines),
      event: z.toJSONSchema(eventSchema),
      history_line: z.toJSONSchema(historyLineSchema),
    },
  }
}
