/**
 * Replaces account and order ids in a recording by pseudonyms. Equal ids have equal pseudonyms in every recording with
 * the same app secret. Without the secret, ids cannot be found by trying candidates.
 */
import { createHash, createHmac } from 'node:crypto'
import { REDACTED } from '@brokerwire/core'
import { IdIndex, replaceIds, type Work, workFor } from './id-index.ts'
import { type Place, replaceInJson } from './json-text.ts'

/** Replaces ids. */
export interface Pseudonyms {
  /** The pseudonym of an id: the same character classes, at least twelve characters. */
  of(id: string): string
  /**
   * Replaces ids and secrets (by field name) in JSON text. `undefined` if it is not JSON, or if finding the ids would
   * take too long because many have the same prefix.
   */
  inJson(text: string): string | undefined
  /** Replaces known accounts in other text; {@link WITHHELD} if that would take too long. */
  inText(text: string): string
}

/** Letters and digits of a name in lower case: published examples also have names with spaces. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

const ACCOUNT = /accounts?(?:ids?|numbers?|nos?|nums?)?$/
const OTHER_ID = /(?:orders?|application|achrelationship|user|customer|position)(?:ids?|numbers?|nos?|nums?)$/
const HOLDER = /(?:accounts?|orders?|customers?|users?)$/
const PART = /^(?:id|ids|number|no|num)$/
const SECRET = /(?:token|secret|password|passwd|authorization|credentials?|signature)$/

const MAX_ACCOUNTS = 10_000
/** Longer ids are hashed before the pseudonym is derived. */
const MAX_DRAWN_FROM = 256
/** Replaces a text in which finding ids would take too long. */
export const WITHHELD = '[text withheld: too many ids begin alike]'
const MIN_LENGTH = 12
/** Levels of JSON inside JSON strings. */
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

/** @param accounts - Account ids that are known from the start. */
export function createPseudonyms(appSecret: string, accounts: readonly string[]): Pseudonyms {
  const key = createHmac('sha256', appSecret).update('brokerwire recording').digest()
  const known = new IdIndex()
  for (const account of accounts) known.add(account)

  const of = (id: string): string => {
    const letters = id.replace(/\d/g, '')
    const alphabet = /^[a-f-]*$/i.test(letters) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
    const units = [...id.padEnd(MIN_LENGTH, id.at(-1) ?? '0')]
    const source = id.length > MAX_DRAWN_FROM ? createHash('sha256').update(id).digest('hex') : id
    let drawn: Buffer = Buffer.alloc(0)
    return units
      .map((unit, index) => {
        if (index % 32 === 0) drawn = createHmac('sha256', key).update(`${index} ${source}`).digest()
        const byte = drawn[index % 32] ?? 0
        // A number does not start with 0.
        if (/\d/.test(unit)) return String(index === 0 ? 1 + (byte % 9) : byte % 10)
        const letter = alphabet[byte % alphabet.length] ?? 'x'
        if (/[a-z]/.test(unit)) return letter
        if (/[A-Z]/.test(unit)) return letter.toUpperCase()
        return /[-_.:/ ]/.test(unit) ? unit : letter
      })
      .join('')
  }

  const inJson = (text: string, depth: number, work: Work): string | undefined => {
    const here = new IdIndex()
    const isJson = replaceInJson(text, (value, place, type) => {
      const meaning = type === 'name' ? undefined : meaningOf(place)
      if (meaning === 'account' || meaning === 'id') here.add(value)
      if (meaning === 'account' && known.size < MAX_ACCOUNTS) known.add(value)
      return undefined
    })
    if (isJson === undefined) return undefined
    const without = (value: string): string | undefined =>
      changed(value, replaceIds(value, [here, known], of, work))
    return replaceInJson(text, (value, place, type) => {
      if (type === 'name') return without(value)
      switch (meaningOf(place)) {
        case 'secret':
          if (type === 'number') return '0'
          return value === '' ? undefined : REDACTED
        case 'account':
        case 'id':
          if (value === '') return undefined
          return type === 'number' ? of(value.replace(/\D/g, '')) : of(value)
        default:
          if (type === 'number') return here.has(value) || known.has(value) ? of(value) : undefined
          if (depth > 0 && /^\s*[[{]/.test(value)) {
            const inner = inJson(value, depth - 1, work)
            if (inner !== undefined) return changed(value, inner)
          }
          return without(value)
      }
    })
  }

  return {
    of,
    inJson(text) {
      const work = workFor(text.length)
      const left = inJson(text, MAX_DEPTH, work)
      return work.steps < 0 ? undefined : left
    },
    inText(text) {
      const work = workFor(text.length)
      const left = replaceIds(text, [known], of, work)
      return work.steps < 0 ? WITHHELD : left
    },
  }
}

/** `undefined` for an unchanged text, which is written byte for byte. */
const changed = (before: string, after: string): string | undefined => (after === before ? undefined : after)
