/** The observer of a relay. Errors of its functions are ignored. */
import { createReporter, type Reporter } from '@brokerwire/core/internal'
import type { StreamNotice } from '@brokerwire/streams'
import type { SinkEntry } from './wire/entries.ts'
import type { WriterGap } from './wire/notices.ts'
import type { Subscription } from './wire/subjects.ts'

/** The app that a report is about. */
export interface RelayAppSource {
  /** The name of the app in the configuration. */
  readonly app: string
}

/** The state of an app of a relay. */
export type RelayAppState = 'acquired' | 'draining' | 'released' | 'fenced' | 'failed'

/** The state of an app's access token. */
export type RelayTokenState =
  /** The store has a token that can be used. */
  | 'usable'
  /** The store has no token, and the configuration does not allow to create one. */
  | 'missing'
  /** A token was created. A person must confirm it in the broker's app. */
  | 'awaits-confirmation'
  /** The last token has ended. A person must create a new one. */
  | 'needs-person'
  /** The service or the store failed. The request is retried. */
  | 'failed'

/** Messages that were stored in the stream of an app. */
export interface RelayStoredReport extends RelayAppSource {
  /** The number of messages. */
  readonly messages: number
  /** The memory that the messages needed while they waited, bytes. */
  readonly bytes: number
  /** The sequence of the last of these messages in the stream. */
  readonly sequence: number
  /**
   * The time from the first event's timestamp to its receipt, milliseconds. It includes the difference of the clocks. `undefined`
   * without an event, or without such a timestamp.
   */
  readonly receiveLagMs: number | undefined
  /** The time from the receipt of the first event until all messages were stored, milliseconds. `undefined` without an event. */
  readonly storeLagMs: number | undefined
}

/** Events that the service sent and that the stream already had. */
export interface RelayDuplicatesReport extends RelayAppSource {
  /** The number of events. */
  readonly events: number
}

/** A pause of reading, or its end. */
export interface RelayBackpressureReport extends RelayAppSource {
  /** `true` if reading was paused, because at least `bufferBytes` wait to be stored. */
  readonly isPaused: boolean
  /** The bytes that wait to be stored. */
  readonly bytes: number
}

/** An event that was longer than the sink accepts. The subject may contain an account. */
export interface RelayOversizedReport extends RelayAppSource {
  /** The subject and the key of the event's message. */
  readonly entry: Pick<SinkEntry, 'subject' | 'key'>
  /** Length of the event's message in the sink, bytes. */
  readonly messageBytes: number
  /** The longest message that the sink accepts, bytes. */
  readonly maxBytes: number
  /** The setting that sets this maximum, such as `max_payload`. */
  readonly setting: string
  /** The path of the file with the whole event; `undefined` if none was written. */
  readonly file: string | undefined
  /** The reason why no file was written, if a directory was given. */
  readonly error?: unknown
}

/** A sink that accepts no messages: it is unavailable, or a setting is wrong. */
export interface RelaySinkWaitReport extends RelayAppSource {
  /** The error of the sink. */
  readonly error: unknown
}

/** A notice of a subscription. A gap has the bounds that readers of the stream get. */
export interface RelayNoticeReport extends RelayAppSource {
  /** The subscription. */
  readonly subscription: Subscription
  /** The notice. */
  readonly notice: StreamNotice | WriterGap
}

/** A subscription whose state has changed. */
export interface RelaySubscriptionReport extends RelayAppSource {
  /** The subscription. */
  readonly subscription: Subscription
  /** The new state. */
  readonly state: 'opening' | 'closed' | 'failed'
  /** If the state is `failed`: the error with which the subscription ended, if there was one. */
  readonly error?: unknown
}

/** Subscriptions that wait until the service no longer counts connections that have ended, for example of a killed relay. */
export interface RelayConnectionWaitReport extends RelayAppSource {
  /** The subscriptions that wait. */
  readonly subscriptions: readonly Subscription[]
  /** The number of connections that have ended and that the service may still count. */
  readonly lingering: number
  /** The time until all of these subscriptions are opened, milliseconds. */
  readonly waitMs: number
}

/** An app whose stream this relay writes from now on. */
export interface RelayTakeoverReport extends RelayAppSource {
  /** The name of the relay that wrote the stream before; `undefined` if the stream had no writer. */
  readonly previousRelay: string | undefined
  /** Whether the previous writer released the app. If not, it was lost. `true` if there was none. */
  readonly isReleased: boolean
}

