/**
 * The log of received requests, for assertions and for debugging a client. It stores names of headers without
 * their values, and returns bodies only on request, so that tokens and signatures do not leak.
 */
import { createBoundedList, textBytes } from './bounded-list.ts'

/** The parameters of a subscription request. */
export type RequestedSubscription =
  | {
      readonly service: 'trade'
      /** Value of `subscribeType`. 0 if the request omitted it. */
      readonly subscribeType: number
      /** Accounts of the subscription request. */
      readonly accounts: readonly string[]
      /** Milliseconds since the Unix epoch, as a string. */
      readonly timestamp: string
    }
  | {
      readonly service: 'module'
      /** Event types of the subscription, with their start cursors. */
      readonly events: readonly {
        /** Event type to subscribe to. */
        readonly eventType: string
        /** Start cursor; empty to start with new events. */
        readonly position: string
      }[]
      /** Timestamp of the request, as it was sent. */
      readonly timestamp: string
    }

/** A logged request. */
export interface LoggedRequest {
  /** Arrival time, milliseconds since the Unix epoch. */
  readonly atMs: number
  /**
   * Time at which the response was ready. For a subscription, the time at which it was accepted or rejected.
   */
  readonly respondedAtMs: number
  /** Protocol of the request: `grpc` for a subscription. */
  readonly protocol: 'http' | 'grpc'
  /** HTTP method of the request. */
  readonly method: string
  /** Path without its query, which may contain secrets. */
  readonly path: string
  /** Lower-case header names in the order of arrival. */
  readonly headerNames: readonly string[]
  /** Value of `x-version`, if present. */
  readonly apiVersion: string | undefined
  /** The app key, if the signature was valid. */
  readonly appKey: string | undefined
  /** HTTP status; 0 if a fault prevented a response. */
  readonly status: number
  /**
   * Error code of the response. For a subscription, the reason why it was rejected. `fault ...` if a fault
   * was injected. `undefined` on success.
   */
  readonly errorCode: string | undefined
  /** Value of `x-request-id` in the response. */
  readonly requestId: string
  /** Parameters of a subscription; `undefined` for an HTTP request. */
  readonly subscription: RequestedSubscription | undefined
}

/** A logged request with its body. */
export interface LoggedRequestWithBody extends LoggedRequest {
  /**
   * Body of an HTTP request, byte for byte. It may contain tokens. `undefined` if the body was not received
   * completely, and for subscriptions, whose parameters are in `subscription`.
   */
  readonly body: Uint8Array | undefined
}

/** Explanation of a signature check: the canonical string, the error, and the known mistake. */
export interface RequestDiagnosis {
  /** `undefined` if the request has no canonical string. */
  readonly canonical: DiagnosedString | undefined
  /** `undefined` if the signature was valid. */
  readonly rejection: { readonly code: string; readonly message: string } | undefined
  /** The known mistake in signing that explains a wrong signature, if there is one. */
  readonly mistake?: DiagnosedMistake | undefined
}

/** A known mistake that the client made when it signed. */
export interface DiagnosedMistake {
  /** Description of the mistake. */
  readonly what: string
  /** The string that the client signed. */
  readonly theirs: string
}

/**
 * A canonical string, entry by entry. It contains no secret, unless the query of the request contains one.
 */
export interface DiagnosedString {
  /** `undefined` for a stream. */
  readonly path: string | undefined
  readonly entries: readonly { readonly name: string; readonly source: string; readonly text: string }[]
  readonly digest: string | undefined
  readonly text: string
}

/** A request, and optional data that the log stores with it. */
type Entry = LoggedRequest & {
  readonly body?: Uint8Array | undefined
  readonly diagnosis?: RequestDiagnosis | undefined
}

type StoredRequest = LoggedRequestWithBody & { readonly diagnosis: RequestDiagnosis | undefined }

/** A bounded log of requests. */
export interface RequestLog {
  add(request: Entry): void
  /** Returns the logged requests, oldest first. */
  entries(): readonly LoggedRequest[]
  entriesWithBodies(): readonly LoggedRequestWithBody[]
  /**
   * Returns the request at an index, counted from 0, without its body. `undefined` if the request was
   * discarded or does not exist yet.
   */
  at(index: number): LoggedRequest | undefined
  /** Returns the explanation of the signature check of the request at an index, if diagnoses are enabled. */
  diagnosisAt(index: number): RequestDiagnosis | undefined
  /** Index of the oldest request. */
  readonly start: number
  readonly total: number
}

const MAX_REQUESTS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Creates an empty log. The oldest entries are discarded first.
 *
 * @param onAdd - Called after each request is added.
 */
export function createRequestLog(onAdd: () => void): RequestLog {
  const requests = createBoundedList<StoredRequest>({
    maxEntries: MAX_REQUESTS,
    maxBytes: MAX_BYTES,
    getSize: requestBytes,
  })
  return {
    add(request) {
      // The body is copied, because received bodies are views of larger buffers that would stay in memory.
      const body = request.body === undefined ? undefined : request.body.slice()
      requests.append({ ...request, body, diagnosis: request.diagnosis })
      onAdd()
    },
    entries: () => requests.entries().map(withoutBody),
    at(index) {
      const request = requests.at(index)
      return request && withoutBody(request)
    },
    diagnosisAt: (index) => requests.at(index)?.diagnosis,
    get start() {
      return requests.start
    },
    entriesWithBodies: () => requests.entries().map(({ diagnosis: _, ...request }) => request),
    get total() {
      return requests.end
    },
  }
}

function withoutBody({ body: _, diagnosis: _diagnosis, ...request }: StoredRequest): LoggedRequest {
  return request
}

const ENTRY_BYTES = 256
/** Overhead of a list item in bytes, in addition to its strings. */
const ITEM_BYTES = 64

function requestBytes(request: StoredRequest): number {
  const { method, path, headerNames, subscription, body, diagnosis } = request
  let bytes = ENTRY_BYTES + textBytes(method) + textBytes(path) + (body?.length ?? 0)
  for (const name of headerNames) bytes += textBytes(name)
  if (diagnosis !== undefined) bytes += diagnosisBytes(diagnosis)
  if (subscription === undefined) return bytes
  bytes += textBytes(subscription.timestamp)
  if (subscription.service === 'trade') {
    for (const account of subscription.accounts) bytes += textBytes(account)
    return bytes
  }
  for (const { eventType, position } of subscription.events) {
    bytes += ITEM_BYTES + textBytes(eventType) + textBytes(position)
  }
  return bytes
}

function diagnosisBytes({ canonical, rejection, mistake }: RequestDiagnosis): number {
  let bytes = ITEM_BYTES + (rejection === undefined ? 0 : textBytes(rejection.message))
  if (mistake !== undefined) bytes += textBytes(mistake.what) + textBytes(mistake.theirs)
  if (canonical === undefined) return bytes
  bytes += textBytes(canonical.text) + textBytes(canonical.path ?? '')
  for (const { name, text } of canonical.entries) bytes += ITEM_BYTES + textBytes(name) + textBytes(text)
  return bytes
}
