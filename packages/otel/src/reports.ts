/**
 * The parts of reports that telemetry reads. This package imports none of the packages that report, so it installs with any of them.
 * A type test compares these types with the reports of each package.
 */

/** An HTTP attempt that begins. */
export interface HttpAttempt {
  /** Name of the client. */
  readonly clientId: string
  /** Number of the request within the client. */
  readonly request: number
  /** Number of the attempt within the request, from 1. */
  readonly attempt: number
  /** Origin that the attempt is sent to. */
  readonly origin: string
  /** Name of the operation. */
  readonly operation: string | undefined
  /** HTTP method. */
  readonly method: string
}

/** An HTTP attempt that ended. */
export interface HttpAttemptEnd extends HttpAttempt {
  /** Duration of the attempt in milliseconds. */
  readonly durationMs: number | undefined
  /** HTTP status. */
  readonly status: number | undefined
  /** Code of the error; `undefined` for a success. */
  readonly errorCode: string | undefined
  /** The service's own error code. */
  readonly serviceCode: string | undefined
  /** Milliseconds until the next attempt; `undefined` if this was the last. */
  readonly retryDelayMs: number | undefined
}

/** The stream that reports. */
export interface StreamSource {
  /** Name of the stream. */
  readonly streamId: string
  /** Kind of the stream. */
  readonly stream: string
}

/** An attempt to subscribe that begins. */
export interface StreamAttempt extends StreamSource {
  /** Number of the attempt within the stream, from 1. */
  readonly attempt: number
  /** Origin that the attempt connects to. */
  readonly origin: string | undefined
}

/** A stream that entered another phase. */
export interface StreamStateReport extends StreamSource {
  /** The phase that the stream entered. */
  readonly phase: string
}

/** A live subscription that received frames. */
export interface StreamAliveReport extends StreamSource {
  /** Time of receipt, milliseconds since the Unix epoch. */
  readonly atMs: number
}

/** Frames that arrived together. */
export interface StreamBatchReport extends StreamSource {
  /** Number of events that were added to the queue. */
  readonly events: number
  /** Number of events that were received before. */
  readonly duplicates: number
  /** Number of events that are not selected. */
  readonly filtered: number
  /** Number of messages that cannot be decoded. */
  readonly undecodable: number
  /** Memory of the added items in bytes. */
  readonly bytes: number
  /** Time from the last event's timestamp to its receipt, in milliseconds. */
  readonly newestLagMs: number | undefined
  /** Number of items in the queue. */
  readonly queueDepth: number
}

/** The parts of any notice that telemetry reads. */
export interface Notice {
  /** Kind of the notice. */
  readonly kind: string
  /** With `reconnecting`: the reason. */
  readonly reason?: string | undefined
  /** With `reconnecting`: the name of the gRPC status. */
  readonly status?: string | number | undefined
  /** With `gap`: the cause. */
  readonly cause?: string | undefined
  /** With `gap`: the start, milliseconds since the Unix epoch. */
  readonly fromMs?: number | undefined
  /** With `gap`: the end, milliseconds since the Unix epoch. */
  readonly toMs?: number | undefined
}

/** A notice that was added to a stream. */
export interface StreamNoticeReport extends StreamSource {
  /** The notice. */
  readonly notice: Notice
}

/** Functions for the observer of HTTP clients. */
export interface HttpTelemetry {
  /** An attempt begins. */
  readonly onHttpAttempt: (attempt: HttpAttempt) => void
  /** An attempt has ended. */
  readonly onHttpAttemptEnd: (end: HttpAttemptEnd) => void
}

/** Functions for the observer of streams. */
export interface StreamsTelemetry {
  /** An attempt to subscribe begins. */
  readonly onStreamAttempt: (attempt: StreamAttempt) => void
  /** A stream entered another phase. */
  readonly onStreamState: (report: StreamStateReport) => void
  /** Frames arrived. */
  readonly onStreamAlive: (report: StreamAliveReport) => void
  /** Items were queued. */
  readonly onStreamBatch: (report: StreamBatchReport) => void
  /** A notice was added. */
  readonly onStreamNotice: (report: StreamNoticeReport) => void
}

/** The client, the tokens or the rate limiter that reports. */
export interface ClientSource {
  /** Name of the client. */
  readonly clientId: string
}

/** A call of a token endpoint that has ended. */
export interface TokenCallEnd extends ClientSource {
  /** The call. */
  readonly call: string
  /** Duration in milliseconds. */
  readonly durationMs: number
  /** How the call failed; `undefined` if it succeeded. */
  readonly failure: string | undefined
}

