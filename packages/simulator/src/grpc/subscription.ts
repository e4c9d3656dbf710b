/**
 * One subscription on the server's side: decides what goes out next.
 *
 * Events are read from the log at the pace of the transport; control frames and endings are queued here, each at its
 * place among the events. Backpressure is the transport not asking for the next message.
 */
import type { ConnectError } from '@connectrpc/connect'
import type { FrameFault } from './frame-fault.ts'

/** What a subscription is allowed to send. `events`: pings only, no data. `all`: nothing at all. */
export type Silence = 'none' | 'events' | 'all'

/** Reads a subscription's events from the log. */
export interface EventSource<M> {
  /** Index that the log's next entry will get. */
  readonly end: number
  /** Where this subscription is. */
  readonly index: number
  /** The next event for this subscription, `'behind'` where the log has let it go, `undefined` where there is none. */
  next(): M | 'behind' | undefined
  /** Goes to the log's end without sending. */
  skip(): void
  /** The cursor of the last event of each event type that was sent. Empty on a service without cursors. */
  cursors(): readonly SentCursor[]
}

/** How far a subscription is within one event type. */
export interface SentCursor {
  readonly eventType: string
  readonly position: string
}

/** What a subscription is made of. */
export interface SubscriptionInput<M> {
  readonly source: EventSource<M>
  /** First messages, sent before any event. */
  readonly opening: readonly M[]
  readonly ping: () => M
  /** Takes the fault that is waiting for a data frame. */
  readonly takeFault: () => FrameFault | undefined
  /** Spoils the JSON of a message. */
  readonly corruptPayload: (message: M) => M
  /** The error for a subscription that the log has outrun. */
  readonly behind: () => ConnectError
  readonly silence: Silence
}

/** The part of a subscription that does not depend on its messages. */
export interface SubscriptionControl {
  /** Looks again whether there is something to send. */
  wake(): void
  /** Sends a ping, unless one is waiting. */
  ping(): void
  setSilence(silence: Silence, options: { readonly skipEvents: boolean }): void
  /** Ends after what is already in the log. `undefined`: cleanly. */
  end(error: ConnectError | undefined): void
  /** The transport is gone. */
  close(): void
  /** The fault of the message that was handed out last. */
  takeFrameFault(): FrameFault | undefined
  /** Whether the service itself ended it. */
  readonly endedByService: boolean
  /** Whether all that it has to send now was taken by the transport, which waits for more. */
  readonly isWaiting: boolean
  /** Where it is: its place in the log, the log's end, the cursors that it sent, and whether it is silent. */
  progress(): SubscriptionProgress
}

/** How far a subscription is. */
export interface SubscriptionProgress {
  readonly index: number
  readonly end: number
  readonly cursors: readonly SentCursor[]
  readonly silence: Silence
}

/** A subscription. */
export interface Subscription<M> extends SubscriptionControl {
  /** Sends a control frame after what is already in the log. */
  send(message: M): void
  messages(): AsyncGenerator<M, void, undefined>
}

type Step<M> =
  | { readonly kind: 'message'; readonly message: M }
  | { readonly kind: 'end'; readonly error: ConnectError | undefined }

/** `after`: the place among the log's entries. */
type Queued<M> = Step<M> & { readonly after: number }

/** Makes a subscription. */
export function createSubscription<M>(input: SubscriptionInput<M>): Subscription<M> {
  const { source } = input
  const queue: Queued<M>[] = input.opening.map((message) => ({ kind: 'message', after: 0, message }))
  let silence = input.silence
  let pingDue = false
  let closed = false
  let endedByService = false
  let frameFault: FrameFault | undefined
  /** An event that goes out after the next one. */
  let heldBack: M | undefined
  /** An event that was held back, and whose turn it is. */
  let overtaken: M | undefined
  let wakeUp: (() => void) | undefined
  // The opening is sent even to a silenced subscription: a silent one has subscribed successfully.
  let openingLeft = queue.length

  const wake = (): void => {
    wakeUp?.()
    wakeUp = undefined
  }
  const nextQueued = (): Queued<M> | undefined => {
    const [first] = queue
    if (first === undefined) return undefined
    const inPlace = silence === 'events' || first.after <= source.index
    const isDue = openingLeft > 0 || (silence !== 'all' && inPlace)
    if (!isDue) return undefined
    openingLeft = Math.max(openingLeft - 1, 0)
    return queue.shift()
  }
  const nextStep = (): Step<M> | undefined => {
    const queued = nextQueued()
    if (queued !== undefined) return queued
    if (pingDue && silence !== 'all') {
      pingDue = false
      return { kind: 'message', message: input.ping() }
    }
    if (silence !== 'none') return undefined
    const event = nextEvent()
    if (event === 'behind') return { kind: 'end', error: input.behind() }
    if (event !== undefined) return { kind: 'message', message: event }
    // Passing over other subscriptions' events may have reached the place of what is queued.
    return nextQueued()
  }
  const nextEvent = (): M | 'behind' | undefined => {
    if (overtaken !== undefined) {
      const event = overtaken
      overtaken = undefined
      return event
    }
    const event = source.next()
    if (event === undefined || event === 'behind') return event
    if (heldBack !== undefined) {
      overtaken = heldBack
      heldBack = undefined
      return event
    }
    const fault = input.takeFault()
    if (fault === 'corrupt-payload') return input.corruptPayload(event)
    if (fault === 'swap') {
      heldBack = event
      return nextEvent()
    }
    frameFault = fault
    return event
  }

  return {
    wake,
    get endedByService() {
      return endedByService
    },
    get isWaiting() {
      return wakeUp !== undefined
    },
    progress: () => ({ index: source.index, end: source.end, cursors: source.cursors(), silence }),
    ping() {
      pingDue = true
      wake()
    },
    send(message) {
      queue.push({ kind: 'message', after: source.end, message })
      wake()
    },
    end(error) {
      queue.push({ kind: 'end', after: source.end, error })
      wake()
    },
    setSilence(next, { skipEvents }) {
      silence = next
      if (skipEvents) source.skip()
      wake()
    },
    close() {
      closed = true
      wake()
    },
    takeFrameFault() {
      const fault = frameFault
      frameFault = undefined
      return fault
    },
    async *messages() {
      while (!closed) {
        const step = nextStep()
        if (step === undefined) {
          await new Promise<void>((resolve) => {
            wakeUp = resolve
          })
        } else if (step.kind === 'message') {
          yield step.message
        } else {
          endedByService = true
          if (step.error !== undefined) throw step.error
          return
        }
      }
    },
  }
}
