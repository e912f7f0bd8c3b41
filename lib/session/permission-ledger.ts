// What the user has allowed in this process. Permissions are granted again in every session, so this
// can be neither loaded nor saved.

import { NEVER_WRITTEN } from '../format/index.js'

/** Permissions of one process, in memory only. */
export class PermissionLedger {
  readonly #grants = new Set<string>()

  /** Always false: a ledger starts empty, also after a resume and after a fork. */
  readonly restored = false

  // A payload that contains a ledger, at any depth, is rejected before a byte is written.
  readonly [NEVER_WRITTEN] = true

  /** Allows a scope. */
  grant(scope: string): void {
    this.#grants.add(scope)
  }

  /** Takes a scope back. */
  revoke(scope: string): void {
    this.#grants.delete(scope)
  }

  /** Returns whether a scope is allowed. */
  has(scope: string): boolean {
    return this.#grants.has(scope)
  }

  /** How many scopes are allowed. */
  get size(): number {
    return this.#grants.size
  }

  /** Throws: a ledger is never written. */
  toJSON(): never {
    throw new TypeError('A permission ledger lives in memory only and is never written')
  }
}