/** A store that failed. */
export interface RelayStoreFailedReport {
  /** The app whose record could not be written; `undefined` for records of the cluster. */
  readonly app: string | undefined
  /** The error of the store. */
  readonly error: unknown
}

/** The members of the cluster. */
export interface RelayMembersReport {
  /** The names of the members. */
  readonly members: readonly string[]
}

/** An app of this relay whose state has changed. */
export interface RelayAppReport extends RelayAppSource {
  /** The new state. */
  readonly state: RelayAppState
  /** The reason, if the state is `fenced` or `failed`. */
  readonly error?: unknown
}

/** A membership that was lost. */
export interface RelayMembershipLostReport {
  /** The reason. */
  readonly error: unknown
}

/** An access token whose state has changed. */
export interface RelayTokenReport extends RelayAppSource {
  /** The new state of the token. */
  readonly state: RelayTokenState
  /** The deadline for the confirmation, milliseconds since the Unix epoch. */
  readonly deadlineMs?: number | undefined
  /** The action that a person must take now; `undefined` if no action is needed. */
  readonly action?: string | undefined
  /**
   * When the next create request may be sent, milliseconds since the Unix epoch; `undefined` if it may be
   * sent now.
   */
  readonly nextCreateAtMs?: number | undefined
  /** The error, if the state is `failed` or `needs-person`. */
  readonly error?: unknown
}

/**
 * An observer of a relay. Every function is optional. The names differ from those of the other packages, so one object can observe
 * all of them.
 */
export interface RelayObserver {
  /** Called when messages were stored in the stream, at most once for the messages of a batch. */
  readonly onRelayStored?: ((report: RelayStoredReport) => void) | undefined
  /** Called when the service sent events that the stream already had. They were not published again. */
  readonly onRelayDuplicates?: ((report: RelayDuplicatesReport) => void) | undefined
  /** Called when reading was paused or resumed. */
  readonly onRelayBackpressure?: ((report: RelayBackpressureReport) => void) | undefined
  /** Called for an event that was longer than the sink accepts. The stream has the event's identity without the payload. */
  readonly onRelayOversized?: ((report: RelayOversizedReport) => void) | undefined
  /** Called when the app is assigned to this relay, which cannot start because the sink is unavailable. It retries. */
  readonly onRelaySinkWait?: ((report: RelaySinkWaitReport) => void) | undefined
  /** Called for a notice of a subscription, including gaps. */
  readonly onRelayNotice?: ((report: RelayNoticeReport) => void) | undefined
  /** Called when the state of a subscription has changed. */
  readonly onRelaySubscription?: ((report: RelaySubscriptionReport) => void) | undefined
  /** Called when subscriptions begin to wait, because the service may still count connections that have ended. */
  readonly onRelayConnectionWait?: ((report: RelayConnectionWaitReport) => void) | undefined
  /** Called when this relay has become the writer of an app's stream. */
  readonly onRelayTakeover?: ((report: RelayTakeoverReport) => void) | undefined
  /** Called when a record could not be written to the store. The write is retried. */
  readonly onRelayStoreFailed?: ((report: RelayStoreFailedReport) => void) | undefined
  /** Called when the members of the cluster have changed. */
  readonly onRelayMembers?: ((report: RelayMembersReport) => void) | undefined
  /** Called when the state of an app of this relay has changed. */
  readonly onRelayApp?: ((report: RelayAppReport) => void) | undefined
  /** Called when the membership was lost. The relay keeps the received events and joins again. It closes the connections of its apps if the cluster
   * had other members. */
  readonly onRelayMembershipLost?: ((report: RelayMembershipLostReport) => void) | undefined
  /** Called when the state of an app's access token has changed. */
  readonly onRelayToken?: ((report: RelayTokenReport) => void) | undefined
}

/** The names of the functions of {@link RelayObserver}. */
export const RELAY_OBSERVER = {
  onRelayStored: true,
  onRelayDuplicates: true,
  onRelayBackpressure: true,
  onRelayOversized: true,
  onRelaySinkWait: true,
  onRelayNotice: true,
  onRelaySubscription: true,
  onRelayConnectionWait: true,
  onRelayTakeover: true,
  onRelayStoreFailed: true,
  onRelayMembers: true,
  onRelayApp: true,
  onRelayMembershipLost: true,
  onRelayToken: true,
} as const satisfies Record<keyof RelayObserver, true>

/** Reports of one app. */
export type AppReporter = Reporter<RelayObserver, RelayAppSource>

/** Creates a reporter of an app. */
export const createAppReporter = (observer: RelayObserver, app: string): AppReporter =>
  createReporter(observer, { app })
