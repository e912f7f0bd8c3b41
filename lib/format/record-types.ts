// The record types of format 1: in which kind of log they are, whether they are on the chain,
// and which of them are worth a sync under durability `turn`.
//
// These values are on users' disks. Adding a type is a minor change; a changed row is a new format.

/** `store`: the two logs about the store itself, of projects that moved and of what was dropped. */
export type Channel = 'transcript' | 'sidechain' | 'checkpoint' | 'claim' | 'store'

interface RecordType {
  readonly channels: readonly Channel[]
  readonly isOnChain: boolean
  /** Synced under `turn`: what must survive a power cut because other programs act on it next. */
  readonly isSyncPoint?: true
}

const CONVERSATION = ['transcript', 'sidechain'] as const
const TRANSCRIPT = ['transcript'] as const
const SIDECHAIN = ['sidechain'] as const
const CHECKPOINT = ['checkpoint'] as const
const STORE = ['store'] as const
const CLAIM = ['claim'] as const

/** Every record type, with the log kind it belongs to and its place in the chain. */
export const RECORD_TYPES = {
  session_header: { channels: TRANSCRIPT, isOnChain: true, isSyncPoint: true },
  session_resumed: { channels: TRANSCRIPT, isOnChain: true },
  user: { channels: CONVERSATION, isOnChain: true, isSyncPoint: true },
  assistant: { channels: CONVERSATION, isOnChain: true },
  tool_call: { channels: CONVERSATION, isOnChain: true, isSyncPoint: true },
  tool_result: { channels: CONVERSATION, isOnChain: true },
  system: { channels: CONVERSATION, isOnChain: true },
  summary: { channels: CONVERSATION, isOnChain: true },
  compaction_boundary: { channels: CONVERSATION, isOnChain: true, isSyncPoint: true },
  rewind: { channels: TRANSCRIPT, isOnChain: true },
  subagent_spawn: { channels: CONVERSATION, isOnChain: true },
  subagent_result: { channels: CONVERSATION, isOnChain: true },
  summary_revision: { channels: CONVERSATION, isOnChain: false },
  message_edit: { channels: CONVERSATION, isOnChain: false },
  memory_query: { channels: TRANSCRIPT, isOnChain: false },
  remember: { channels: TRANSCRIPT, isOnChain: false },
  checkpoint_ref: { channels: TRANSCRIPT, isOnChain: false },
  extract_cursor: { channels: TRANSCRIPT, isOnChain: false },
  recovery_injected: { channels: TRANSCRIPT, isOnChain: false },
  session_meta: { channels: TRANSCRIPT, isOnChain: false },
  file_checkpoint: { channels: TRANSCRIPT, isOnChain: false, isSyncPoint: true },
  imported: { channels: CONVERSATION, isOnChain: false },
  turn_end: { channels: CONVERSATION, isOnChain: false, isSyncPoint: true },
  session_terminator: { channels: TRANSCRIPT, isOnChain: false, isSyncPoint: true },
  sidechain_header: { channels: SIDECHAIN, isOnChain: true, isSyncPoint: true },
  sidechain_terminator: { channels: SIDECHAIN, isOnChain: false, isSyncPoint: true },
  checkpoint: { channels: CHECKPOINT, isOnChain: false, isSyncPoint: true },
  checkpoint_tombstone: { channels: CHECKPOINT, isOnChain: false, isSyncPoint: true },
  relocation: { channels: STORE, isOnChain: false, isSyncPoint: true },
  retention: { channels: STORE, isOnChain: false, isSyncPoint: true },
  session_moved: { channels: STORE, isOnChain: false, isSyncPoint: true },
  claim: { channels: CLAIM, isOnChain: false },
  claim_renewal: { channels: CLAIM, isOnChain: false },
  claim_release: { channels: CLAIM, isOnChain: false },
  claim_bypass: { channels: CLAIM, isOnChain: false },
} as const satisfies Record<string, RecordType>

const BY_NAME: ReadonlyMap<string, RecordType> = new Map(Object.entries(RECORD_TYPES))

const TYPE_NAME = /^[a-z][a-z0-9_.:-]{0,63}$/

export function isTypeName(type: string): boolean {
  return TYPE_NAME.test(type)
}

/** Whether the event can be part of the conversation. Unknown types say it by their link. */
export function isOnChain(event: { type: string; prev_uuid?: string | null | undefined }): boolean {
  return BY_NAME.get(event.type)?.isOnChain ?? typeof event.prev_uuid === 'string'
}

/** `undefined` for a type this version does not know: only its writer knows. */
export function isOnChainType(type: string): boolean | undefined {
  return BY_NAME.get(type)?.isOnChain
}

/** What is said to the model or by it. */
export const MESSAGE_TYPES: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'tool_call',
  'tool_result',
  'system',
  'subagent_result',
  'summary',
])

export function isHeaderType(type: string): boolean {
  return type === 'session_header' || type === 'sidechain_header'
}

/** On the chain, and not only a note that the session began or resumed: makes a session non-empty. */
export function isOwnEvent(event: {
  type: string
  prev_uuid?: string | null | undefined
}): boolean {
  return isOnChain(event) && !isHeaderType(event.type) && event.type !== 'session_resumed'
}

/** Returns whether durability `turn` syncs after an event of this type. */
export function isSyncPoint(type: string): boolean {
  return BY_NAME.get(type)?.isSyncPoint === true
}

/** Unknown types are legal on the conversation channels, and nowhere else. */
export function belongsTo(channel: Channel, type: string): boolean {
  const known = BY_NAME.get(type)
  return known === undefined ? isConversation(channel) : known.channels.includes(channel)
}

/** Whether events of this kind of file follow each other; where the kind is unknown, they may. */
export function hasChain(channel: Channel | undefined): boolean {
  return channel === undefined || isConversation(channel)
}

function isConversation(channel: Channel): boolean {
  return channel === 'transcript' || channel === 'sidechain'
}

// The lines of an export that no log has: what begins here, what is missing, and that all is there.
// Their types belong to no log, so every reader of the format keeps and ignores them.

/** Reasons of damage as format 1 of an export spells them, where the diagnostic code is another. */
export const EXPORTED_REASONS = {
  partial_tail: 'torn_tail',
  interrupted_record: 'spliced_record',
} as const

export function exportedReason(code: string): string {
  return (EXPORTED_REASONS as Readonly<Record<string, string>>)[code] ?? code
}

/** The newest version; in the payload of the first line. 2: with the sessions that it continues. */
export const EXPORT_VERSION = 2

export const EXPORT_TYPES = {
  begin: 'export.begin',
  log: 'export.log',
  damage: 'export.damage',
  end: 'export.end',
} as const
