/**
 * Trade and position streams: no cursor, so what the service sends during a gap may be lost, and each gap is
 * reported with its bounds.
 */
import {
  describe,
  ownOption,
  readBoolean,
  readFunction,
  readInteger,
  requireKnownOptions,
  requireObject,
  requireText,
} from '@brokerwire/core'
import { TradeEventService } from '@brokerwire/protos'
import { type ReconcileHook, type ServiceTarget, type StreamsContext, seedOf } from './context.ts'
import { Outlet } from './delivery/delivery.ts'
import { NameBound } from './delivery/name-bound.ts'
import { TradeDelivery } from './delivery/trade-delivery.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import type { TradeDecoders, TradeStreamEvent } from './items/trade-items.ts'
import { optionInvalid } from './streams-error.ts'
import { createAttempts } from './subscription/attempt.ts'
import { tradeRequest } from './subscription/requests.ts'
import { SentSecrets } from './subscription/shown.ts'
import { superviseStream } from './supervised-stream.ts'

/** Options of `tradeEvents` and `positionEvents`. */
export interface TradeStreamOptions {
  /** Identifiers of the accounts; at least one. */
  readonly accounts: readonly string[]
  /**
   * 1 or 2; another one with `allowOtherSubscribeTypes` only.
   * @defaultValue 1 for trade events, 2 for position events
   */
  readonly subscribeType?: number | undefined
  /**
   * Sends any `subscribeType`: public clients also send sums (1 orders, 2 positions, 4 options), which the
   * specification does not have. @defaultValue false
   */
  readonly allowOtherSubscribeTypes?: boolean | undefined
  /** @defaultValue '' */
  readonly contentType?: string | undefined
  /** @defaultValue '' */
  readonly payload?: string | undefined
  /** Called after each SubscribeSuccess and on a timer. */
  readonly reconcile?: ReconcileHook | undefined
  readonly signal?: AbortSignal | undefined
}

const TRADE_OPTIONS = [
  'accounts',
  'subscribeType',
  'allowOtherSubscribeTypes',
  'contentType',
  'payload',
  'reconcile',
  'signal',
] as const satisfies readonly (keyof TradeStreamOptions)[]

/** An item of a trade or position stream. */
export type TradeStreamItem = TradeStreamEvent | StreamNotice

/** Makes a trade or position stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createTradeStream(
  context: StreamsContext,
  target: ServiceTarget,
  name: 'trade' | 'position',
  input: TradeStreamOptions,
  decoders: TradeDecoders,
): EventStream<TradeStreamItem> {
  const options = readOptions(input, name)
  const secrets = new SentSecrets()
  const outlet = new Outlet<TradeStreamEvent>({
    bounds: context.queue,
    observer: context.observer,
    stream: name,
    shown: secrets.shown,
    sentMs: Number,
  })
  const names = new NameBound(context.maxNameBytes, (notice) => outlet.notify(notice))
  return superviseStream({
    context,
    outlet,
    delivery: new TradeDelivery(outlet, { decoders, names, seed: seedOf(context) }),
    attempts: createAttempts({
      context,
      target,
      secrets,
      method: TradeEventService.method.subscribe,
      request: (nowMs) => ({ message: tradeRequest(options, nowMs), cursorSent: false }),
    }),
    reconcile: options.reconcile,
    signal: input.signal,
  })
}

function readOptions(input: TradeStreamOptions, name: 'trade' | 'position') {
  requireObject(optionInvalid, 'options', input)
  requireKnownOptions(optionInvalid, input, TRADE_OPTIONS)
  const { accounts } = input
  const others = ownOption(input, 'allowOtherSubscribeTypes')
  const anyType = readBoolean(optionInvalid, 'allowOtherSubscribeTypes', others, false)
  if (!Array.isArray(accounts) || accounts.length === 0) {
    throw optionInvalid('accounts', 'a non-empty array of account identifiers', describe(accounts))
  }
  const optionalText = (option: 'contentType' | 'payload'): string => {
    const value = input[option] ?? ''
    if (typeof value === 'string') return value
    throw optionInvalid(option, 'a string', describe(value))
  }
  return {
    accounts: accounts.map((account, index) => requireText(optionInvalid, `accounts[${index}]`, account)),
    subscribeType: readInteger(optionInvalid, 'subscribeType', input.subscribeType, {
      min: 1,
      max: anyType ? 0xff_ff_ff_ff : 2,
      fallback: name === 'trade' ? 1 : 2,
    }),
    contentType: optionalText('contentType'),
    payload: optionalText('payload'),
    reconcile:
      input.reconcile === undefined
        ? undefined
        : readFunction(optionInvalid, 'reconcile', input.reconcile, input.reconcile),
  }
}
