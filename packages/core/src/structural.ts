/**
 * The few host types that the toolkit touches, as minimal structures of its own.
 *
 * A public type that names `Request`, `AbortSignal` or `Buffer` compiles only where that library is loaded; these
 * compile everywhere, and type tests prove that the DOM's, @types/node's and workers-types' values fit them.
 */

/** Bytes as any host hands them out: `Uint8Array`, `Buffer`, any other view, or an `ArrayBuffer`. */
export type BytesLike = ArrayBufferView | ArrayBuffer

/**
 * Bytes with a buffer of their own, which the hosts' cryptography and `fetch` demand: `Uint8Array<ArrayBuffer>`, named so
 * that compilers to which `Uint8Array` is not generic (TypeScript up to 5.6) take it too.
 */
export type OwnedBytes = ReturnType<Uint8Array['slice']>

/** The key of `await using`, where the consumer's `lib` has it. */
type AsyncDisposeKey = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? Key
  : never

/** The key of `using`, where the consumer's `lib` has it. */
type DisposeKey = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never

/**
 * What `await using` disposes of: `[Symbol.asyncDispose]()`. Without `ESNext.Disposable` in the consumer's `lib` the type
 * is empty instead of an error; the method is there in both cases.
 */
export type AsyncDisposableLike = { [Key in AsyncDisposeKey]: () => Promise<void> }

/** What `using` disposes of: `[Symbol.dispose]()`, in the same way. */
export type DisposableLike = { [Key in DisposeKey]: () => void }

/** The part of `AbortSignal` that is used. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The part of `Headers` that is used. Names are compared without regard to case. */
export interface HeadersLike {
  get(name: string): string | null
  has(name: string): boolean
  forEach(callback: (value: string, name: string) => void): void
}

/** The part of `Request` that is used. */
export interface RequestLike {
  readonly method: string
  readonly url: string
  readonly headers: HeadersLike
  readonly body: unknown
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A reader of a response's body. */
export interface ByteReaderLike {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/** The part of `Response` that is used. */
export interface ResponseLike {
  readonly status: number
  readonly headers: HeadersLike
  readonly body: { getReader(): ByteReaderLike } | null
}

/**
 * What is handed to a {@link FetchLike}. One that calls the host's `fetch` passes all of it on: the last three keep hosts
 * from sending a request twice.
 */
export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  /** Left out where there is none: hosts' own types refuse `undefined`. */
  readonly body?: OwnedBytes
  /** Always `'manual'`: a redirect is an error here, and workerd refuses `'error'`. */
  readonly redirect: 'manual'
  /** A real `AbortSignal` of the host, typed as the part that is used. */
  readonly signal: never
  /** Node's: sends once, whatever the answer. Its own global dispatcher does the work. */
  readonly dispatcher?: never
  /** Deno's: a connection of its own. */
  readonly client?: never
  /** Bun's: a connection of its own. Everywhere else this is the default. */
  readonly keepalive?: false
}

/** The host's `fetch`, or a replacement of it. */
export interface FetchLike {
  (url: string, init: FetchInit): Promise<ResponseLike>
  /** Set if it is known to send each request at most once, whatever the response is. */
  readonly sendsOnce?: true | undefined
}
