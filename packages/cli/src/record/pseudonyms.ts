/**
 * Account and order ids of a recording become pseudonyms: the same id the same one, in every recording that was made with
 * the same app secret, and nobody without it can try ids until one fits.
 */
import { createHmac } from 'node:crypto'
import { REDACTED } from '@brokerwire/core'
import { type Place, replaceInJson } from './json-text.ts'

/** Replaces ids. */
export interface Pseudonyms {
  /** The pseudonym of an id: letters and digits where it has some, at least twelve characters. */
  of(id: string): string
  /** A JSON text without ids and without values that are named as secrets; `undefined` where it is no JSON. */
  inJson(text: string): string | undefined
  /** Any other text: without the accounts that are known by now. */
  inText(text: string): string
}

/** Letters and digits of a name, in lower case: published examples write names with spaces, too. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

const ACCOUNT = /accounts?(?:ids?|numbers?|nos?|nums?)?$/
const OTHER_ID = /(?:orders?|application|achrelationship|user|customer|position)(?:ids?|numbers?|nos?|nums?)$/
const HOLDER = /(?:accounts?|orders?|customers?|users?)$/
const PART = /^(?:id|ids|number|no|num)$/
const SECRET = /(?:token|secret|password|passwd|authorization|credentials?|signature)$/

const MAX_ACCOUNTS = 10_000
/** Shorter ones would be found where nobody wrote them. */
const MIN_FOUND = 6
const MIN_LENGTH = 12
/** JSON within a text within JSON. */
const MAX_DEPTH = 3

type Meaning = 'account' | 'id' | 'secret' | undefined

function meaningOf(place: Place): Meaning {
  const name = plain(place.at(-1) ?? '')
  const holder = plain(place.at(-2) ?? '')
  if (SECRET.test(name)) return 'secret'
  if (ACCOUNT.test(name)) return 'account'
  if (OTHER_ID.test(name)) return 'id'
  if (PART.test(name) && HOLDER.test(holder)) return ACCOUNT.test(holder) ? 'account' : 'id'
  return undefined
}

/** @param accounts - Known from the start. */
export function createPseudonyms(appSecret: string, accounts: readonly string[]): Pseudonyms {
  const key = createHmac('sha256', appSecret).update('brokerwire recording').digest()
  const known = new Set(accounts.filter(({ length }) => length >= MIN_FOUND))

  const of = (id: string): string => {
    const letters = id.replace(/\d/g, '')
    const alphabet = /^[a-f-]*$/i.test(letters) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
    const units = [...id.padEnd(MIN_LENGTH, id.at(-1) ?? '0')]
    let drawn: Buffer = Buffer.alloc(0)
    return units
      .map((unit, index) => {
        if (index % 32 === 0) drawn = createHmac('sha256', key).update(`${index} ${id}`).digest()
        const byte = drawn[index % 32] ?? 0
        // A number does not begin with 0.
        if (/\d/.test(unit)) return String(index === 0 ? 1 + (byte % 9) : byte % 10)
        const letter = alphabet[byte % alphabet.length] ?? 'x'
        if (/[a-z]/.test(unit)) return letter
        if (/[A-Z]/.test(unit)) return letter.toUpperCase()
        return /[-_.:/ ]/.test(unit) ? unit : letter
      })
      .join('')
  }

  const without = (text: string, ids: Iterable<string>): string => {
    let left = text
    // The longest first: an id may stand within another.
    for (const id of [...ids].sort((one, other) => other.length - one.length)) {
      if (left.includes(id)) left = left.replaceAll(id, of(id))
    }
    return left
  }

  const inJson = (text: string, depth: number): string | undefined => {
    const here = new Set<string>()
    const isJson = replaceInJson(text, (value, place, type) => {
      const meaning = type === 'name' ? undefined : meaningOf(place)
      if (meaning === 'account' || meaning === 'id') {
        if (value.length >= MIN_FOUND) here.add(value)
        if (meaning === 'account' && value.length >= MIN_FOUND && known.size < MAX_ACCOUNTS) known.add(value)
      }
      return undefined
    })
    if (isJson === undefined) return undefined
    for (const account of known) here.add(account)
    return replaceInJson(text, (value, place, type) => {
      if (type === 'name') return here.size === 0 ? undefined : changed(value, without(value, here))
      switch (meaningOf(place)) {
        case 'secret':
          if (type === 'number') return '0'
          return value === '' ? undefined : REDACTED
        case 'account':
        case 'id':
          if (value === '') return undefined
          return type === 'number' ? of(value.replace(/\D/g, '')) : of(value)
        default:
          if (type === 'number') return here.has(value) ? of(value) : undefined
          if (depth > 0 && /^\s*[[{]/.test(value)) {
            const inner = inJson(value, depth - 1)
            if (inner !== undefined) return changed(value, inner)
          }
          return changed(value, without(value, here))
      }
    })
  }

  return {
    of,
    inJson: (text) => inJson(text, MAX_DEPTH),
    inText: (text) => without(text, known),
  }
}

/** A text that stays is written as it was. */
const changed = (before: string, after: string): string | undefined => (after === before ? undefined : after)
