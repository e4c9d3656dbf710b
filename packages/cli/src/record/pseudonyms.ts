/**
 * Replaces account ids and order ids in a recording with pseudonyms. Equal ids have equal pseudonyms in all
 * recordings with the same app secret. Without the secret, an attacker cannot find ids by trying candidates.
 */
import { createHash, createHmac } from 'node:crypto'
import { REDACTED } from '@brokerwire/core'
import { createWorkBudget, IdIndex, replaceIds, type WorkBudget } from './id-index.ts'
import { type NamePath, replaceInJson } from './replace-in-json.ts'

/** Replaces ids. */
export interface Pseudonyms {
  /**
   * Returns the pseudonym of an id. The pseudonym has the same classes of characters, and at least twelve
   * characters.
   */
  pseudonymize(id: string): string
  /**
   * Replaces ids and secrets (by field name) in JSON text. Returns `undefined` if the text is not JSON, or if
   * the search would take too long because many ids have the same prefix.
   */
  replaceInJsonText(text: string): string | undefined
  /** Replaces known accounts in other text. Returns {@link WITHHELD} if that would take too long. */
  replaceInText(text: string): string
}

/**
 * Returns the letters and digits of a name in lower case, because some published examples have names with
 * spaces.
 */
const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')

const ACCOUNT = /accounts?(?:ids?|numbers?|nos?|nums?)?$/
const OTHER_ID = /(?:orders?|application|achrelationship|user|customer|position)(?:ids?|numbers?|nos?|nums?)$/
const HOLDER = /(?:accounts?|orders?|customers?|users?)$/
const PART = /^(?:id|ids|number|no|num)$/
const SECRET = /(?:token|secret|password|passwd|authorization|credentials?|signature)$/

const MAX_ACCOUNTS = 10_000
/** Longer ids are hashed before the pseudonym is derived. */
const MAX_UNHASHED_CHARACTERS = 256
/** Replacement for a string in which the search for ids would take too long. */
export const WITHHELD = '[text withheld: too many ids with the same prefix]'
const MIN_LENGTH = 12
/** Maximum number of levels of JSON inside JSON strings. */
const MAX_DEPTH = 3

type FieldMeaning = 'account' | 'id' | 'secret' | undefined

function classifyField(place: NamePath): FieldMeaning {
  const name = normalizeName(place.at(-1) ?? '')
  const holder = normalizeName(place.at(-2) ?? '')
  if (SECRET.test(name)) return 'secret'
  if (ACCOUNT.test(name)) return 'account'
  if (OTHER_ID.test(name)) return 'id'
  if (PART.test(name) && HOLDER.test(holder)) return ACCOUNT.test(holder) ? 'account' : 'id'
  return undefined
}

/** @param accounts - Account ids that are known from the start. */
export function createPseudonyms(appSecret: string, accounts: readonly string[]): Pseudonyms {
  const key = createHmac('sha256', appSecret).update('brokerwire recording').digest()
  const knownAccounts = new IdIndex()
  for (const account of accounts) knownAccounts.add(account)

  const pseudonymize = (id: string): string => {
    const letters = id.replace(/\d/g, '')
    const alphabet = /^[a-f-]*$/i.test(letters) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz'
    const units = [...id.padEnd(MIN_LENGTH, id.at(-1) ?? '0')]
    const source = id.length > MAX_UNHASHED_CHARACTERS ? createHash('sha256').update(id).digest('hex') : id
    let digest: Buffer = Buffer.alloc(0)
    return units
      .map((unit, index) => {
        if (index % 32 === 0) digest = createHmac('sha256', key).update(`${index} ${source}`).digest()
        const byte = digest[index % 32] ?? 0
        // A number does not start with 0.
        if (/\d/.test(unit)) return String(index === 0 ? 1 + (byte % 9) : byte % 10)
        const letter = alphabet[byte % alphabet.length] ?? 'x'
        if (/[a-z]/.test(unit)) return letter
        if (/[A-Z]/.test(unit)) return letter.toUpperCase()
        return /[-_.:/ ]/.test(unit) ? unit : letter
      })
      .join('')
  }

  const inJson = (text: string, depth: number, work: WorkBudget): string | undefined => {
    const localIds = new IdIndex()
    const isJson = replaceInJson(text, (value, place, type) => {
      const meaning = type === 'name' ? undefined : classifyField(place)
      if (meaning === 'account' || meaning === 'id') localIds.add(value)
      if (meaning === 'account' && knownAccounts.size < MAX_ACCOUNTS) knownAccounts.add(value)
      return undefined
    })
    if (isJson === undefined) return undefined
    const replaceKnownIds = (value: string): string | undefined =>
      undefinedIfEqual(value, replaceIds(value, [localIds, knownAccounts], pseudonymize, work))
    return replaceInJson(text, (value, place, type) => {
      if (type === 'name') return replaceKnownIds(value)
      switch (classifyField(place)) {
        case 'secret':
          if (type === 'number') return '0'
          return value === '' ? undefined : REDACTED
        case 'account':
        case 'id':
          if (value === '') return undefined
          return type === 'number' ? pseudonymize(value.replace(/\D/g, '')) : pseudonymize(value)
        default:
          if (type === 'number')
            return localIds.has(value) || knownAccounts.has(value) ? pseudonymize(value) : undefined
          if (depth > 0 && /^\s*[[{]/.test(value)) {
            const inner = inJson(value, depth - 1, work)
            if (inner !== undefined) return undefinedIfEqual(value, inner)
          }
          return replaceKnownIds(value)
      }
    })
  }

  return {
    pseudonymize,
    replaceInJsonText(text) {
      const work = createWorkBudget(text.length)
      const left = inJson(text, MAX_DEPTH, work)
      return work.steps < 0 ? undefined : left
    },
    replaceInText(text) {
      const work = createWorkBudget(text.length)
      const left = replaceIds(text, [knownAccounts], pseudonymize, work)
      return work.steps < 0 ? WITHHELD : left
    },
  }
}

/** Returns `undefined` for an unchanged string, which is then written byte for byte. */
const undefinedIfEqual = (before: string, after: string): string | undefined =>
  after === before ? undefined : after
