/** The part of the NATS client that is used: a bucket of `@nats-io/kv` and its connection. */

/** An entry of a bucket, or a deletion marker. */
export interface NatsEntryLike {
  /** `PUT`, or the kind of the deletion marker. */
  readonly operation: string
  /** The bytes of the value. */
  readonly value: Uint8Array
  /** The revision for the next update. */
  readonly revision: number
}

/** The part of a bucket (`KV` of `@nats-io/kv`) that is used. */
export interface NatsBucketLike {
  /** Reads the latest entry of a key; `null` if there is none. */
  get(key: string): Promise<NatsEntryLike | null>
  /** Writes if the key has no value; returns the revision. */
  create(key: string, value: Uint8Array): Promise<number>
  /** Writes if the latest revision is this one; returns the new revision. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>
  /** Deletes if the latest revision is this one. */
  delete(key: string, options: { previousSeq: number }): Promise<void>
  /** Returns the configuration of the bucket. */
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

/** The part of the connection that is used: the information that the server sent. */
export interface NatsConnectionLike {
  /** The server's version and payload limit. */
  readonly info?: { readonly version: string; readonly max_payload: number } | undefined
}
