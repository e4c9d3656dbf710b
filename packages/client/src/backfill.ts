/** The option `backfill`: a backfill of order events for each stream that has them. */
import type { Clock, StateItem } from '@brokerwire/core'
import { type FieldsOf, isRecord, omit, readOptions, type Schema, typeName } from '@brokerwire/core/internal'
import type { EdgeBrokerage } from '@brokerwire/edge'
import { createOrderBackfill, type OrderBackfillOptions } from '@brokerwire/orders'
import { ORDER_BACKFILL_OPTIONS } from '@brokerwire/orders/internal'
import type { AccountStreamOptions, TradeStreamOptions, WithStates } from '@brokerwire/streams'
import type { AccessTokens, AccessTokensOptions } from '@brokerwire/tokens'
import type { StreamToken } from './stream-token.ts'

/** Options of the backfill. The HTTP client and the clock come from the composition. */
export type BrokerageBackfillOptions = Omit<OrderBackfillOptions, 'http' | 'clock'>

const BACKFILL_OPTIONS = omit(
  ORDER_BACKFILL_OPTIONS,
  'http',
  'clock',
) satisfies FieldsOf<BrokerageBackfillOptions>

/** Schema of the option `backfill`. The result is `undefined` if the backfill is off. */
export const backfillOption: Schema<BrokerageBackfillOptions | undefined> = (value = false, path, fail) => {
  if (value === false) return undefined
  if (value !== true && !isRecord(value)) throw fail(path, 'true, false or an object', typeName(value))
  return readOptions(fail, value === true ? {} : value, BACKFILL_OPTIONS, path)
}

/** The parts of a brokerage that its backfills use. */
export interface BackfillParts {
  readonly http: EdgeBrokerage['http']
  readonly clock: Clock
  readonly accessTokens: Pick<AccessTokens, 'peek'>
  readonly tokenMode: AccessTokensOptions['tokenMode']
  readonly streamToken: Pick<StreamToken, 'isRequired'>
}

/** Adds a backfill to the options of a stream. The result has the type of options without one. */
export type AddBackfill = <Options extends TradeStreamOptions | AccountStreamOptions>(
  options: Options | WithStates<Options, StateItem>,
) => Options

/** The bit of `subscribeType` with which the service sends order events. */
const ORDERS = 1

/**
 * Creates the function that adds a backfill to the options of a stream, if the stream has order events and no
 * backfill yet.
 */
export function createBackfillAdder(
  options: BrokerageBackfillOptions | undefined,
  { http, clock, accessTokens, tokenMode, streamToken }: BackfillParts,
): AddBackfill {
  // A request with `accessToken` never creates or renews a token, which could require a second factor.
  const client: OrderBackfillOptions['http'] = {
    async request(operation, input, requestOptions) {
      if (tokenMode === 'none') return await http.request(operation, input, requestOptions)
      const stored = await accessTokens.peek()
      if (stored !== undefined)
        return await http.request(operation, input, { ...requestOptions, accessToken: stored.token })
      if (tokenMode !== 'auto' || (await streamToken.isRequired()) !== false) throw tokenMissing()
      return await http.request(operation, input, requestOptions)
    },
  }
  return <Options extends TradeStreamOptions | AccountStreamOptions>(
    input: Options | WithStates<Options, StateItem>,
  ) => {
    const isEligible =
      isRecord(input) && input.backfill === undefined && ((input.subscribeType ?? ORDERS) & ORDERS) !== 0
    if (options === undefined || !isEligible) return input as Options
    return {
      ...input,
      backfill: createOrderBackfill({ ...options, http: client, clock }),
    } as unknown as Options
  }
}

/** Creates the error of a query without an access token. */
function tokenMissing(): Error {
  const error = new Error('there is no usable access token: call accessTokens.get() first')
  return Object.assign(error, { code: 'ACCESS_TOKEN_MISSING' })
}
