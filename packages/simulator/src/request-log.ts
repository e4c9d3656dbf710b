/**
 * What arrived, for assertions and for a person who wonders what their client sent.
 *
 * Holds names of headers, never their values, and hands out bodies only where they are asked for: otherwise neither
 * tokens nor signatures can leak from here.
 */
import { createBoundedList, textBytes } from './bounded-list.ts'

/** A subscription as it was asked for. */
export type RequestedSubscription =
  | {
      readonly service: 'trade'
      /** 0: left out. */
      readonly subscribeType: number
      readonly accounts: readonly string[]
      /** Milliseconds since the epoch, as text. */
      readonly timestamp: string
    }
  | {
      readonly service: 'module'
      readonly events: readonly { readonly eventType: string; readonly position: string }[]
      readonly timestamp: string
    }

/** One request. */
export interface LoggedRequest {
  /** When it arrived, milliseconds since the epoch. */
  readonly atMs: number
  /** When its answer was ready; for a subscription, when it was admitted or refused. */
  readonly answeredAtMs: number
  readonly protocol: 'http' | 'grpc'
  readonly method: string
  /** Path without its query: a query may hold anything. */
  readonly path: string
  /** Lower-case names, as received. */
  readonly headerNames: readonly string[]
  /** Value of `x-version`, where there is one. */
  readonly apiVersion: string | undefined
  /** The app key, where the signature was right. */
  readonly appKey: string | undefined
  /** HTTP status; 0 where a fault left the request without an answer. */
  readonly status: number
  /**
   * Error code of the answer; for a subscription, the name of what refused it; `fault ...` where a fault struck instead
   * of the endpoint. `undefined`: it passed.
   */
  readonly errorCode: string | undefined
  readonly requestId: string
  readonly subscription: RequestedSubscription | undefined
}

/** One request with its body. */
export interface LoggedRequestWithBody extends LoggedRequest {
  /**
   * The body of an HTTP request, byte for byte: it may hold tokens. `undefined` where it was not received whole, and for
   * subscriptions, which are in `subscription`.
   */
  readonly body: Uint8Array | undefined
}

/** What the check of a signature found, for a person: how the string was made, and what was wrong. */
export interface RequestDiagnosis {
  /** `undefined` where no canonical string can be made of the request. */
  readonly canonical: DiagnosedString | undefined
  /** `undefined`: the signature was right. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined
  /** The known mistake that gives the signature that was sent, where one does. */
  readonly mistake?: DiagnosedMistake | undefined
}

/** What a client signed instead. */
export interface DiagnosedMistake {
  /** What it did, in words. */
  readonly what: string
  /** The string that it signed. */
  readonly theirs: string
}

/** A canonical string, entry by entry. Holds no secret, and what the client chose to put into its query. */
export interface DiagnosedString {
  /** `undefined` for a stream. */
  readonly path: string | undefined
  readonly entries: readonly { readonly name: string; readonly source: string; readonly text: string }[]
  readonly digest: string | undefined
  readonly text: string
}

/** What {@link RequestLog} entries may have besides. */
type Entry = LoggedRequest & {
  readonly body?: Uint8Array | undefined
  readonly diagnosis?: RequestDiagnosis | undefined
}

type Kept = LoggedRequestWithBody & { readonly diagnosis: RequestDiagnosis | undefined }

/** A bounded log. */
export interface RequestLog {
  add(request: Entry): void
  /** Oldest first. */
  entries(): readonly LoggedRequest[]
  entriesWithBodies(): readonly LoggedRequestWithBody[]
  /** The request with this number, counted from 0, without its body. `undefined`: not kept any more, or not there yet. */
  at(index: number): LoggedRequest | undefined
  /** What the check of its signature found, where that was asked for. */
  diagnosisAt(index: number): RequestDiagnosis | undefined
  /** Number of the oldest one kept. */
  readonly start: number
  readonly total: number
}

const KEPT_REQUESTS = 10_000
const KEPT_BYTES = 16 * 1024 * 1024

/** Makes an empty log. The oldest entries go first. @param onAdd - Called after each. */
export function createRequestLog(onAdd: () => void): RequestLog {
  const kept = createBoundedList<Kept>({
    maxEntries: KEPT_REQUESTS,
    maxBytes: KEPT_BYTES,
    bytesOf: requestBytes,
  })
  return {
    add(request) {
      // Received bodies stand in larger memory, which would be kept with them.
      const body = request.body === undefined ? undefined : request.body.slice()
      kept.append({ ...request, body, diagnosis: request.diagnosis })
      onAdd()
    },
    entries: () => kept.entries().map(withoutBody),
    at(index) {
      const request = kept.at(index)
      return request && withoutBody(request)
    },
    diagnosisAt: (index) => kept.at(index)?.diagnosis,
    get start() {
      return kept.start
    },
    entriesWithBodies: () => kept.entries().map(({ diagnosis: _, ...request }) => request),
    get total() {
      return kept.end
    },
  }
}

function withoutBody({ body: _, diagnosis: _diagnosis, ...request }: Kept): LoggedRequest {
  return request
}

const ENTRY_BYTES = 256
/** What an item of a list costs beside its texts. */
const ITEM_BYTES = 64

function requestBytes(request: Kept): number {
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

function diagnosisBytes({ canonical, refusal, mistake }: RequestDiagnosis): number {
  let bytes = ITEM_BYTES + (refusal === undefined ? 0 : textBytes(refusal.message))
  if (mistake !== undefined) bytes += textBytes(mistake.what) + textBytes(mistake.theirs)
  if (canonical === undefined) return bytes
  bytes += textBytes(canonical.text) + textBytes(canonical.path ?? '')
  for (const { name, text } of canonical.entries) bytes += ITEM_BYTES + textBytes(name) + textBytes(text)
  return bytes
}
