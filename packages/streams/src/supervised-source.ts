/**
 * Joins the pieces of one stream: the supervisor, the signed subscription, the bounded queue and the rules of
 * delivery, which differ between the services and come in as {@link DeliveryRules}.
 */

import { isBrokerwireError, revealSecret } from '@brokerwire/core'
import type { DescMessage, DescMethodServerStreaming, MessageShape } from '@bufbuild/protobuf'
import type { ReconcileHook, ServiceTarget, StreamsContext } from './context.ts'
import { type BoundedQueue, createBoundedQueue } from './delivery/bounded-queue.ts'
import type { EventSource } from './event-stream.ts'
import { type StreamNotice, shownNotice } from './items/notices.ts'
import { createReporter, type Reporter, type StreamName } from './observer.ts'
import { outcomeError } from './outcome-error.ts'
import type { StreamsError } from './streams-error.ts'
import { describeFailure, type RpcFailure } from './subscription/failure.ts'
import { shownWithout } from './subscription/shown.ts'
import { subscribe } from './subscription/subscribe.ts'
import type { SupervisorEffect } from './supervisor/machine-types.ts'
import { type FrameFacts, type NotSent, type RunningSupervisor, runSupervisor } from './supervisor/runner.ts'

/** How the frames of one service become items. */
export interface DeliveryRules<Frame, Item> {
  readonly inspect: (frame: Frame) => FrameFacts
  /** Before the first attempt. */
  prepare(signal: AbortSignal): Promise<void>
  /** A subscription stands: its notice was given. */
  subscribed(atMs: number): void
  /** Takes a frame in: pushes what it yields. */
  readonly take: (frame: Frame, nowMs: number) => void
  cameBack(effect: Extract<SupervisorEffect, { readonly type: 'came-back' }>): void
  forgetCursors(): void
  handled(item: Item): void
  /** More than the queue that holds the reading back. */
  readonly isFull: () => boolean
  room(signal: AbortSignal): Promise<void>
  finish(): Promise<void>
}

/** What the rules may do to the stream. */
export interface DeliveryPorts<Item> {
  readonly queue: BoundedQueue<Item | StreamNotice>
  readonly report: Reporter
  readonly notify: (notice: StreamNotice) => void
  /** Ends the stream with an error, after what is queued. */
  readonly fail: (error: StreamsError) => void
}

/** A stream to supervise. */
export interface SourceSetup<I extends DescMessage, O extends DescMessage, Item> {
  readonly name: StreamName
  readonly context: StreamsContext
  readonly target: ServiceTarget
  readonly method: DescMethodServerStreaming<I, O>
  readonly reconcile: ReconcileHook | undefined
  /** The request of an attempt, made anew each time. */
  request(nowMs: number): { readonly message: MessageShape<I>; readonly cursorSent: boolean }
  rules(ports: DeliveryPorts<Item>): DeliveryRules<MessageShape<O>, Item | StreamNotice>
}

/** A request that could not be made. Carries no cause but one that is safe to show. */
class NotSentError extends Error implements NotSent {
  readonly notSent: NotSent['notSent']
  readonly retryable: boolean

  constructor(step: NotSent['notSent'], retryable: boolean, cause: unknown) {
    super(step, isBrokerwireError(cause) ? { cause } : undefined)
    this.notSent = step
    this.retryable = retryable
  }
}

const HEADER_VALUE = /^[!-~]+$/

