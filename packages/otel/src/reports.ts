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
