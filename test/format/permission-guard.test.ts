// Which names are permission state, and where they are looked for.

import { describe, expect, it } from 'vitest'
import {
  findPermissionState,
  isPermissionKey,
  isPermissionType,
  NESTING_MAX,
  withoutPermissionState,
} from '../../lib/format/index.js'

describe('names are compared whole, without case, - and _', () => {
  it.each([
    'permission-mode',
    'PERMISSION_MODE',
    'permissionMode',
    'allowed-tools',
    'always_allow',
    'trustLevel',
    'toolPermissions',
    'grantedPermissions',
    'permissionDecision',
    'dangerouslySkipPermissions',
    'file_system_sandbox_policy',
    'active_permission_profile',
  ])('%s', (name) => {
    expect(isPermissionKey(name)).toBe(true)
    expect(isPermissionKey(`${name}x`)).toBe(false)
    expect(isPermissionKey(`x${name}`)).toBe(false)
  })

  it.each([
    ['grant', true],
    ['allow_rule', true],
    ['permission_grant', true],
    ['acme:permission-grant', true],
    ['acme:sub:grant', true],
    ['approval.given', true],
    ['permission:request', true],
    ['acme:immigrant', false],
    ['acme:disapproval', false],
    ['user', false],
  ])('the type %s: %s', (type, isRefused) => {
    expect(isPermissionType(type)).toBe(isRefused)
  })
})

describe('what is looked at', () => {
  const free = { permissions: 1 }

  it.each([
    ['acme:x', { a: { b: [{ c: 1 }, [{ permissions: 1 }]] } }, 'payload.a.b.1.0.permissions'],
    [
      'assistant',
      { content: [{ type: 'text', allowedTools: [] }] },
      'payload.content.0.allowedTools',
    ],
    ['tool_result', { meta: free }, 'payload.meta.permissions'],
    ['tool_result', { meta: { content: free } }, 'payload.meta.content.permissions'],
    ['imported', { repaired: { permission_state: 1 } }, 'payload.repaired.permission_state'],
    ['imported', { repaired: { dropped: free } }, 'payload.repaired.dropped.permissions'],
  ])('%s %j', (type, payload, place) => {
    expect(findPermissionState(type, payload)).toBe(`the field ${place}`)
  })

  it.each([
    ['tool_call', { input: free }],
    ['tool_result', { content: free }],
    ['assistant', { content: [{ type: 'tool_use', input: free }] }],
    ['user', { content: [{ type: 'tool_result', content: [free] }] }],
    ['user', { content: [{ role: 'toolResult', details: free }] }],
    ['acme:x', { output: free, arguments: free, toolUseResult: free }],
    ['acme:x', { text: 'permissions: all', list: [1, null, 'x'], none: null }],
    ['imported', { dropped: { permission_state: 1 } }],
  ])('not in %s %j', (type, payload) => {
    expect(findPermissionState(type, payload)).toBeUndefined()
    if (type === 'imported') return
    const isResult = type === 'tool_result'
    expect(withoutPermissionState(payload, { isResult })).toEqual({ value: payload, removed: 0 })
  })

  it('deeper than a payload may nest nothing is looked at, nor in a cycle', () => {
    const cycle: Record<string, unknown> = {}
    cycle['again'] = cycle
    cycle['list'] = [cycle]
    expect(findPermissionState('acme:x', cycle)).toBeUndefined()
    let deep: unknown = { permissions: 1 }
    for (let level = 0; level < 2 * NESTING_MAX; level++) deep = level % 2 === 0 ? [deep] : { deep }
    expect(findPermissionState('acme:x', { deep })).toBeUndefined()
    expect(withoutPermissionState({ deep }).removed).toBe(0)
    const lists: unknown[] = []
    lists.push(lists)
    expect(findPermissionState('acme:x', { lists })).toBeUndefined()
  })
})

describe('what is left out', () => {
  it('is every such field, and everything else stays the same object', () => {
    const kept = { b: [1] }
    const value = { a: kept, permissions: 1, list: [{ x: 1, trust_level: 2 }, 'y', null], n: null }
    const { value: left, removed } = withoutPermissionState(value)
    expect(left).toEqual({ a: { b: [1] }, list: [{ x: 1 }, 'y', null], n: null })
    expect(left.a).toBe(kept)
    expect(removed).toBe(2)
    expect(value.permissions).toBe(1)
  })

  it('is found beside and below other fields that are left out, and the given value stays', () => {
    const value = {
      permissions: 1,
      a: { trust_level: 2, x: 1 },
      list: [{ grants: 1 }, { grants: 2 }],
    }
    const given = structuredClone(value)
    expect(withoutPermissionState(value)).toEqual({
      value: { a: { x: 1 }, list: [{}, {}] },
      removed: 4,
    })
    expect(value).toEqual(given)
  })

  it('is also what is below the answer of a tool, in a field that is not the answer', () => {
    const value = { content: { permissions: 1 }, meta: { content: { permissions: 1 } } }
    expect(withoutPermissionState(value, { isResult: true })).toEqual({
      value: { content: { permissions: 1 }, meta: { content: {} } },
      removed: 1,
    })
  })

  it('is nothing of a value that is no object', () => {
    expect(withoutPermissionState('permissions')).toEqual({ value: 'permissions', removed: 0 })
  })
})
