/**
 * The server side of one subscription, which selects the next message to send. Events are read from the log
 * when the transport requests them. Control frames and the end of the stream are queued here, each with its
 * position among the events. Under backpressure the transport requests no message, so that no event is read.
 */
import type { ConnectError } from '@connectrpc/connect'
import type { FrameFault } from './frame-fault.ts'

/**
 * Messages that a subscription does not send. With `events` it sends no events, but pings and control frames.
 * With `all` it sends nothing after the opening messages.
 */
export type Silence = 'none' | 'events' | 'all'

/** Reads a subscription's events from the log. */
export interface EventSource<M> {
  /** Index that the log's next entry will get. */
  readonly end: number
  /** Index that this subscription reads next. */
  readonly index: number
  /**
   * Returns the next event of this subscription. `'behind'` if the log has discarded it. `undefined` if there
   * is no further event.
   */
  next(): M | 'behind' | undefined
  /** Skips the entries up to the end of the log. */
  skip(): void
  /** Returns the last cursor that was sent for each event type. Empty on a service without cursors. */
  cursors(): readonly SentCursor[]
}

/** Position of a subscription within one event type. */
export interface SentCursor {
  readonly eventType: string
  readonly position: string
}

/** Dependencies of a subscription. */
export interface SubscriptionInput<M> {
  readonly source: EventSource<M>
  /** Messages to send before any event. */
  readonly opening: readonly M[]
  readonly ping: () => M
  /** Takes the next pending fault for a data frame from the queue of faults. */
  readonly takeFault: () => FrameFault | undefined
  /** Truncates the JSON of a message. */
  readonly corruptPayload: (message: M) => M
  /** Creates the error that ends the subscription if the log has discarded its next event. */
  readonly behind: () => ConnectError
  readonly silence: Silence
}

/** The part of a subscription that does not depend on the type of its messages. */
export interface SubscriptionControl {
  /** Checks again whether there are messages to send. */
  wake(): void
  /** Queues a ping, unless one is queued already. */
  ping(): void
  setSilence(silence: Silence, options: { readonly skipEvents: boolean }): void
  /**
   * Closes the stream after it has sent the current entries of the log. If `error` is `undefined`, the status
   * is OK.
   */
  end(error: ConnectError | undefined): void
  /** Must be called when the transport has closed. */
  close(): void
  /** Returns the fault of the last message and removes the fault. */
  takeFrameFault(): FrameFault | undefined
  /** Whether the service closed the stream. */
  readonly endedByService: boolean
  /** Whether the transport has sent everything that can be sent now, and is waiting for more. */
  readonly isWaiting: boolean
  /** Returns the position in the log, the end of the log, the sent cursors and the silence. */
  progress(): SubscriptionProgress
}

/** Progress of a subscription. */
export interface SubscriptionProgress {
  readonly index: number
  readonly end: number
  readonly cursors: readonly SentCursor[]
  readonly silence: Silence
}

/** A subscription. */
export interface Subscription<M> extends SubscriptionControl {
  /** Queues a control frame after the current entries of the log. */
  send(message: M): void
  messages(): AsyncGenerator<M, void, undefined>
}

type Step<M> =
  | { readonly kind: 'message'; readonly message: M }
  | { readonly kind: 'end'; readonly error: ConnectError | undefined }

/** A queued step. It is due when the subscription has read the log up to the index `after`. */
type Queued<M> = Step<M> & { readonly after: number }

/** Creates a subscription. */
export function createSubscription<M>(input: SubscriptionInput<M>): Subscription<M> {
  const { source } = input
  const queue: Queued<M>[] = input.opening.map((message) => ({ kind: 'message', after: 0, message }))
  let silence = input.silence
  let pingDue = false
  let closed = false
  let endedByService = false
  let frameFault: FrameFault | undefined
  /** An event whose fault is `swap`. It is sent after the next event. */
  let swapped: M | undefined
  /** A swapped event that must be sent next. */
  let delayed: M | undefined
  let wakeUp: (() => void) | undefined
  // Number of opening messages to send. They are sent even during a silence, because the subscription has
  // succeeded.
  let remainingOpening = queue.length

  const wake = (): void => {
    wakeUp?.()
    wakeUp = undefined
  }
  const nextQueued = (): Queued<M> | undefined => {
    const [first] = queue
    if (first === undefined) return undefined
    const inPlace = silence === 'events' || first.after <= source.index
    const isDue = remainingOpening > 0 || (silence !== 'all' && inPlace)
    if (!isDue) return undefined
    remainingOpening = Math.max(remainingOpening - 1, 0)
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
    // A queued message may be due now, because `nextEvent()` has skipped events of other subscriptions.
    return nextQueued()
  }
  const nextEvent = (): M | 'behind' | undefined => {
    if (delayed !== undefined) {
      const event = delayed
      delayed = undefined
      return event
    }
    let event: M | 'behind' | undefined
    let fault: FrameFault | undefined
    do {
      event = source.next()
      if (event === undefined || event === 'behind') return event
      if (swapped !== undefined) {
        delayed = swapped
        swapped = undefined
        return event
      }
      fault = input.takeFault()
    } while (fault === 'drop')
    if (fault === 'corrupt-payload') return input.corruptPayload(event)
    if (fault === 'swap') {
      swapped = event
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
