/**
 * Small structural types instead of the host's classes.
 *
 * A public type that names `Request`, `AbortSignal` or `Buffer` compiles only if the type library of that class is loaded.
 * These types compile everywhere. Type tests show that values of the DOM, of @types/node and of workers-types are assignable
 * to them.
 */

/** Bytes of any host: `Uint8Array`, `Buffer`, another view, or an `ArrayBuffer`. */
export type BytesLike = ArrayBufferView | ArrayBuffer

/**
 * Bytes that are not in shared memory, as Web Crypto and `fetch` require. The type is
 * `Uint8Array<ArrayBuffer>`. It is written in another form, which also compiles with TypeScript up to 5.6,
 * whose `Uint8Array` is not generic.
 */
export type OwnedBytes = ReturnType<Uint8Array['slice']>

/** The type of `Symbol.asyncDispose`; `never` if the `lib` of the compiler does not have it. */
type AsyncDisposeKey = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? Key
  : never

/** The type of `Symbol.dispose`; `never` if the `lib` of the compiler does not have it. */
type DisposeKey = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never

/**
 * An object for `await using`, which has `[Symbol.asyncDispose]()`. Without `ESNext.Disposable` in your
 * `lib`, the type is empty and causes no error. The method exists in both cases.
 */
export type AsyncDisposableLike = { [Key in AsyncDisposeKey]: () => Promise<void> }

/**
 * An object for `using`, which has `[Symbol.dispose]()`. Without `ESNext.Disposable` in your `lib`, the type
 * is empty.
 */
export type DisposableLike = { [Key in DisposeKey]: () => void }

/** The part of `AbortSignal` that these packages use. */
export interface AbortSignalLike {
  /** Whether the signal has aborted. */
  readonly aborted: boolean
  /** The value passed to `abort()`. The signals of some hosts have no reason. */
  readonly reason?: unknown
  /** Adds a listener that is called when the signal aborts. */
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  /** Removes a listener that was added. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The part of `Headers` that these packages use. Names are case-insensitive. */
export interface HeadersLike {
  /** Returns the value of a header; `null` if there is none. */
  get(name: string): string | null
  /** Whether there is a header with this name. */
  has(name: string): boolean
  /** Calls `callback` for each header. */
  forEach(callback: (value: string, name: string) => void): void
}

/** The part of `Request` that these packages use. */
export interface RequestLike {
  /** HTTP method of the request, in capitals. */
  readonly method: string
  /** Absolute URL of the request. */
  readonly url: string
  /** Headers of the request. */
  readonly headers: HeadersLike
  /** Body of the request; `null` if there is none. */
  readonly body: unknown
  /** Reads the whole body of the request. */
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A reader of a response's body. */
export interface ByteReaderLike {
  /** Returns the next bytes, or `done: true` at the end. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  /** Stops the reading and closes the body. */
  cancel(reason?: unknown): Promise<void>
}

/** The part of `Response` that these packages use. */
export interface ResponseLike {
  /** HTTP status of the response. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: HeadersLike
  /** Body of the response as a stream; `null` if there is none. */
  readonly body: { getReader(): ByteReaderLike } | null
}

/**
 * The second argument of a {@link FetchLike}. If your function calls the host's `fetch`, pass all properties
 * to it, because the last three prevent a host from sending a request twice.
 */
export interface FetchInit {
  /** HTTP method of the request, in capitals. */
  readonly method: string
  /** Headers of the request by name. */
  readonly headers: Record<string, string>
  /**
   * The body. The property is missing if the request has no body, because the types of hosts do not accept
   * `undefined`.
   */
  readonly body?: OwnedBytes
  /**
   * Always `'manual'`. A redirect is treated as an error, but workerd does not support the value `'error'`.
   */
  readonly redirect: 'manual'
  /** An `AbortSignal` of the host. The type `never` is assignable to the signal type of every host. */
  readonly signal: never
  /** Only in Node: a dispatcher that sends each request once, through the global dispatcher. */
  readonly dispatcher?: never
  /** Only in Deno: a client, so that the request gets a separate connection. */
  readonly client?: never
  /**
   * Only needed in Bun, in which it gives the request a separate connection. In other hosts `false` is the
   * default.
   */
  readonly keepalive?: false
}

/** The host's `fetch`, or a replacement of it. */
export interface FetchLike {
  /** Sends a request. The URL is absolute. */
  (url: string, init: FetchInit): Promise<ResponseLike>
  /** Set if the function sends each request at most once, whatever the response is. */
  readonly sendsOnce?: true | undefined
}
