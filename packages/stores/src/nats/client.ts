/** The client of NATS, as far as it is used: a bucket of `@nats-io/kv` and its connection, as they are. */

/** An entry of a bucket. */
export interface NatsEntryLike {
  readonly operation: string
  readonly value: Uint8Array
  readonly revision: number
}

/** The part of a bucket (`KV` of `@nats-io/kv`) that is used. */
export interface NatsBucketLike {
  get(key: string): Promise<NatsEntryLike | null>
  /** Writes where nothing is. */
  create(key: string, value: Uint8Array): Promise<number>
  update(key: string, value: Uint8Array, revision: number): Promise<number>
  delete(key: string, options: { previousSeq: number }): Promise<void>
  status(): Promise<{
    readonly replicas: number
    readonly ttl: number
    readonly storage: unknown
    readonly streamInfo: {
      readonly config: {
        readonly allow_direct?: boolean
        readonly sealed?: boolean
        readonly discard?: string
        readonly max_bytes?: number
        readonly max_msgs?: number
      }
    }
  }>
}

/** The part of the connection that is used: what the server said of itself. */
export interface NatsConnectionLike {
  readonly info?: { readonly version: string; readonly max_payload: number } | undefined
}
