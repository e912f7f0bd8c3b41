// Nothing is silent: every tolerance of a reader and every oddity of a writer has a code.

/** Code → severity. `info` costs nothing, `warning` was repaired or is doubtful, `error` lost something. */
export const DIAGNOSTIC_SEVERITY = {
  missing_newline: 'info',
  partial_tail: 'warning',
  nul_padding: 'warning',
  byte_order_mark: 'info',
  concatenated_records: 'warning',
  interrupted_record: 'error',
  bad_line: 'error',
  crc_mismatch: 'error',
  unverified: 'warning',
  oversize_line: 'error',
  duplicate_uuid: 'warning',
  extra_header: 'warning',
  missing_header: 'warning',
  dangling_prev: 'error',
  unlinked: 'warning',
  format_too_new: 'warning',
  bad_payload: 'warning',
  compaction_uncommitted: 'warning',
  compaction_head_missing: 'warning',
  compaction_tail_mismatch: 'warning',
  compaction_entry_missing: 'warning',
  rewind_target_missing: 'warning',
  parent_session_missing: 'error',
  parent_event_missing: 'error',
  context_cut: 'error',
  lineage_cycle: 'error',
  orphan_tool_result: 'warning',
  open_tool_call: 'warning',
  moved_tool_result: 'info',
  ill_formed_unicode: 'warning',
  file_replaced: 'warning',
  foreign_writer: 'warning',
  lock_compromised: 'warning',
  queued_event_refused: 'warning',
  spool_unreadable: 'warning',
  redaction_failed: 'error',
  history_near_limit: 'warning',
  history_not_rotated: 'warning',
  history_not_written: 'warning',
  idempotency_conflict: 'warning',
  unreadable_file: 'error',
  sidechain_near_cap: 'warning',
  many_sidechains: 'warning',
  invalid_setting: 'warning',
  checkpoint_delayed: 'warning',
  checkpoint_lost: 'error',
  rolling_checkpoint_failed: 'warning',
  recovery_failed: 'warning',
  transcript_not_matched: 'warning',
  cursor_mismatch: 'warning',
  transcript_path_refused: 'warning',
  permission_state_left_out: 'warning',
  file_not_saved: 'warning',
  listener_failed: 'warning',
  file_elsewhere: 'warning',
  file_checkpoint_foreign: 'warning',
  blob_missing: 'error',
  blob_damaged: 'error',
} as const

export type DiagnosticCode = keyof typeof DIAGNOSTIC_SEVERITY

/** Something that was tolerated and reported. `byte_offset` and `line_number` are named as in an entry. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: 'info' | 'warning' | 'error'
  readonly message: string
  readonly file?: string | undefined
  readonly line_number?: number | undefined
  readonly byte_offset?: number | undefined
  readonly length?: number | undefined
  readonly uuid?: string | undefined
}

export function diagnostic(
  code: DiagnosticCode,
  message: string,
  where: Omit<Diagnostic, 'code' | 'severity' | 'message'> = {},
): Diagnostic {
  return { code, severity: DIAGNOSTIC_SEVERITY[code], message, ...where }
}
