/**
 * Trade and position streams: no cursor, so what the service sends during a gap may be lost, and each gap is
 * reported with its bounds.
 */
import { describe, readFunction, readInteger, requireObject, requireText } from '@brokerwire/core'
import { TradeEventService, type TradeSubscribeResponse } from '@brokerwire/protos'
import type { ReconcileHook, ServiceTarget, StreamsContext } from './context.ts'
import { createRepeatWindow } from './delivery/repeat-window.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import {
  inspectTradeFrame,
  type TradeDecoders,
  type TradeStreamEvent,
  tradeItem,
} from './items/trade-items.ts'
import { optionInvalid } from './streams-error.ts'
import { tradeRequest } from './subscription/requests.ts'
import { createSupervisedSource, type DeliveryPorts, type DeliveryRules } from './supervised-source.ts'

/** Options of `tradeEvents` and `positionEvents`. */
export interface TradeStreamOptions {
  /** Identifiers of the accounts; at least one. */
  readonly accounts: readonly string[]
  /**
   * Another subscription type: public clients also send sums (1 orders, 2 positions, 4 options), which the
   * specification does not allow. @defaultValue 1 for trade events, 2 for position events
   */
  readonly subscribeType?: number | undefined
  /** @defaultValue '' */
  readonly contentType?: string | undefined
  /** @defaultValue '' */
  readonly payload?: string | undefined
  /** Called after each SubscribeSuccess and on a timer. */
  readonly reconcile?: ReconcileHook | undefined
  readonly signal?: AbortSignal | undefined
}

/** An item of a trade or position stream. */
export type TradeStreamItem = TradeStreamEvent | StreamNotice

const WINDOW = { maxMessages: 4096, maxLength: 8 * 1024 * 1024 }

/** Makes a trade or position stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createTradeStream(
  context: StreamsContext,
  target: ServiceTarget,
  name: 'trade' | 'position',
  input: TradeStreamOptions,
  decoders: TradeDecoders,
): EventStream<TradeStreamItem> {
  const options = readOptions(input, name)
  const source = createSupervisedSource<
    typeof TradeEventService.method.subscribe.input,
    typeof TradeEventService.method.subscribe.output,
    TradeStreamEvent
  >({
    name,
    context,
    target,
    method: TradeEventService.method.subscribe,
    reconcile: options.reconcile,
    request: (nowMs) => ({ message: tradeRequest(options, nowMs), cursorSent: false }),
    rules: (ports) => tradeRules(ports, decoders),
  })
  return createEventStream(source, input.signal, context.openStreams)
}

function readOptions(input: TradeStreamOptions, name: 'trade' | 'position') {
  requireObject(optionInvalid, 'options', input)
  const { accounts } = input
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
      max: 0xff_ff_ff_ff,
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

function tradeRules(
  ports: DeliveryPorts<TradeStreamEvent>,
  decoders: TradeDecoders,
): DeliveryRules<TradeSubscribeResponse, TradeStreamItem> {
  const { queue, report, notify } = ports
  const window = createRepeatWindow(WINDOW)
  return {
    inspect: inspectTradeFrame,
    async prepare() {},
    subscribed() {},
    take(frame, nowMs) {
      const verdict = window.judge(frame.eventType, frame.requestId, frame.payload)
      if (verdict === 'repeat') {
        report('onRepeat', {})
        return
      }
      if (verdict === 'conflict') {
        const { eventType, requestId } = frame
        notify({ type: 'notice', kind: 'conflicting-repeat', atMs: nowMs, eventType, requestId })
      }
      const item = tradeItem(frame, nowMs, decoders)
      queue.push(item, frame.payload.length)
      const lagMs = frame.timestamp > 0n ? nowMs - Number(frame.timestamp) : undefined
      report('onEvent', { kind: item.kind, lagMs, queueDepth: queue.size })
    },
    cameBack({ fromMs, toMs }) {
      notify({
        type: 'notice',
        kind: 'gap',
        atMs: toMs,
        fromMs,
        toMs,
        eventTypes: undefined,
        cause: 'disconnected',
      })
    },
    forgetCursors() {},
    handled() {},
    isFull: () => false,
    async room() {},
    async finish() {},
  }
}