/** The state of the access token. */
export interface TokenStateReport extends ClientSource {
  /** The state. */
  readonly state: string
  /** Expiry, milliseconds since the Unix epoch. */
  readonly expiresAtMs: number | undefined
}

/** A call that has to wait for a rate limit. */
export interface TokenWait extends ClientSource {
  /** The call. */
  readonly call: string
}

/** An operation that has to wait for a rate limit. */
export interface OperationWait extends ClientSource {
  /** Name of the operation. */
  readonly operation: string
}

/** Functions for the observer of tokens and rate limiters. */
export interface TokensTelemetry {
  /** A call has ended. */
  readonly onTokenCall: (end: TokenCallEnd) => void
  /** The state of the access token has changed. */
  readonly onTokenState: (report: TokenStateReport) => void
  /** A person was asked for a second factor. */
  readonly onTokenSecondFactor: (report: ClientSource) => void
  /** A call has to wait. */
  readonly onTokenWait: (wait: TokenWait) => void
  /** An operation has to wait. */
  readonly onOperationWait: (wait: OperationWait) => void
}

/** A connection of market data that entered another phase. */
export interface QuotesStateReport extends ClientSource {
  /** Number of the connection, from 1. */
  readonly connection: number
  /** The phase. */
  readonly phase: string
}

/** Messages of market data that arrived together. */
export interface QuotesBatchReport extends ClientSource {
  /** Number of messages. */
  readonly messages: number
  /** Bytes of their payloads. */
  readonly bytes: number
  /** Number of queued states that were replaced. */
  readonly replaced: number
  /** Number of queued items that were discarded. */
  readonly dropped: number
  /** Time from the last message's timestamp to its receipt, in milliseconds. */
  readonly newestLagMs: number | undefined
  /** Number of items in the queue. */
  readonly queueDepth: number
}

/** A notice of market data. */
export interface QuotesNoticeReport extends ClientSource {
  /** The notice. */
  readonly notice: Notice
}

/** Functions for the observer of market data. */
export interface QuotesTelemetry {
  /** A connection entered another phase. */
  readonly onQuotesState: (report: QuotesStateReport) => void
  /** Messages were queued. */
  readonly onQuotesBatch: (report: QuotesBatchReport) => void
  /** A notice was added. */
  readonly onQuotesNotice: (report: QuotesNoticeReport) => void
}

/** The app of a relay that a report is about. */
export interface RelayAppSource {
  /** The name of the app in the configuration. */
  readonly app: string
}

/** Messages that were stored in the stream of an app. */
export interface RelayStoredReport extends RelayAppSource {
  /** The number of messages. */
  readonly messages: number
  /** The memory of the messages, bytes. */
  readonly bytes: number
  /** The sequence of the last message. */
  readonly sequence: number
  /** Time from the first event's timestamp to its receipt, milliseconds. */
  readonly receiveLagMs: number | undefined
  /** Time from the receipt of the first event until all messages were stored, milliseconds. */
  readonly storeLagMs: number | undefined
}

/** Functions for the observer of a relay. */
export interface RelayTelemetry {
  /** Messages were stored. */
  readonly onRelayStored: (report: RelayStoredReport) => void
  /** The stream already had events. */
  readonly onRelayDuplicates: (report: RelayAppSource & { readonly events: number }) => void
  /** Reading was paused or resumed. */
  readonly onRelayBackpressure: (
    report: RelayAppSource & { readonly isPaused: boolean; readonly bytes: number },
  ) => void
  /** An event was longer than the sink accepts. */
  readonly onRelayOversized: (report: RelayAppSource) => void
  /** The sink is unavailable. */
  readonly onRelaySinkWait: (report: RelayAppSource) => void
  /** A subscription has a notice. */
  readonly onRelayNotice: (
    report: RelayAppSource & { readonly subscription: string; readonly notice: Notice },
  ) => void
  /** The relay has become the writer of a stream. */
  readonly onRelayTakeover: (report: RelayAppSource & { readonly isReleased: boolean }) => void
  /** A record could not be written. */
  readonly onRelayStoreFailed: () => void
  /** The members of the cluster have changed. */
  readonly onRelayMembers: (report: { readonly members: readonly string[] }) => void
  /** The state of an app has changed. */
  readonly onRelayApp: (report: RelayAppSource & { readonly state: string }) => void
  /** The membership was lost. */
  readonly onRelayMembershipLost: () => void
  /** The state of an app's access token has changed. */
  readonly onRelayToken: (report: RelayAppSource & { readonly state: string }) => void
}