/** Makes the source of one stream. */
export function createSupervisedSource<I extends DescMessage, O extends DescMessage, Item>(
  setup: SourceSetup<I, O, Item>,
): EventSource<Item | StreamNotice> {
  const { context, name } = setup
  const { clock } = context
  const report = createReporter(context.observer, name)
  const queue = createBoundedQueue<Item | StreamNotice>(context.queue)
  /** Those of the attempt before are hidden too: what a service says may be late. */
  let sentTexts: readonly string[] = []
  let shown = shownWithout([])
  const notify = (said: StreamNotice): void => {
    const notice = shownNotice(said, shown)
    queue.push(notice, 0)
    report('onNotice', { notice })
  }
  let supervisor: RunningSupervisor | undefined
  let releaseSlot: ((nowMs: number) => void) | undefined
  const preparing = new AbortController()
  let lastToken: string | undefined
  let notSentCause: unknown
  /** Why the clock could not be learned; errors of the toolkit alone are known to be free of secrets. */
  let clockCause: unknown

  const stop = (): void => {
    preparing.abort()
    supervisor?.stop()
    releaseSlot?.(clock.now())
  }
  const fail = (error: StreamsError): void => {
    queue.fail(error)
    stop()
  }
  const rules = setup.rules({ queue, report, notify, fail })

  const readToken = async (signal: AbortSignal, rejected: boolean): Promise<string | undefined> => {
    if (context.accessToken === undefined) return undefined
    let text: string | undefined
    try {
      const token = await context.accessToken({ signal, rejected })
      text = token === undefined ? undefined : (revealSecret(token) ?? '')
    } catch (error) {
      throw new NotSentError('access-token', !isBrokerwireError(error) || error.retryable, error)
    }
    if (text !== undefined && !HEADER_VALUE.test(text))
      throw new NotSentError('access-token', false, undefined)
    return text
  }

  const open = async (attempt: {
    readonly attempt: number
    readonly signal: AbortSignal
    readonly onSend: (sent: { readonly tokenSent: boolean; readonly cursorSent: boolean }) => void
  }) => {
    const { signal } = attempt
    report('onAttempt', { attempt: attempt.attempt })
    const accessToken = await readToken(signal, false)
    signal.throwIfAborted()
    lastToken = accessToken
    const { message, cursorSent } = setup.request(clock.now())
    const connection = setup.target.open()
    signal.addEventListener('abort', () => connection.close(), { once: true })
    const signer = {
      appKey: context.signer.appKey,
      async signStream(bytes: Uint8Array) {
        try {
          const signature = await context.signer.signStream(bytes)
          const { headers } = signature
          const sent = [headers['x-signature'], headers['x-signature-nonce'], accessToken ?? '']
          shown = shownWithout([...sent, ...sentTexts])
          sentTexts = sent
          return signature
        } catch (error) {
          throw new NotSentError('signature', false, error)
        }
      },
    }
    return subscribe({
      method: setup.method,
      message,
      transport: connection.transport,
      signer,
      accessToken,
      signal,
      onSend: () => attempt.onSend({ tokenSent: accessToken !== undefined, cursorSent }),
    })
  }

  const recover = async (
    mode: 'clock' | 'token',
    serverNowMs: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (mode === 'clock') {
      clockCause = undefined
      try {
        await context.learnClockOffset?.({ serverNowMs, signal })
      } catch (error) {
        if (isBrokerwireError(error)) clockCause = error
      }
      return true
    }
    const token = await readToken(signal, true)
    return token !== undefined && token !== lastToken
  }

  const reconcile = async (cause: 'subscribed' | 'timer', signal: AbortSignal): Promise<void> => {
    const missing = await setup.reconcile?.({ cause, signal })
    // A consumer who does not read would only pile up notices.
    if (missing !== undefined && missing > 0 && !signal.aborted && !queue.full) {
      notify({ type: 'notice', kind: 'suspect-silent', atMs: clock.now(), missing })
    }
  }

  const describe = (error: unknown): RpcFailure | NotSent => {
    if (!(error instanceof NotSentError)) return describeFailure(error, shown)
    notSentCause = error.cause
    return error
  }

  const run = (): void => {
    supervisor = runSupervisor<MessageShape<O>>({
      policy: context.policy,
      clock,
      random: context.random,
      open,
      inspect: rules.inspect,
      deliver: rules.take,
      describeFailure: describe,
      isFull: () => queue.full || rules.isFull(),
      async room(signal) {
        while (queue.full || rules.isFull()) {
          await queue.room(signal)
          await rules.room(signal)
        }
      },
      notify(notice) {
        notify(notice)
        if (notice.kind === 'subscribed') rules.subscribed(notice.atMs)
      },
      cameBack: (effect) => rules.cameBack(effect),
      forgetCursors: () => rules.forgetCursors(),
      recover,
      reconcile: (cause, signal) => void reconcile(cause, signal).catch(() => {}),
      recentDropMs: () => context.budget.lastReleaseMs,
      onState: (state) => report('onState', { phase: state.phase }),
      onEnd(outcome) {
        const error = outcomeError(outcome, outcome.kind === 'auth-rejected' ? clockCause : notSentCause)
        if (error === undefined) queue.close()
        else queue.fail(error)
        releaseSlot?.(clock.now())
      },
    })
    // An observer that aborts at the very start finds no supervisor to stop yet.
    if (preparing.signal.aborted) supervisor.stop()
  }

  return {
    queue,
    start() {
      releaseSlot = context.budget.take()
      const { signal } = preparing
      rules.prepare(signal).then(
        () => {
          if (!signal.aborted) run()
        },
        (error: unknown) => {
          if (signal.aborted) return
          queue.fail(error)
          stop()
        },
      )
    },
    stop,
    finish: () => rules.finish(),
    handled: (item) => rules.handled(item),
  }
}
