/**
 * Delivery on the module stream: at least once, given that the service replays after a position.
 *
 * Two cursors for each event type: the last position received, which a reconnect sends, and the last one committed,
 * which a restart reads. An event that is filtered out counts as handled, so the cursor passes it.
 */
import { abortable } from '@brokerwire/core'
import type { ModuleSubscribeResponse } from '@brokerwire/protos'
import { inspectModuleFrame, type ModuleItem, moduleItem } from '../items/module-items.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { ModuleDecoder, ModuleSelection } from '../module-selection.ts'
import type { DeliveryPorts, DeliveryRules } from '../supervised-source.ts'
import { type AckLine, createAckLine } from './ack-line.ts'
import type { Committer } from './committer.ts'
import { createIdWindow, type IdWindow } from './id-window.ts'

/** What was known of an event type before the first attempt. */
export interface StartingPoint {
  /** Where to begin; `undefined`: from now on. */
  readonly position: string | undefined
  readonly committedIds: readonly string[]
  /** Without a position: since when events may have passed. `undefined`: no stream had this cursor before. */
  readonly passedSinceMs: number | undefined
}

/** Options of {@link createModuleRules}. */
export interface ModuleRulesOptions<Event> {
  readonly selection: ModuleSelection
  readonly decode: ModuleDecoder<Event>
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
  /** Reads where each event type begins. */
  readonly prepare: (signal: AbortSignal) => Promise<ReadonlyMap<string, StartingPoint>>
  /** `undefined` without a store: cursors live as long as the stream. */
  readonly committer: Committer | undefined
}

/** The rules of one module stream. */
export interface ModuleRules<Event>
  extends DeliveryRules<ModuleSubscribeResponse, ModuleItem<Event> | StreamNotice> {
  /** The cursors that the next attempt sends. */
  takeCursors(): ReadonlyMap<string, string>
}

interface TypeState {
  readonly line: AckLine
  readonly ids: IdWindow
}

const MAX_IDS = 20_000

/** `ack()` of what has no place in the line. */
const NOTHING = (): void => {}

/** Makes the rules. */
export function createModuleRules<Event>(
  options: ModuleRulesOptions<Event>,
  ports: DeliveryPorts<ModuleItem<Event>>,
): ModuleRules<Event> {
  const { selection, committer, maxUnacked } = options
  const { queue, report, notify } = ports
  const types = new Map<string, TypeState>()
  const received = new Map<string, string>()
  /** Event types by the instant since when they may have missed something, until that is told. */
  const passed = new Map<number, string[]>()
  let sent: ReadonlyMap<string, string> = new Map()
  let refused: readonly string[] = []
  let unacked = 0
  const waiters: (() => void)[] = []

  /** An event type that was not asked for is delivered, but has no cursor: nothing would ever send it. */
  const hasCursor = (eventType: string): boolean => selection.eventTypes.includes(eventType)
  const typeOf = (eventType: string, committedIds: readonly string[] = []): TypeState => {
    let state = types.get(eventType)
    if (state === undefined) {
      state = { line: createAckLine(), ids: createIdWindow(MAX_IDS, committedIds) }
      types.set(eventType, state)
    }
    return state
  }
  /** Takes an event into its line. @returns Marks it as handled; safe to call again. */
  const enqueue = (frame: ModuleSubscribeResponse, line: AckLine): (() => void) => {
    const ticket = line.receive(frame.position, frame.id, false)
    unacked += 1
    return () => {
      if (ticket.acked) return
      const before = line.size
      const step = line.ack(ticket)
      unacked -= before - line.size
      if (step !== undefined && hasCursor(frame.eventType)) committer?.commit(frame.eventType, step)
      if (unacked < maxUnacked) for (const resolve of waiters.splice(0)) resolve()
    }
  }

  const deliver = (frame: ModuleSubscribeResponse, item: ModuleItem<Event>): void => {
    queue.push(item, frame.payload.length)
    const eventMs = Date.parse(frame.timestamp)
    const lagMs = Number.isNaN(eventMs) ? undefined : item.receivedAtMs - eventMs
    report('onEvent', { kind: item.kind, lagMs, queueDepth: queue.size })
  }

  const takeEvent = (frame: ModuleSubscribeResponse, nowMs: number): void => {
    const { eventType, position } = frame
    const { line, ids } = typeOf(eventType)
    if (!ids.add(frame.id)) {
      report('onRepeat', {})
      return
    }
    if (position !== '') received.set(eventType, position)
    const ack = enqueue(frame, line)
    const item = moduleItem(frame, nowMs, options.decode, ack)
    if (!selection.wants(item)) {
      ack()
      report('onFiltered', { eventType })
      return
    }
    deliver(frame, item)
    if (unacked === maxUnacked) notify({ type: 'notice', kind: 'unacked-limit', atMs: nowMs, unacked })
  }

  return {
    inspect: inspectModuleFrame,
    async prepare(signal) {
      for (const [eventType, start] of await options.prepare(signal)) {
        typeOf(eventType, start.committedIds)
        const { position, passedSinceMs: sinceMs } = start
        if (position !== undefined) received.set(eventType, position)
        else if (sinceMs !== undefined) passed.set(sinceMs, [...(passed.get(sinceMs) ?? []), eventType])
      }
    },
    subscribed(atMs) {
      for (const [fromMs, eventTypes] of passed) {
        const bounds = { type: 'notice', atMs, fromMs, toMs: atMs } as const
        notify({ ...bounds, kind: 'gap', eventTypes, cause: 'no-cursor' })
      }
      passed.clear()
    },
    takeCursors() {
      sent = new Map([...received].filter(([eventType]) => hasCursor(eventType)))
      return sent
    },
    take(frame, nowMs) {
      if (inspectModuleFrame(frame).frame === 'event') takeEvent(frame, nowMs)
      else deliver(frame, moduleItem(frame, nowMs, options.decode, NOTHING))
    },
    cameBack({ fromMs, toMs, cursorRejected }) {
      const bounds = { type: 'notice', atMs: toMs, fromMs, toMs } as const
      const resumed = selection.eventTypes.filter((eventType) => sent.has(eventType))
      const without = selection.eventTypes.filter((type) => !sent.has(type) && !refused.includes(type))
      if (cursorRejected && refused.length > 0) {
        notify({ ...bounds, kind: 'gap', eventTypes: refused, cause: 'cursor-rejected' })
      }
      refused = []
      if (without.length > 0 && fromMs !== undefined) {
        notify({ ...bounds, kind: 'gap', eventTypes: without, cause: 'no-cursor' })
      }
      if (resumed.length > 0) notify({ ...bounds, kind: 'resumed', eventTypes: resumed })
    },
    forgetCursors() {
      refused = [...sent.keys()]
      received.clear()
    },
    handled(item) {
      if (item.type === 'event') {
        if (options.ack === 'auto') item.ack()
        return
      }
      if (item.kind !== 'gap' || item.cause !== 'no-cursor') return
      for (const eventType of item.eventTypes ?? []) {
        // What was received and waits for `ack()` has passed too, should this process die.
        if (typeOf(eventType).line.size === 0) committer?.told(eventType, item.toMs)
      }
    },
    isFull: () => unacked >= maxUnacked,
    room(signal) {
      if (unacked < maxUnacked) return Promise.resolve()
      return abortable(new Promise<void>((resolve) => waiters.push(resolve)), signal)
    },
    async finish() {
      await committer?.close()
    },
  }
}
