/** Executes the subscribe and unsubscribe calls, or returns their error responses. */
import type { Clock } from '@brokerwire/core'
import type { QuotesSettings } from './quotes-options.ts'
import { type QuoteSession, type QuoteSessions, SUB_TYPES, type SubType, symbolKey } from './sessions.ts'

/** Path prefixes of the calls in both path families (facts, market data). */
export const STREAMING_PREFIXES = ['/market-data/streaming', '/openapi/market-data/streaming'] as const

const CATEGORIES = new Set([
  'US_STOCK',
  'US_ETF',
  'US_OPTION',
  'US_CRYPTO',
  'US_FUTURES',
  'US_EVENT',
  'HK_STOCK',
  'HK_ETF',
  'HK_FUTURES',
  'CN_STOCK',
])
const DEFAULT_DEPTH = 10
const MAX_SYMBOLS_PER_CALL = 100
/** Maximum length of a symbol, which limits the memory of a session. */
const MAX_SYMBOL_CHARACTERS = 64

/** Error response of a rejected call. */
export interface StreamingError {
  readonly status: 400 | 417
  readonly code: string
  readonly message: string
}

export interface StreamingCallContext {
  readonly settings: QuotesSettings
  readonly sessions: QuoteSessions
  readonly clock: Clock
  /** Whether a symbol is one of those that do not exist: see `setUnknownSymbols()`. */
  readonly isUnknown: (symbol: string) => boolean
  /** Called if a session requests the current values of its new subscriptions. */
  readonly onSnapshotRequest: (session: QuoteSession, keys: readonly string[]) => void
}

type Body = Readonly<Record<string, unknown>>

const createError = (code: string, message: string, status: 400 | 417 = 417): StreamingError => ({
  status,
  code,
  message,
})

/**
 * Returns the groups of symbols in a call. The body itself is one group, or contains a list of several
 * groups.
 */
function parseGroups(
  body: Body,
): readonly { readonly category: unknown; readonly symbols: unknown }[] | undefined {
  const { category, symbols, category_symbols: several } = body
  if (several === undefined) return [{ category, symbols }]
  return Array.isArray(several) ? (several as { category: unknown; symbols: unknown }[]) : undefined
}

function parseTypes(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.split(',')
  return Array.isArray(value) && value.every((type) => typeof type === 'string') ? value : undefined
}

interface SymbolGroup {
  readonly category: string
  readonly symbols: readonly string[]
}

/** @returns The parsed call, or the reason why it is rejected. */
function parseCall(
  body: Body,
  isUnknown: (symbol: string) => boolean,
): { readonly groups: readonly SymbolGroup[]; readonly types: readonly SubType[] } | StreamingError {
  const types = parseTypes(body.sub_types)
  if (types === undefined || types.length === 0)
    return createError('INVALID_PARAMETER', 'sub_types must be a non-empty list')
  const unsupported = types.filter((type) => !SUB_TYPES.includes(type as SubType))
  if (unsupported.length > 0)
    return createError('UNSUPPORTED_SUB_TYPE', `Subtype not supported:${unsupported.join('')}`)
  const groups: SymbolGroup[] = []
  for (const { category, symbols } of parseGroups(body) ?? []) {
    if (typeof category !== 'string' || !CATEGORIES.has(category)) {
      return createError('UNSUPPORTED_CATEGORY', 'The category is not supported.')
    }
    const isList =
      Array.isArray(symbols) && symbols.every((symbol) => typeof symbol === 'string' && symbol !== '')
    if (!isList || symbols.length === 0)
      return createError('INVALID_PARAMETER', 'symbols must be a non-empty list of strings')
    if (symbols.length > MAX_SYMBOLS_PER_CALL)
      return createError('INVALID_PARAMETER', `symbols must have at most ${MAX_SYMBOLS_PER_CALL} items`)
    if (symbols.some((symbol: string) => symbol.length > MAX_SYMBOL_CHARACTERS)) {
      return createError(
        'INVALID_PARAMETER',
        `symbols must have at most ${MAX_SYMBOL_CHARACTERS} characters each`,
      )
    }
    const unknown = symbols.filter(isUnknown)
    if (unknown.length > 0) {
      return createError(
        'INVALID_SYMBOL',
        `The symbols does not exist in the category. [${unknown.join(', ')}]`,
      )
    }
    groups.push({ category, symbols })
  }
  return groups.length === 0
    ? createError('INVALID_PARAMETER', 'symbols must be a non-empty list')
    : { groups, types: types as SubType[] }
}

/**
 * Executes a call.
 *
 * @returns The reason why the call was rejected. `undefined` on success.
 */
export function executeStreamingCall(
  action: 'subscribe' | 'unsubscribe',
  appKey: string,
  body: Body,
  context: StreamingCallContext,
): StreamingError | undefined {
  const { sessions, settings } = context
  const { session_id: id } = body
  if (typeof id !== 'string' || id === '') {
    return createError('ILLEAGAL_PARAMETER', 'session_id is missing', 400)
  }
  const session = sessions.find(appKey, id)
  if (session === undefined) {
    return createError('INVALID_SESSION', `Mqtt connection not exist for session:${id}`)
  }
  if (action === 'unsubscribe' && body.unsubscribe_all === true) {
    session.symbols.clear()
    return undefined
  }
  const call = parseCall(body, context.isUnknown)
  if ('code' in call) return call
  const keys = call.groups.flatMap(({ category, symbols }) =>
    symbols.map((symbol) => symbolKey(category, symbol)),
  )
  if (action === 'subscribe' && new Set([...session.symbols.keys(), ...keys]).size > settings.maxSymbols) {
    return createError(
      'TOO_MANY_SYMBOLS_SUBSCRIPTION',
      `At most ${settings.maxSymbols} symbols for each session.`,
    )
  }
  const depth = Number(body.depth ?? DEFAULT_DEPTH)
  for (const { category, symbols } of call.groups) {
    for (const symbol of symbols) {
      const key = symbolKey(category, symbol)
      const types = new Set(session.symbols.get(key)?.types)
      for (const type of call.types) {
        if (action === 'subscribe') types.add(type)
        else types.delete(type)
      }
      if (types.size === 0) session.symbols.delete(key)
      else {
        session.symbols.set(key, {
          category,
          symbol,
          types,
          depth: Number.isInteger(depth) && depth > 0 ? depth : DEFAULT_DEPTH,
          overnight: body.overnight_required === true,
        })
      }
    }
  }
  if (action === 'subscribe' && body.grab === 'true') context.onSnapshotRequest(session, keys)
  return undefined
}
